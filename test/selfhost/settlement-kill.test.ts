// The process is killed in the midst of an import and of a deletion of a settlement file.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { checkSite } from '../../bin/data/site-checks.ts'
import { EXTERNAL, fileOf, type Served, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { encode } from '../support/settlement/files.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { linkIdIn } from '../support/site-at.ts'

const LINES = 600

const registry = (from: number, count: number) =>
  encode(
    tbankText(
      Array.from({ length: count }, (_, i) =>
        tbankLine({
          ...{ number: `${i + 1}`, paymentId: `${from + i}`, order: '' },
          operationId: `A${String(from + i).padStart(31, '0')}`,
        }),
      ),
    ),
    'windows-1251',
  )

const put = (served: Served, settlementUid: string, body: BodyInit) =>
  siteOf(served).ask(`/settlements/${settlementUid}?bank=tbank&format=registry`, {
    ...{ method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body },
  })
const remove = (served: Served, settlementUid: string) =>
  siteOf(served).ask(`/settlements/${settlementUid}`, { method: 'DELETE' })

const Entries = z.object({ entries: z.array(z.unknown()), nextCursor: z.optional(z.string()) })
const Files = z.object({ settlements: z.array(z.record(z.string(), z.unknown())) })

/** A hash of all that a reader sees. */
async function seenOf(served: Served): Promise<string> {
  const hash = createHash('sha256')
  const { settlements } = Files.parse(await siteOf(served).value('/settlements'))
  for (const { importedOn: _, ...file } of settlements) hash.update(JSON.stringify(file))
  for (let cursor = '', more = true; more; ) {
    const page = Entries.parse(await siteOf(served).value(`/settlements/entries?month=2026-11${cursor}`))
    hash.update(JSON.stringify(page.entries))
    more = page.nextCursor !== undefined
    cursor = `&cursor=${encodeURIComponent(page.nextCursor ?? '')}`
  }
  return hash.digest('hex')
}

/** Whether something was in progress in the data of a service that has ended; its minute is over. */
function wasInProgress(data: string): boolean {
  const database = new DatabaseSync(fileOf(data))
  const [row] = database.prepare('SELECT job FROM settlement_state').all()
  database.exec(`UPDATE settlement_state SET job = json_set(job, '$.touchedAt', 0) WHERE job IS NOT NULL`)
  database.close()
  return typeof row?.job === 'string'
}

/** How long work takes, in milliseconds. */
async function timeOf(work: () => Promise<{ status: number }>, status: number): Promise<number> {
  const begun = performance.now()
  expect((await work()).status).toBe(status)
  return performance.now() - begun
}

// It starts some ten services, one after the other.
it('an import and a deletion that are killed at any point are not seen, and when they are repeated all is as after one', {
  timeout: 900_000,
}, async () => {
  const data = join(temporaryDirectory(), 'data')
  let served = await started(data, { settings: EXTERNAL })
  for (const number of [1, 2, 300]) {
    const site = siteOf(served)
    const linkId = linkIdIn(await site.create(`order-${number}`, { amount: { value: 100 } }))
    const report = await site.report(linkId, `pay-${number}`, {
      ...{ amount: { value: 100 }, dateTime: '2026-11-20T09:05:30+03:00' },
      ...{ networkUid: `${number}`, bank: 'tbank' },
    })
    expect(report.status).toBe(200)
  }
  const [first, second] = [registry(1, 50), registry(2, LINES)]
  expect((await put(served, 'first', first)).status).toBe(201)
  const without = await seenOf(served)
  const importing = await timeOf(() => put(served, 'second', second), 201)
  const whole = await seenOf(served)
  const deleting = await timeOf(() => remove(served, 'second'), 204)
  expect(await seenOf(served)).toBe(without)
  expect(whole).not.toBe(without)

  /** Kills the service after a part of the time that some work takes, and starts it. */
  const killed = async (work: () => Promise<unknown>, milliseconds: number): Promise<boolean> => {
    const broken = work().catch(() => {})
    await sleep(milliseconds)
    await served.kill()
    await broken
    const isBroken = wasInProgress(data)
    expect(checkSite(fileOf(data)).problems).toEqual([])
    served = await started(data, { settings: EXTERNAL })
    return isBroken
  }
  const broken = { imports: 0, deletions: 0 }
  for (const part of [0.2, 0.5, 0.8]) {
    if (await killed(() => put(served, 'second', second), part * importing)) {
      broken.imports++
      expect(await seenOf(served)).toBe(without)
    }
    expect([200, 201]).toContain((await put(served, 'second', second)).status)
    expect(await seenOf(served)).toBe(whole)
    if (await killed(() => remove(served, 'second'), part * deleting)) {
      broken.deletions++
      expect(await seenOf(served)).toBe(whole)
    }
    expect((await remove(served, 'second')).status).toBe(204)
    expect(await seenOf(served)).toBe(without)
  }
  expect(broken.imports * broken.deletions).toBeGreaterThan(0)
  await served.stop()
  expect(checkSite(fileOf(data)).problems).toEqual([])
})
