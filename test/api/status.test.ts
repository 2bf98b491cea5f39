// The life of a QR code over HTTP: every state, every action, allowed and refused (contract, section 7).
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { qrCodeBody } from '../support/client.ts'
import { cancel, eventsOf, type Fresh, fresh, paymentsOf, report, statusOf } from '../support/qr-codes.ts'
import { COLLECTION, call, errorOf, tokenOf } from '../support/service.ts'
import { createAll } from '../support/site.ts'

const FAR = { exp: 4_000_000_000 }
const demo = () => env.SITES.getByName('demo')
let token: string

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  token = await tokenOf(FAR)
})
afterEach(() => vi.useRealTimers())

const passes = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000)

/** How a QR code comes into each state; every one has a ttl of ten minutes. */
const INTO: Record<string, (qrCode: Fresh) => Promise<unknown> | unknown> = {
  CREATED: () => {},
  DECLINED: (qrCode) => report(qrCode, { status: 'DECLINED' }, undefined, FAR),
  PAYED: (qrCode) => report(qrCode, {}, undefined, FAR),
  CANCELLED: (qrCode) => cancel(qrCode, { token }),
  EXPIRED: () => passes(10),
}

/** What each action does in each state: the state that it leads to, or 409 and nothing changed. */
const TABLE: [state: string, action: string, result: string | 409, isRecorded?: 'not applied'][] = [
  ['CREATED', 'complete', 'PAYED'],
  ['CREATED', 'decline', 'DECLINED'],
  ['CREATED', 'cancel', 'CANCELLED'],
  ['CREATED', 'expire', 'EXPIRED'],
  ['DECLINED', 'complete', 'PAYED'],
  ['DECLINED', 'decline', 'DECLINED'],
  ['DECLINED', 'cancel', 'CANCELLED'],
  ['DECLINED', 'expire', 'EXPIRED'],
  ['PAYED', 'complete', 'PAYED', 'not applied'],
  ['PAYED', 'decline', 'PAYED', 'not applied'],
  ['PAYED', 'cancel', 409],
  ['PAYED', 'expire', 'PAYED'],
  ['CANCELLED', 'complete', 'PAYED'],
  ['CANCELLED', 'decline', 'CANCELLED', 'not applied'],
  ['CANCELLED', 'cancel', 'CANCELLED'],
  ['CANCELLED', 'expire', 'CANCELLED'],
  ['EXPIRED', 'complete', 'PAYED'],
  ['EXPIRED', 'decline', 'EXPIRED', 'not applied'],
  ['EXPIRED', 'cancel', 409],
  ['EXPIRED', 'expire', 'EXPIRED'],
]

describe('state and action', () => {
  it.each(TABLE)('%s, %s: %s (%s)', async (state, action, result, notApplied) => {
    const qrCode = await fresh({}, { ttl: 10 }, { token })
    await INTO[state]?.(qrCode)
    expect(await statusOf(qrCode, { token })).toBe(state)
    const before = await eventsOf(qrCode, { token })

    if (action === 'expire') passes(10)
    else {
      const response =
        action === 'cancel'
          ? await cancel(qrCode, { token })
          : await report(qrCode, { status: action === 'complete' ? 'COMPLETED' : 'DECLINED' }, undefined, FAR)
      expect(response.status).toBe(result === 409 ? 409 : 200)
      if (result === 409)
        expect((await errorOf(response)).errorCode).toBe('payin.incorrect-method-invocation')
    }
    expect(await statusOf(qrCode, { token })).toBe(result === 409 ? state : result)
    const after = await eventsOf(qrCode, { token })
    if (result === 409) expect(after).toEqual(before)
    if (notApplied) {
      expect(after.slice(before.length)).toMatchObject([{ status: state, payment: { applied: false } }])
    }
  })
})

describe('expiry', () => {
  it('is to the second, whether or not the alarm has come', async () => {
    const qrCode = await fresh({}, { ttl: 1 }, { token })
    const { createdOn } = await (await call(qrCode.path, { token })).json<{ createdOn: string }>()
    vi.setSystemTime(Date.parse(createdOn) + 59_999)
    expect(await statusOf(qrCode, { token })).toBe('CREATED')
    vi.setSystemTime(Date.parse(createdOn) + 60_000)
    expect(await statusOf(qrCode, { token })).toBe('EXPIRED')
    const derived = await eventsOf(qrCode, { token })
    await runDurableObjectAlarm(demo())
    expect(await eventsOf(qrCode, { token })).toEqual(derived)
    expect(derived.at(-1)).toMatchObject({ status: 'EXPIRED', by: { actor: 'clock' } })
    expect(Date.parse(derived.at(-1)?.dateTime ?? '')).toBe(Date.parse(createdOn) + 60_000)
  })

  it('does not change the ETag when the alarm writes it down', async () => {
    const qrCode = await fresh({}, { ttl: 1 }, { token })
    passes(1)
    const before = (await call(qrCode.path, { token })).headers.get('ETag')
    await runDurableObjectAlarm(demo())
    expect((await call(qrCode.path, { token })).headers.get('ETag')).toBe(before)
  })

  it('has one alarm for the site, at the earliest, and none when nothing is due', async () => {
    const site = env.SITES.getByName('alarms')
    const alarm = () => runInDurableObject(site, (_, { storage }) => storage.getAlarm())
    const mine = await tokenOf({ sub: 'alarms', ...FAR })
    const collection = '/payin/v1/sites/alarms/sbp/qrCodes'
    const make = async (ttl: number) => {
      const body = qrCodeBody({}, { ttl })
      const response = await call(collection, { body, token: mine })
      const { createdOn } = await response.json<{ createdOn: string }>()
      return { path: `${collection}/${body.qrCodeUid}`, due: Date.parse(createdOn) + ttl * 60_000 }
    }
    const drop = (path: string) => call(path, { method: 'DELETE', token: mine })

    const late = await make(60)
    expect(await alarm()).toBe(late.due)
    const early = await make(5)
    expect(await alarm()).toBe(early.due)
    await make(600)
    expect(await alarm()).toBe(early.due)
    await drop(early.path)
    expect(await alarm()).toBe(late.due)
    passes(61)
    await runDurableObjectAlarm(site)
    const { path, due } = await make(1)
    expect(await alarm()).toBe(due)
    passes(600)
    await runDurableObjectAlarm(site)
    expect(await alarm()).toBeNull()
    expect(
      (await (await call(path, { token: mine })).json<{ qrCode: { status: string } }>()).qrCode.status,
    ).toBe('EXPIRED')
  })

  it('a lost alarm is made up for when the object wakes', async () => {
    const qrCode = await fresh({}, { ttl: 1 }, { token })
    await runInDurableObject(demo(), (_, { storage }) => storage.deleteAlarm())
    await abortAllDurableObjects()
    passes(1)
    await statusOf(qrCode, { token })
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(demo())
      const written = await runInDurableObject(demo(), (_, { storage }) =>
        storage.sql.exec('SELECT status FROM qr_codes WHERE qr_code_uid = ?', qrCode.uid).one(),
      )
      expect(written).toEqual({ status: 'EXPIRED' })
    }, 30_000)
  })

  it('of 10,000 at once is written down for each, once, in bounded batches', async () => {
    const site = env.SITES.getByName('crowd')
    const creations = Array.from({ length: 10_000 }, (_, n) => ({
      caller: { actor: 'merchant', keyId: 'test', scopes: [] } as const,
      spec: { qrCodeUid: `${n}`, type: 'DYNAMIC', ttl: 1, createToken: false } as const,
      link: { base: 'https://qr.nspk.ru', bank: '100000000000', id: `${n}` },
    }))
    await createAll(site, creations)
    passes(1)
    let alarms = 0
    while (await runDurableObjectAlarm(site)) alarms++
    expect(alarms).toBe(20)
    const counts = await runInDurableObject(site, (_, { storage }) =>
      storage.sql
        .exec(`SELECT count(*) AS events, count(DISTINCT qr_code) AS codes,
                 (SELECT count(*) FROM qr_codes WHERE status = 'EXPIRED') AS expired
               FROM events JOIN callers ON callers.number = caller
               WHERE type = 'qrCode.expired' AND status = 'EXPIRED' AND actor = 'clock'`)
        .one(),
    )
    expect(counts).toEqual({ events: 10_000, codes: 10_000, expired: 10_000 })
  })
})

describe('a QR code that does not exist', () => {
  it.each([
    ['GET', ''],
    ['GET', '/image'],
    ['GET', '/events'],
    ['GET', '/payments'],
    ['DELETE', ''],
  ])('%s …/qrCodes/nothing%s: 404', async (method, rest) => {
    const response = await call(`${COLLECTION}/nothing${rest}`, { method, token })
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([404, 'payin.resource.not.found'])
  })

  it('reading a site that nobody wrote to leaves no tables behind', async () => {
    const empty = await tokenOf({ sub: 'empty', ...FAR })
    const at = '/payin/v1/sites/empty/sbp/qrCodes'
    expect((await call(`${at}/nothing`, { token: empty })).status).toBe(404)
    expect((await call(`${at}/nothing`, { method: 'DELETE', token: empty })).status).toBe(404)
    expect((await call('/payin/v1/sites/empty/payments/p', { token: empty })).status).toBe(404)
    expect(await (await call(at, { token: empty })).json()).toEqual({ qrCodes: [] })
    const tables = await runInDurableObject(env.SITES.getByName('empty'), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    )
    expect(tables).toEqual([])
  })
})

describe('races', () => {
  const settle = async (responses: Promise<Response>[]) =>
    (await Promise.all(responses)).map(({ status }) => status)

  it('of 50 payments: all are recorded, and one is applied', async () => {
    const qrCode = await fresh({}, {}, { token })
    const statuses = await settle(Array.from({ length: 50 }, () => report(qrCode, {}, undefined, FAR)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    const payments = await paymentsOf(qrCode, { token })
    expect(payments).toHaveLength(50)
    expect(payments.filter(({ applied }) => applied)).toHaveLength(1)
    expect(payments.filter(({ notAppliedReason }) => notAppliedReason === 'ALREADY_PAYED')).toHaveLength(49)
    const events = await eventsOf(qrCode, { token })
    expect(events.map(({ payment }) => payment?.applied)).toEqual([
      undefined,
      true,
      ...Array.from({ length: 49 }, () => false),
    ])
  })

  it('of 50 equal reports: one is recorded, the others are replays', async () => {
    const qrCode = await fresh({}, {}, { token })
    const uid = crypto.randomUUID()
    const responses = await Promise.all(Array.from({ length: 50 }, () => report(qrCode, {}, uid, FAR)))
    const replayed = responses.filter(({ headers }) => headers.get('Idempotent-Replayed') === 'true')
    expect([new Set(responses.map(({ status }) => status)), replayed.length]).toEqual([new Set([200]), 49])
    expect(await eventsOf(qrCode, { token })).toHaveLength(2)
  })

  it('of 50 pairs of payment and cancellation: the payment always counts, and the history says how', async () => {
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const qrCode = await fresh({}, {}, { token })
        const pay = () => report(qrCode, {}, undefined, FAR)
        const drop = () => cancel(qrCode, { token })
        const both = i % 2 ? [pay(), drop()] : [drop(), pay()]
        const statuses = await settle(both)
        expect(statuses[i % 2 ? 0 : 1]).toBe(200)
        const history = (await eventsOf(qrCode, { token })).map(({ status }) => status)
        const cancelled = statuses[i % 2 ? 1 : 0] === 200
        expect(history).toEqual(cancelled ? ['CREATED', 'CANCELLED', 'PAYED'] : ['CREATED', 'PAYED'])
      }),
    )
  })

  it('of 50 cancellations at the moment of expiry: each is told the state as it is', async () => {
    const qrCodes = await Promise.all(Array.from({ length: 50 }, () => fresh({}, { ttl: 1 }, { token })))
    passes(1)
    const [, ...statuses] = await Promise.all([
      runDurableObjectAlarm(demo()).then(() => 0),
      ...qrCodes.map(async (qrCode) => (await cancel(qrCode, { token })).status),
    ])
    expect(new Set(statuses)).toEqual(new Set([409]))
    for (const qrCode of qrCodes) {
      expect((await eventsOf(qrCode, { token })).map(({ status }) => status)).toEqual(['CREATED', 'EXPIRED'])
    }
  })
})
