// QR codes that ended without a payment are deleted after RETENTION_DAYS: what goes, what stays, and at which pace.

import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextWake } from '../../../src/site/clock.ts'
import { outboxRows } from '../../../src/site/outbox/rows.ts'
import type { freshSite } from '../../support/admin.ts'
import { bankSite, linkOf } from '../../support/bank-links.ts'
import { operator } from '../../support/operator.ts'
import { refundingSite } from '../../support/refunds.ts'
import { learnt, retain, retentionDeleted } from '../../support/retention.ts'
import { refusalIn } from '../../support/service.ts'
import { rowsReadBy } from '../../support/site.ts'

type Site = ReturnType<typeof freshSite>

const DAY = 86_400_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  retain(null)
})

const inSite = <T>({ stub }: Pick<Site, 'stub'>, work: (sql: SqlStorage) => T) =>
  runInDurableObject(stub, (_, { storage }) => work(storage.sql))
/** Wakes the site at a time, as its alarm does. */
const wake = async ({ stub }: Pick<Site, 'stub'>, after: number) => {
  vi.setSystemTime(Date.now() + after)
  await runInDurableObject(stub, (object) => object.alarm())
}

/** A site of a deployment that keeps QR codes for 30 days, with codes of one minute that have ended, by their uids. */
async function siteWithEnded(...uids: string[]) {
  retain(30)
  const site = refundingSite()
  const links = new Map<string, string>()
  for (const uid of uids) {
    const request = { qrCodeUid: uid, paymentPurpose: 'two cups', redirectUrl: 'https://shop.example/' }
    links.set(uid, (await site.make(request, { ttl: 1 })).linkId)
  }
  await learnt(site, 30)
  await wake(site, 61_000)
  return { ...site, linkOf: (uid: string) => links.get(uid) ?? '' }
}
const EXISTS = { method: 'GET' }

describe('a QR code that expired or was cancelled without a payment', () => {
  it('is deleted that many days after its expiresOn, not before', async () => {
    const site = await siteWithEnded('a')
    await wake(site, 30 * DAY - 2000)
    expect((await site.ask('/sbp/qrCodes/a', EXISTS)).status).toBe(200)
    await wake(site, 2000)
    expect(await refusalIn(await site.ask('/sbp/qrCodes/a'))).toEqual([404, 'payin.resource.not.found'])
  })

  it('that was cancelled early counts from its expiresOn, too', async () => {
    retain(30)
    const site = refundingSite()
    await site.make({ qrCodeUid: 'a' }, { ttl: 1440 })
    await site.ask('/sbp/qrCodes/a', { method: 'DELETE' })
    await learnt(site, 30)
    await wake(site, 30 * DAY)
    expect((await site.ask('/sbp/qrCodes/a')).status).toBe(200)
    await wake(site, DAY)
    expect((await site.ask('/sbp/qrCodes/a')).status).toBe(404)
  })

  it('leaves its uid and its link: neither is used again', async () => {
    const site = await siteWithEnded('a')
    await wake(site, 30 * DAY)
    for (const more of [{}, { paymentPurpose: 'two cups' }])
      expect(await refusalIn(await site.create({ qrCodeUid: 'a', ...more }))).toEqual([
        409,
        'payin.resource.already.exists',
      ])
    expect(await inSite(site, (sql) => sql.exec('SELECT * FROM deleted_qr_codes').one())).toEqual({
      number: 1,
      qr_code_uid: 'a',
      link_id: site.linkOf('a'),
      reference: null,
      created_at: expect.any(Number),
    })
    expect(await inSite(site, (sql) => sql.exec('SELECT * FROM qr_codes').toArray())).toEqual([])
    expect((await site.make({ qrCodeUid: 'b' })).qrCodeUid).toBe('b')
  })

  it('is in no list, and its events are in no feed', async () => {
    const site = await siteWithEnded('a', 'b')
    await site.make({ qrCodeUid: 'c' }, { ttl: 129_600 })
    await wake(site, 30 * DAY)
    const { qrCodes } = await (await site.ask('/sbp/qrCodes')).json<{ qrCodes: { qrCodeUid: string }[] }>()
    expect(qrCodes.map(({ qrCodeUid }) => qrCodeUid)).toEqual(['c'])
    const expired = await (await site.ask('/sbp/qrCodes?status=EXPIRED')).json<{ qrCodes: object[] }>()
    expect(expired.qrCodes).toEqual([])
    expect((await site.feed()).map(({ qrCodeUid }) => qrCodeUid)).toEqual(['c'])
    expect((await (await operator(`/${site.siteId}`)).json<{ qrCodes: object }>()).qrCodes).toEqual({
      CREATED: 1,
    })
  })

  it('takes no late payment: it is recorded with the qrCodeUid, and can be refunded', async () => {
    const site = await siteWithEnded('a')
    await wake(site, 30 * DAY)
    const { paymentUid, status } = await site.pay(site.linkOf('a'))
    expect(status).toBe(200)
    expect(await site.paymentOf(paymentUid)).toMatchObject({
      qrCodeUid: 'a',
      applied: false,
      notAppliedReason: 'NOT_PAYABLE',
    })
    expect((await site.feed()).at(-1)).toMatchObject({ type: 'payment.completed', qrCodeUid: 'a' })
    expect(await (await site.ask('/payments?qrCodeUid=a')).json()).toMatchObject({
      payments: [{ paymentId: paymentUid, qrCodeUid: 'a' }],
    })
    expect((await site.refund(paymentUid, 5)).status).toBe(200)
    expect((await site.report(site.linkOf('a'), paymentUid)).headers.get('Idempotent-Replayed')).toBe('true')
    expect((await site.ask('/sbp/qrCodes/a')).status).toBe(404)
  })

  it('is named by its uid in the notification of a late payment, beside others that went', async () => {
    const site = await siteWithEnded('a', 'b', 'c')
    await wake(site, 30 * DAY)
    const settings = { callbackUrl: 'https://shop.example/', notificationTypes: ['PAYMENT'] }
    await site.ask('/settings', { method: 'PUT', body: settings })
    const answer = await site.report(site.linkOf('b'), 'late')
    expect(await answer.json()).toMatchObject({ paymentId: 'late', qrCodeUid: 'b' })
    const notified = await inSite(site, (sql) => outboxRows(sql, "WHERE queue = 'merchant'"))
    expect(notified.map(({ content }) => content)).toMatchObject([{ type: 'PAYMENT', qrCodeUid: 'b' }])
  })

  it('leaves the bank’s reference of its link: a late payment is refunded by it', async () => {
    retain(30)
    const site = bankSite()
    await site.make({ qrCodeUid: 'a' }, { ttl: 1 })
    await learnt(site, 30)
    await wake(site, 61_000)
    await wake(site, 30 * DAY)
    expect(await refusalIn(await site.ask('/sbp/qrCodes/a'))).toEqual([404, 'payin.resource.not.found'])
    expect(await refusalIn(await site.create({ qrCodeUid: 'a' }))).toEqual([
      409,
      'payin.resource.already.exists',
    ])
    const qrcId = String(site.asked[0]?.data.key)
    const { paymentUid } = await site.pay(qrcId)
    expect((await site.refund(paymentUid, 5)).status).toBe(200)
    const [instruction] = await inSite(site, (sql) => outboxRows(sql, "WHERE queue <> 'merchant'"))
    expect(instruction?.content).toMatchObject({ reference: `bank ${qrcId}` })
  })

  it('keeps the bank’s link: a code to which the bank gives it again is not made', async () => {
    retain(30)
    const site = bankSite((message) =>
      message.type === 'qrCode.register'
        ? Response.json({ payload: linkOf('the-same'), qrcId: 'the-same' })
        : new Response(null, { status: 204 }),
    )
    await site.make({ qrCodeUid: 'a' }, { ttl: 1 })
    await learnt(site, 30)
    await wake(site, 61_000)
    await wake(site, 30 * DAY)
    expect(await refusalIn(await site.create({ qrCodeUid: 'b' }))).toEqual([503, 'network.unavailable'])
    expect(await refusalIn(await site.ask('/sbp/qrCodes/b'))).toEqual([404, 'payin.resource.not.found'])
  })

  it('stays where the deployment says so, and where it says nothing', async () => {
    retain(null)
    const site = refundingSite()
    await site.make({ qrCodeUid: 'a' }, { ttl: 1 })
    await wake(site, 61_000)
    await wake(site, 4000 * DAY)
    expect((await site.ask('/sbp/qrCodes/a')).status).toBe(200)
  })
})

describe('what stays', () => {
  it.each(['STATIC', 'COUNTER'])(
    'is a %s code, also one that was cancelled without a payment, beside one that goes',
    async (type) => {
      const site = await siteWithEnded('goes')
      const amount = type === 'COUNTER' ? undefined : { value: 5 }
      for (const qrCodeUid of ['open', 'cancelled']) await site.make({ qrCodeUid, amount }, { type })
      expect((await site.ask('/sbp/qrCodes/cancelled', { method: 'DELETE' })).status).toBe(200)
      await wake(site, 4000 * DAY)
      await wake(site, 4000 * DAY)
      for (const [uid, status] of [
        ['goes', 404],
        ['open', 200],
        ['cancelled', 200],
      ])
        expect([uid, (await site.ask(`/sbp/qrCodes/${uid}`)).status]).toEqual([uid, status])
    },
  )

  it('is a code with any payment, applied or not, or with a token, beside one that goes', async () => {
    retain(30)
    const site = refundingSite()
    await site.paid({}, { qrCodeUid: 'paid' })
    const declined = await site.make({ qrCodeUid: 'declined' }, { ttl: 1 })
    await site.report(declined.linkId, 'declined', { status: 'DECLINED' })
    const mismatch = await site.make({ qrCodeUid: 'mismatch' }, { ttl: 1 })
    await site.pay(mismatch.linkId, { amount: { value: 1 } })
    const rejected = await site.make({ qrCodeUid: 'rejected', amount: undefined }, { type: 'TOKEN', ttl: 1 })
    await site.bind(rejected.linkId, { status: 'REJECTED' })
    await site.make({ qrCodeUid: 'goes' }, { ttl: 1 })
    await learnt(site, 30)
    await wake(site, 61_000)
    const late = await site.make({ qrCodeUid: 'late', amount: undefined }, { type: 'TOKEN', ttl: 1 })
    await wake(site, 61_000)
    await site.bind(late.linkId)
    await wake(site, 400 * DAY)
    for (const uid of ['paid', 'declined', 'mismatch', 'rejected', 'late'])
      expect([uid, (await site.ask(`/sbp/qrCodes/${uid}`)).status]).toEqual([uid, 200])
    expect((await site.ask('/sbp/qrCodes/goes')).status).toBe(404)
  })

  it('is a code whose notification is kept, until that is deleted', async () => {
    retain(30)
    const site = refundingSite()
    const settings = { callbackUrl: 'https://shop.example/', notificationTypes: ['QR_CODE'] }
    await site.ask('/settings', { method: 'PUT', body: settings })
    await site.make({ qrCodeUid: 'a' }, { ttl: 1 })
    await learnt(site, 30)
    await wake(site, 61_000)
    await wake(site, 31 * DAY)
    expect((await site.ask('/sbp/qrCodes/a')).status).toBe(200)
    await inSite(site, (sql) => sql.exec('DELETE FROM outbox'))
    await wake(site, DAY)
    expect((await site.ask('/sbp/qrCodes/a')).status).toBe(404)
  })
})

describe('numbers', () => {
  it('of events are never used again, also after the object has started anew', async () => {
    const site = await siteWithEnded('a')
    await wake(site, 30 * DAY)
    await evictDurableObject(site.stub)
    await site.make({ qrCodeUid: 'b' })
    expect((await site.feed()).map(({ id }) => id)).toEqual([3])
  })

  it('of the feed go on: a cursor from before the deletion misses nothing, and is not gone', async () => {
    const site = await siteWithEnded('a')
    const { nextCursor } = await (await site.ask('/events')).json<{ nextCursor: string }>()
    await wake(site, 30 * DAY)
    const read = async () =>
      (await site.ask(`/events?after=${nextCursor}`)).json<{ events: { id: number }[] }>()
    expect((await read()).events).toEqual([])
    await site.make({ qrCodeUid: 'b' })
    expect((await read()).events.map(({ id }) => id)).toEqual([3])
  })

  it('of QR codes are never used again', async () => {
    const site = await siteWithEnded('a', 'b')
    await wake(site, 30 * DAY)
    await evictDurableObject(site.stub)
    await site.make({ qrCodeUid: 'c' })
    const numbers = await inSite(site, (sql) =>
      sql
        .exec('SELECT number FROM deleted_qr_codes UNION ALL SELECT number FROM qr_codes ORDER BY number')
        .toArray(),
    )
    expect(numbers).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
  })

  it('of deleted QR codes count on the day of their creation', async () => {
    const first = Date.now()
    const site = await siteWithEnded('a', 'b')
    const createdOn = async (time: number) => {
      const date = new Date(time + 3 * 3_600_000).toISOString().slice(0, 10)
      return (await (await site.ask(`/reports/day?date=${date}`)).json<{ created: number }>()).created
    }
    await wake(site, 30 * DAY)
    expect([await createdOn(first), await createdOn(Date.now())]).toEqual([2, 0])
    await site.make({ qrCodeUid: 'c' })
    expect([await createdOn(first), await createdOn(Date.now())]).toEqual([2, 1])
  })

  it('leave the creation of the site as it was', async () => {
    const site = await siteWithEnded('a')
    const createdOn = async () =>
      (await (await operator(`/${site.siteId}`)).json<{ createdOn: string }>()).createdOn
    const before = await createdOn()
    await wake(site, 30 * DAY)
    expect(await createdOn()).toBe(before)
  })
})

describe('the pace', () => {
  /** Codes that have expired, with the events of their lives. */
  const insert = (count: number) => (sql: SqlStorage) => {
    sql.exec(
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i <= ?)
       INSERT INTO qr_codes (number, qr_code_uid, type, ttl, create_token, link_base, link_id, status, version, created_at)
       SELECT i, 'n' || i, 'DYNAMIC', 1, 0, 1, 'l' || i, 'EXPIRED', 1, (SELECT created_at FROM qr_codes WHERE number = 1) FROM n`,
      count,
    )
    sql.exec(`INSERT INTO events (number, type, at, caller, qr_code, status)
      SELECT number + 1, 'qrCode.created', 1, 1, number, 'CREATED' FROM qr_codes WHERE number > 1`)
  }

  it('is at most 50 codes a write, with a pause between, until all are deleted', async () => {
    const site = await siteWithEnded('first')
    await inSite(site, insert(124))
    const left = () => inSite(site, (sql) => sql.exec('SELECT count(*) AS n FROM qr_codes').one().n)
    const counts = []
    await wake(site, 30 * DAY)
    for (let i = 0; i < 3; i++) {
      counts.push(await left())
      const alarm = await runInDurableObject(site.stub, (_, { storage }) => storage.getAlarm())
      if (i < 2) expect((alarm ?? 0) - Date.now()).toBe(100)
      await wake(site, 100)
    }
    expect(counts).toEqual([75, 25, 0])
    expect(await inSite(site, nextWake)).toBeUndefined()
  })

  it('costs the rows of its sweep, and the next wake a few, however many codes there are', async () => {
    const site = await siteWithEnded('first')
    await inSite(site, insert(3000))
    await inSite(site, (sql) => {
      const { rowsRead } = rowsReadBy(sql, (counted) => nextWake(counted))
      expect(rowsRead).toBeLessThan(20)
    })
    await wake(site, 30 * DAY)
    await inSite(site, (sql) => {
      const { rowsRead } = rowsReadBy(sql, (counted) => retentionDeleted(counted, Date.now() + 1000))
      expect(rowsRead).toBeLessThan(1700)
    })
  })

  it('of codes that must stay is one pass a day, not a loop', async () => {
    retain(30)
    const site = refundingSite()
    const { linkId } = await site.make({ qrCodeUid: 'a' }, { ttl: 1 })
    await site.pay(linkId, { amount: { value: 1 } })
    await learnt(site, 30)
    await wake(site, 61_000)
    await wake(site, 30 * DAY)
    const alarm = await runInDurableObject(site.stub, (_, { storage }) => storage.getAlarm())
    expect((alarm ?? 0) - Date.now()).toBe(DAY)
  })
})
