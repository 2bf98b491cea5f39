// Thousands of long polls at one site: payers' never take what the merchant needs, and disconnected ones free theirs.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { type LongPoll, openLongPoll } from '../support/long-poll.ts'

const service = bareWorkerd()
const token = await mintToken(service.secret, { siteId: 'demo', scope: 'merchant', days: 1 })
let port: number
beforeAll(async () => {
  port = await service.start()
  return () => service.dispose()
})
afterEach(() => expect(service.log()).not.toMatch(/"fault"|"status":5|uncaught/i))

/** Payers' long polls that one QR code takes; it answers more of them at once. */
const MAX_PAYERS = 100
/** The first waits end then, and others take their places. */
const WAIT_S = 60
const COLLECTION = '/payin/v1/sites/demo/sbp/qrCodes'

/** Sends a request of the merchant. */
const merchant = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    ...init,
    headers: { ...init.headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  })

const create = (qrCodeUid: string) =>
  merchant(COLLECTION, {
    method: 'POST',
    body: JSON.stringify({ qrCodeUid, qrCode: { type: 'DYNAMIC' }, amount: { value: 1 } }),
  })

/** A new QR code, and the long polls of so many payers who have its link, each on a connection of its own. */
async function polledQrCode(
  { onTestFinished }: TestContext,
  qrCodeUid: string,
  count: number,
  wait = WAIT_S,
) {
  const created = (await (await create(qrCodeUid)).json()) as { qrCode: { payload: string } }
  const { pathname, search } = new URL(created.qrCode.payload)
  const path = `${pathname}/state${search}`
  const etag = (await fetch(`http://127.0.0.1:${port}${path}`)).headers.get('ETag') ?? ''
  const open = (wait: number) => openLongPoll({ port, path, etag, wait })
  const payers: LongPoll[] = []
  const began = performance.now()
  /** Whether no wait can have ended by now. */
  const isEarly = () => performance.now() - began < wait * 1000
  onTestFinished(() => {
    for (const payer of payers) payer.disconnect('FIN')
  })
  // Many at once: the first must still wait when the last one asks, on a slow machine too.
  while (payers.length < count)
    payers.push(...(await Promise.all(Array.from({ length: 50 }, () => open(wait)))))
  return { path: `${COLLECTION}/${qrCodeUid}`, payers, open, isEarly }
}

/** At most MAX_PAYERS still wait; on a slow machine fewer, because the first waits have ended. */
const settled = (payers: readonly LongPoll[]) =>
  vi.waitFor(() => expect(waitingOf(payers).length).toBeLessThanOrEqual(MAX_PAYERS), 150_000)

const waitingOf = (payers: readonly LongPoll[]) => payers.filter(({ head }) => head === undefined)

// Most of the time they wait, so they do it at once.
describe.concurrent('at one site', { timeout: 480_000 }, () => {
  it('beside 5,200 payers of one link the merchant waits its full time, and creates succeed', async (context) => {
    const { path, payers, open, isEarly } = await polledQrCode(context, 'polled', 5200)
    await settled(payers)
    const heads = payers.flatMap(({ head }) => head ?? [])
    for (const head of heads) expect(head).toMatch(/^HTTP\/1\.1 304 /)
    // On a slow machine the calls of some end while others open, and those take their places.
    const atOnce = heads.filter((head) => !/preference-applied/i.test(head))
    expect(atOnce.length).toBeGreaterThan(payers.length - 5 * MAX_PAYERS)

    const known = (await merchant(path)).headers.get('ETag') ?? ''
    const from = performance.now()
    const [waited, ...created] = await Promise.all([
      merchant(path, { headers: { 'If-None-Match': known, Prefer: 'wait=5' } }),
      ...Array.from({ length: 200 }, (_, n) => create(`beside-${n}`)),
    ])
    expect([waited.status, waited.headers.get('Preference-Applied')]).toEqual([304, 'wait=5'])
    expect(performance.now() - from).toBeGreaterThan(4900)
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 200))

    // On a slow machine all waits can have ended: others take their places, so that the cancellation has somebody to tell.
    payers.push(...(await Promise.all(Array.from({ length: MAX_PAYERS }, () => open(WAIT_S)))))
    await settled(payers)
    const waiting = waitingOf(payers)
    await merchant(path, { method: 'DELETE' })
    const told = isEarly() ? MAX_PAYERS : 1
    const answers = await Promise.all(waiting.map(({ answered }) => answered))
    const statuses = answers.map((answer) => answer?.split(' ')[1])
    expect(statuses.filter((status) => status === '200').length).toBeGreaterThanOrEqual(told)
    // On a slow machine the waits of some end before.
    expect(statuses.filter((status) => status !== '200' && status !== '304')).toEqual([])
  })

  // Bare workerd reports no FIN: such a payer keeps the place until the end of the wait.
  it.for([
    ['FIN', 15],
    ['RST', WAIT_S],
  ] as const)(
    'payers who disconnect by %s make room for others',
    // A machine that was too slow to tell tries again.
    { retry: 2 },
    async ([by, wait], context) => {
      const { payers, open, isEarly } = await polledQrCode(context, randomUUID(), 300, wait)
      await settled(payers)
      const isNoticed = by === 'RST'
      if (isNoticed) expect(await (await open(1)).answered).not.toMatch(/preference-applied/i)
      for (const payer of payers) payer.disconnect(by)
      await vi.waitFor(async () => {
        const next = await open(1)
        expect(await next.answered).toMatch(/preference-applied: wait=1/i)
        next.disconnect('FIN')
      }, 90_000)
      // The end of the waits makes room too.
      if (isNoticed) expect(isEarly()).toBe(true)
    },
  )
})
