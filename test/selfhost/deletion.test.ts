// A deletion that can be undone, on the production build: kill -9 at any moment of it loses nothing, and no act of the audit.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { succeeds } from '../support/command.ts'
import { asOperator, EXTERNAL, type Served, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { errorCodeOf, linkIdIn } from '../support/site-at.ts'

const KILLS = Number(process.env.KILLS ?? 3)

let data: string
beforeEach(() => {
  data = join(temporaryDirectory(), 'data')
})

const start = () => started(data, { settings: { ...EXTERNAL, DELETION_DAYS: '7' } })
const remove = (served: Served) =>
  asOperator(served, '/sites/demo', { method: 'DELETE', body: { siteId: 'demo', force: true } })
const reopen = (served: Served) => asOperator(served, '/sites/demo/restore', { method: 'POST' })

const Rows = z.object({
  rows: z.array(
    z.object({ number: z.int(), act: z.string(), result: z.string(), intent: z.optional(z.int()) }),
  ),
})
/** The rows of the audit about the site, the oldest first. */
const rowsOf = async (served: Served) =>
  Rows.parse(await (await asOperator(served, '/audit?siteId=demo&limit=100')).json()).rows.toReversed()
const actsOf = async (served: Served) => (await rowsOf(served)).map(({ act, result }) => `${act} ${result}`)

/** Whether the site is deleted, as its merchant sees it. */
async function isClosed(served: Served): Promise<boolean> {
  const answered = await siteOf(served).ask('/sbp/qrCodes')
  if (answered.status === 200) return false
  expect([answered.status, errorCodeOf(answered)]).toEqual([410, 'site.deleted'])
  return true
}

/** Everything that the merchant reads. */
const contentOf = async (served: Served) =>
  Promise.all(
    ['/sbp/qrCodes', '/payments', '/payments/pay-a/refunds', '/payments/pay-late', '/settings'].map((path) =>
      siteOf(served).value(path),
    ),
  )

it('a site that is deleted, killed, restored and killed again has all that it had, what was reported meanwhile, and each act in the audit', async () => {
  const first = await start()
  const site = siteOf(first)
  await site.ask('/settings', { method: 'PUT', body: { name: 'Tea' } })
  expect(await site.pay('a')).toBe(200)
  expect((await site.refund('pay-a', 'r', 1)).status).toBe(200)
  const link = linkIdIn(await site.create('open'))
  const deletion = await remove(first)
  expect(deletion.status).toBe(202)
  const dates = await deletion.json()
  await first.kill()

  const closed = await start()
  expect(await isClosed(closed)).toBe(true)
  expect(await actsOf(closed)).toEqual(['site.delete STARTED', 'site.delete DONE'])
  // Money in flight comes to its end.
  expect((await siteOf(closed).report(link, 'pay-late')).status).toBe(200)
  expect((await siteOf(closed).reportRefund('pay-a', 'r', { status: 'COMPLETED' })).status).toBe(200)
  const again = await remove(closed)
  expect([again.status, await again.json()]).toEqual([202, dates])
  await closed.kill()

  const second = await start()
  expect(await isClosed(second)).toBe(true)
  expect((await reopen(second)).status).toBe(200)
  const content = await contentOf(second)
  await second.kill()

  const last = await start()
  expect(await isClosed(last)).toBe(false)
  expect(await contentOf(last)).toEqual(content)
  const [, payments, refunds] = content
  expect(payments).toMatchObject({
    payments: expect.arrayContaining(
      ['pay-a', 'pay-late'].map((paymentId) =>
        expect.objectContaining({ paymentId, status: expect.objectContaining({ value: 'COMPLETED' }) }),
      ),
    ),
  })
  expect(refunds).toMatchObject([{ status: { value: 'COMPLETED' } }])
  expect((await siteOf(last).create('new')).status).toBe(200)
  const rows = await rowsOf(last)
  expect(rows.map(({ act, result }) => `${act} ${result}`)).toEqual(
    ['delete', 'delete', 'restore'].flatMap((act) => [`site.${act} STARTED`, `site.${act} DONE`]),
  )
  expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6])
  await last.stop()
  expect(succeeds('verify', '--data', data)).toContain('sites: 1, with problems: 0\n')
})

it(`a deletion and its undoing, ${KILLS} times killed amid it, have happened or have not: what happened has its intent, what was answered its result`, {
  timeout: 240_000 + KILLS * 60_000,
}, async () => {
  let served = await start()
  expect(await siteOf(served).pay('a')).toBe(200)
  const before = await siteOf(served).value('/payments')
  const answered = { 'site.delete': 0, 'site.restore': 0 }
  let isDeleted = false
  for (let kill = 0; kill < KILLS * 2; kill++) {
    const act = isDeleted ? 'site.restore' : 'site.delete'
    const known = await rowsOf(served)
    const asked = (isDeleted ? reopen : remove)(served).then(
      ({ ok }) => ok,
      () => false,
    )
    // From before the request arrives to after its answer.
    await sleep((kill * 7) % 40)
    await served.kill()
    const wasAnswered = await asked
    if (wasAnswered) answered[act]++

    served = await start()
    const isNow = await isClosed(served)
    const rows = await rowsOf(served)
    expect(rows.slice(0, known.length)).toEqual(known)
    const fresh = rows.slice(known.length).map(({ act, result }) => `${act} ${result}`)
    if (isNow !== isDeleted) expect(fresh[0]).toBe(`${act} STARTED`)
    if (wasAnswered) {
      expect(isNow).toBe(!isDeleted)
      expect(fresh).toEqual([`${act} STARTED`, `${act} DONE`])
    }
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, i) => i + 1))
    isDeleted = isNow
  }
  if (isDeleted) expect((await reopen(served)).status).toBe(200)
  expect(await siteOf(served).value('/payments')).toEqual(before)
  console.log(`${KILLS * 2} kills, answered before: ${JSON.stringify(answered)}`)
})
