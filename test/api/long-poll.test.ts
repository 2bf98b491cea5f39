// Long polls of a QR code: Prefer: wait=N (contract, section 7; RFC 7240).
import { abortAllDurableObjects, evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { QrCodePoll } from '../../src/site/long-polls.ts'
import type { Call } from '../support/client.ts'
import { cancel, expire, type Fresh, fresh, report } from '../support/qr-codes.ts'
import { call, ORIGIN, serviceWith, siteThat } from '../support/service.ts'

/** The long polls that the Worker sent to the site's object. */
let sent: QrCodePoll[] = []
const unexpected = siteThat(() => Promise.reject(new Error('no other operation is expected')))
const service = serviceWith({
  site(siteId) {
    const stub = env.SITES.getByName(siteId)
    return {
      ...unexpected,
      read: (caller, key) => stub.read(caller, key),
      stopListening: (id) => stub.stopListening(id),
      longPoll(caller, key, poll) {
        sent.push(poll)
        return stub.longPoll(caller, key, poll)
      },
    }
  },
})

beforeEach(() => {
  sent = []
})
afterEach(() => vi.useRealTimers())

/** Waits until so many long polls are with the object. */
const listening = (polls: number) =>
  vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(polls), 20_000)

const etagOf = async (path: string, options: Call = {}) =>
  (await call(path, options)).headers.get('ETag') ?? ''
const wait = (path: string, etag: string, seconds: number | string, options: Call = {}) =>
  call(path, { headers: { 'If-None-Match': etag, Prefer: `wait=${seconds}` }, ...options }, service)

/** The address of the state that the payer's page follows. */
async function stateOf({ path }: Fresh): Promise<string> {
  const { qrCode } = await (await call(path)).json<{ qrCode: { payload: string } }>()
  return qrCode.payload.slice(ORIGIN.length).replace('?', '/state?')
}
const outcome = (response: Response) => [response.status, response.headers.get('Preference-Applied')]

describe('an ETag', () => {
  it('is strong, stays while nothing changes, and gives 304 without a body', async () => {
    const { path } = await fresh()
    const etag = await etagOf(path)
    expect(etag).toMatch(/^"[^"]+"$/)
    expect(await etagOf(path)).toBe(etag)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await call(path, { headers: { 'If-None-Match': known } })
      expect([response.status, await response.text(), response.headers.get('ETag')]).toEqual([304, '', etag])
    }
  })

  it('is another one after every change of state', async () => {
    const qrCode = await fresh()
    const seen = [await etagOf(qrCode.path)]
    for (const status of ['DECLINED', 'DECLINED', 'COMPLETED']) {
      await report(qrCode, { status })
      const etag = await etagOf(qrCode.path)
      expect(seen).not.toContain(etag)
      expect((await call(qrCode.path, { headers: { 'If-None-Match': seen.join(', ') } })).status).toBe(200)
      seen.push(etag)
    }
  })
})

describe('a long poll', () => {
  it('is answered when the state changes, with the new state', async () => {
    const qrCode = await fresh()
    const poll = wait(qrCode.path, await etagOf(qrCode.path), 30)
    await listening(1)
    await report(qrCode)
    const response = await poll
    expect(outcome(response)).toEqual([200, 'wait=30'])
    expect(await response.json()).toMatchObject({ qrCode: { status: 'PAYED' } })
  })

  it('is 304 when the time is over', async () => {
    const { path } = await fresh()
    expect(outcome(await wait(path, await etagOf(path), 1))).toEqual([304, 'wait=1'])
  })

  it('is answered at once, without Preference-Applied, where the state is another one already', async () => {
    const qrCode = await fresh()
    const etag = await etagOf(qrCode.path)
    await cancel(qrCode)
    const response = await wait(qrCode.path, etag, 60)
    expect(outcome(response)).toEqual([200, null])
    expect(await response.json()).toMatchObject({ qrCode: { status: 'CANCELLED' } })
  })

  it.each([
    ['for an ETag of another service', { Prefer: 'wait=30', 'If-None-Match': '"abc"' }, 200],
    ['for no time', { Prefer: 'wait=0', 'If-None-Match': '*' }, 304],
    ['for a time that is not a number', { Prefer: 'wait=soon', 'If-None-Match': '*' }, 304],
    ['without Prefer', { 'If-None-Match': '*' }, 304],
  ])('does not wait %s', async (_, headers, status) => {
    const { path } = await fresh()
    expect(outcome(await call(path, { headers }, service))).toEqual([status, null])
    expect(sent).toEqual([])
  })

  it.each(['CREATED', 'DECLINED'])(
    'without If-None-Match waits while the status is not final: the change of a QR code that is %s is the answer',
    async (status) => {
      const qrCode = await fresh()
      if (status === 'DECLINED') await report(qrCode, { status })
      const poll = call(qrCode.path, { headers: { Prefer: 'wait=60' } }, service)
      await listening(1)
      await report(qrCode)
      const response = await poll
      expect(outcome(response)).toEqual([200, 'wait=60'])
      expect(await response.json()).toMatchObject({ qrCode: { status: 'PAYED' } })
      expect(sent).toHaveLength(1)
    },
  )

  it('without If-None-Match is the QR code as it stands when the time is over', async () => {
    const { path } = await fresh()
    const response = await call(path, { headers: { Prefer: 'wait=1' } }, service)
    expect(outcome(response)).toEqual([200, 'wait=1'])
    expect(await response.json()).toMatchObject({ qrCode: { status: 'CREATED' } })
  })

  it.each<[string, (qrCode: Fresh) => Promise<unknown>]>([
    ['PAYED', (qrCode) => report(qrCode)],
    ['CANCELLED', (qrCode) => cancel(qrCode)],
    ['EXPIRED', ({ uid }) => expire(uid)],
  ])('without If-None-Match does not wait for a QR code that is %s', async (status, act) => {
    const qrCode = await fresh()
    await act(qrCode)
    const response = await call(qrCode.path, { headers: { Prefer: 'wait=60' } }, service)
    expect(outcome(response)).toEqual([200, null])
    expect(await response.json()).toMatchObject({ qrCode: { status } })
  })

  it('with If-None-Match waits at a final status too: a late payment changes it', async () => {
    const qrCode = await fresh()
    await cancel(qrCode)
    const poll = wait(qrCode.path, await etagOf(qrCode.path), 60)
    await listening(1)
    await report(qrCode)
    expect(await (await poll).json()).toMatchObject({ qrCode: { status: 'PAYED' } })
  })

  it('is answered where the payment in the answer changes, and the status does not', async () => {
    const qrCode = await fresh()
    const uid = crypto.randomUUID()
    await report(qrCode, { status: 'DECLINED' }, uid)
    const poll = wait(qrCode.path, await etagOf(qrCode.path), 60)
    await listening(1)
    await report(qrCode, { amount: { value: 4.99 } }, uid)
    const response = await poll
    expect(outcome(response)).toEqual([200, 'wait=60'])
    const answer = await response.json()
    expect(answer).toMatchObject({ qrCode: { status: 'DECLINED' } })
    expect(answer).not.toHaveProperty('payment')
  })

  it('waits on where a payment is not applied', async () => {
    const qrCode = await fresh()
    const poll = wait(qrCode.path, await etagOf(qrCode.path), 60)
    await listening(1)
    await report(qrCode, { amount: { value: 4.99 } })
    await cancel(qrCode)
    expect(await (await poll).json()).toMatchObject({ qrCode: { status: 'CANCELLED' } })
    expect(sent).toHaveLength(1)
  })

  it('waits for 60 seconds at most, and its preference may stand among others', async () => {
    const qrCode = await fresh()
    const etag = await etagOf(qrCode.path)
    const long = wait(qrCode.path, etag, 3600)
    const Prefer = 'respond-async, wait="7"; x=1, handling=lenient'
    const among = wait(qrCode.path, etag, 0, { headers: { 'If-None-Match': etag, Prefer } })
    await listening(2)
    await cancel(qrCode)
    expect((await Promise.all([long, among])).map(outcome)).toEqual([
      [200, 'wait=60'],
      [200, 'wait=7'],
    ])
  })

  it('is one of a hundred that a change answers; that of another QR code waits on', async () => {
    const [qrCode, other] = [await fresh(), await fresh()]
    const [etag, otherEtag] = [await etagOf(qrCode.path), await etagOf(other.path)]
    const polls = Array.from({ length: 100 }, () => wait(qrCode.path, etag, 60))
    const otherPoll = wait(other.path, otherEtag, 1)
    await listening(101)
    await report(qrCode)
    const answers = await Promise.all(polls.map(async (poll) => (await poll).json()))
    expect(answers).toHaveLength(100)
    for (const answer of answers) expect(answer).toMatchObject({ qrCode: { status: 'PAYED' } })
    expect(outcome(await otherPoll)).toEqual([304, 'wait=1'])
  })

  it('waits on where a report that came before is repeated', async () => {
    const qrCode = await fresh()
    const decline = () => report(qrCode, { status: 'DECLINED' }, `${qrCode.uid}-1`)
    await decline()
    const poll = wait(qrCode.path, await etagOf(qrCode.path), 60)
    await listening(1)
    await decline()
    await cancel(qrCode)
    expect(await (await poll).json()).toMatchObject({ qrCode: { status: 'CANCELLED' } })
    expect(sent).toHaveLength(1)
  })

  it.each([
    ['to be evicted', () => evictDurableObject(env.SITES.getByName('demo'))],
    ['lost', () => abortAllDurableObjects()],
  ])('is answered with the change where its object is %s', async (_, lose) => {
    const qrCode = await fresh()
    const poll = wait(qrCode.path, await etagOf(qrCode.path), 8)
    await listening(1)
    // An eviction waits until the answer is given.
    const lost = lose()
    await report(qrCode)
    const response = await poll
    await lost
    expect(await response.json()).toMatchObject({ qrCode: { status: 'PAYED' } })
  })
})

describe('the time of a long poll', () => {
  it('ends with the ttl of its QR code, though the alarm is late', async ({ onTestFinished }) => {
    const [expiring, other] = [await fresh({}, { ttl: 1 }), await fresh()]
    const { expiresOn } = await (await call(expiring.path)).json<{ expiresOn: string }>()
    const etags = [await etagOf(expiring.path), await etagOf(other.path)]
    // No alarm fires: its time is real, and the clock of the object is ahead of that.
    const [realNow, ahead] = [Date.now, Date.parse(expiresOn) - 300 - Date.now()]
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + ahead)
    onTestFinished(() => clock.mockRestore())
    const order: string[] = []
    const ended = async (name: string, poll: Promise<Response>) => {
      const response = await poll
      order.push(name)
      return response.text()
    }
    const [text] = await Promise.all([
      ended('expiry', wait(expiring.path, etags[0] ?? '', 60)),
      ended('2 seconds', wait(other.path, etags[1] ?? '', 2)),
    ])
    expect(text).toContain('EXPIRED')
    expect(order).toEqual(['expiry', '2 seconds'])
  })

  it('is not prolonged by a clock that steps back', async () => {
    const qrCode = await fresh()
    const etag = await etagOf(qrCode.path)
    vi.useFakeTimers({ toFake: ['Date'] })
    const poll = wait(qrCode.path, etag, 1)
    await listening(1)
    vi.setSystemTime(Date.now() - 3_600_000)
    expect(outcome(await poll)).toEqual([304, 'wait=1'])
  })

  /** Sends a long poll to a site whose calls each take a time by the Worker's clock, and then do this. */
  async function callsOf(seconds: number, takes: readonly number[], ...does: ('wait' | 'fail' | 'refuse')[]) {
    const qrCode = await fresh()
    const etag = await etagOf(qrCode.path)
    let clock = Date.now()
    const asked: number[] = []
    const response = await call(
      qrCode.path,
      { headers: { 'If-None-Match': etag, Prefer: `wait=${seconds}` } },
      serviceWith({
        now: () => clock,
        sleep: async () => {},
        site: (siteId) => ({
          ...unexpected,
          async longPoll(caller, key, { milliseconds }) {
            if (asked.length === 10) throw new Error('the long poll has no end')
            const what = does[asked.length] ?? 'wait'
            clock += (takes[asked.length] ?? takes.at(-1) ?? 0) * 1000
            asked.push(milliseconds / 1000)
            if (what === 'fail') throw new Error('the object was lost')
            const read = await env.SITES.getByName(siteId).read(caller, key)
            return read.ok ? { ok: true, value: { value: read.value, waited: what === 'wait' } } : read
          },
        }),
      }),
    )
    return { asked, outcome: outcome(response) }
  }

  it('is spent in calls of 20 seconds, so that a listener does not outlive its Worker for long', async () => {
    expect(await callsOf(45, [20])).toEqual({ asked: [20, 20, 5], outcome: [304, 'wait=45'] })
    expect(await callsOf(7, [7])).toEqual({ asked: [7], outcome: [304, 'wait=7'] })
  })

  it('is what is left of it after an object was lost', async () => {
    expect(await callsOf(9, [4, 2, 3], 'fail', 'fail')).toEqual({
      asked: [9, 5, 3],
      outcome: [304, 'wait=9'],
    })
    expect(await callsOf(30, [7, 20, 3], 'fail')).toEqual({ asked: [20, 20, 3], outcome: [304, 'wait=30'] })
  })

  it('has an end where the clock of the Worker stands still or steps back', async () => {
    for (const takes of [0, -3600])
      expect(await callsOf(45, [takes])).toEqual({ asked: [20, 20, 5], outcome: [304, 'wait=45'] })
  })

  it('ends at a limit that is met on the way: it waited', async () => {
    expect(await callsOf(45, [20], 'wait', 'refuse')).toEqual({ asked: [20, 20], outcome: [304, 'wait=45'] })
    expect(await callsOf(45, [0], 'refuse')).toEqual({ asked: [20], outcome: [304, null] })
  })
})

describe('payers’ long polls', () => {
  it('wait 100 to a link; the others are answered at once without Preference-Applied, and the merchant’s waits', async () => {
    const qrCode = await fresh()
    const state = await stateOf(qrCode)
    const etag = await etagOf(state, { token: null })
    const payers = Array.from({ length: 300 }, () => wait(state, etag, 60, { token: null }))
    await listening(300)
    expect(outcome(await wait(qrCode.path, await etagOf(qrCode.path), 1))).toEqual([304, 'wait=1'])

    const merchant = wait(qrCode.path, await etagOf(qrCode.path), 60)
    await listening(302)
    expect((await report(qrCode)).status).toBe(200)
    expect(outcome(await merchant)).toEqual([200, 'wait=60'])
    const outcomes = (await Promise.all(payers)).map((response) => outcome(response).join(' '))
    expect(
      Object.entries(Object.groupBy(outcomes, (each) => each)).map(([each, all]) => [each, all?.length]),
    ).toEqual([
      ['200 wait=60', 100],
      ['304 ', 200],
    ])
  })

  it('free their slot when the client disconnects', async () => {
    const qrCode = await fresh()
    const state = await stateOf(qrCode)
    const etag = await etagOf(state, { token: null })
    const headers = { 'If-None-Match': etag, Prefer: 'wait=60' }
    const client = new AbortController()
    const lost = Promise.resolve(service(new Request(ORIGIN + state, { headers, signal: client.signal })))
    const others = Array.from({ length: 99 }, () => wait(state, etag, 60, { token: null }))
    await listening(100)
    expect(outcome(await wait(state, etag, 60, { token: null }))).toEqual([304, null])
    client.abort()
    // Sooner than its call would end by itself.
    const late = scheduler.wait(7000).then(() => 'late')
    expect(await Promise.race([lost.then(({ status }) => status), late])).toBe(304)
    const next = wait(state, etag, 60, { token: null })
    await listening(102)
    await cancel(qrCode)
    expect(outcome(await next)).toEqual([200, 'wait=60'])
    await Promise.all(others)
  })
})
