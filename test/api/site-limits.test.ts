// The limits that the operator sets for a site (contract, section 16): what is refused, what is not, and when.
import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuditAnswer } from '../../src/contract/audit.ts'
import { SiteAnswer } from '../../src/contract/site.ts'
import { freshSite } from '../support/admin.ts'
import { bankSite, linkOf } from '../support/bank-links.ts'
import { healthOf, operator } from '../support/operator.ts'
import { refundingSite, snapshot } from '../support/refunds.ts'
import { CONNECTOR, call, errorOf, refusalIn, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

/** Noon in UTC, 15:00 by the deployment's offset. */
const NOW = Date.parse('2036-11-20T12:00:00Z')
const HOUR = 3_600_000
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

interface Sums {
  maxPayment?: unknown
  maxRefundsPerDay?: unknown
}
const put = ({ siteId }: { siteId: string }, body: unknown) =>
  operator(`/${siteId}/limits`, { method: 'PUT', body })
/** Sets limits in roubles. */
async function limit(site: { siteId: string }, { maxPayment, maxRefundsPerDay }: Sums) {
  const answer = await put(site, {
    ...(maxPayment !== undefined && { maxPayment: { value: maxPayment } }),
    ...(maxRefundsPerDay !== undefined && { maxRefundsPerDay: { value: maxRefundsPerDay } }),
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  return strict(SiteAnswer).parse(await answer.json())
}
const rouble = (value: string) => ({ value, currency: 'RUB' })
const EXCEEDED = [409, 'site.limit.exceeded']
/** What the limit refuses: the status, the code, and what the cause says of the amount. */
async function exceeded(response: Response) {
  const { errorCode, cause } = await errorOf(response)
  return [response.status, errorCode, cause]
}
/** The key beside the amount names the limit for programs. */
const cause = (text: string, limit: { maxPayment: string[] } | { maxRefundsPerDay: string[] }) => [
  ...EXCEEDED,
  { 'amount.value': [text], ...limit },
]

describe('limits', () => {
  it('are shown, both are replaced, and after a restart they are the same', async () => {
    const site = freshSite()
    await site.make()
    expect(await healthOf(site)).not.toHaveProperty('limits')
    const both = { maxPayment: rouble('15000.00'), maxRefundsPerDay: rouble('30000.50') }
    expect((await limit(site, { maxPayment: 15_000, maxRefundsPerDay: '30000.50' })).limits).toEqual(both)
    await abortAllDurableObjects()
    expect((await healthOf(site)).limits).toEqual(both)
    expect((await limit(site, { maxRefundsPerDay: 1 })).limits).toEqual({ maxRefundsPerDay: rouble('1.00') })
    expect(await limit(site, {})).not.toHaveProperty('limits')
    expect(await healthOf(site)).not.toHaveProperty('limits')
  })

  it.each<[unknown, string[]]>([
    [{ maxPayment: { value: 0 } }, ['maxPayment.value']],
    [{ maxPayment: { value: 1.005 } }, ['maxPayment.value']],
    [{ maxPayment: 5 }, ['maxPayment']],
    [{ maxPayment: { value: 5, currency: 'XXX' } }, ['maxPayment.currency']],
    [{ maxRefundsPerDay: { value: '-1' }, maxPayment: {} }, ['maxPayment.value', 'maxRefundsPerDay.value']],
    [{ maxPayments: { value: 5 } }, ['maxPayments']],
  ])('that are %j are refused, and change nothing', async (body, fields) => {
    const site = freshSite()
    await site.make()
    await limit(site, { maxPayment: 7 })
    const refused = await put(site, body)
    expect(refused.status).toBe(400)
    expect(Object.keys((await errorOf(refused)).cause ?? {}).toSorted()).toEqual(fields)
    expect((await healthOf(site)).limits).toEqual({ maxPayment: rouble('7.00') })
  })

  it('are for the operator alone, and of a site that nobody wrote to they are 404 and make none', async () => {
    const site = freshSite()
    expect((await put(site, {})).status).toBe(404)
    await site.make()
    for (const scope of ['merchant:admin', 'network']) {
      const token = await tokenOf({ sub: site.siteId, scope })
      const path = `/operator/v1/sites/${site.siteId}/limits`
      expect((await call(path, { method: 'PUT', token, body: {} })).status).toBe(403)
    }
  })

  it('are in the audit: what was set, by whom, before and after', async () => {
    const site = freshSite()
    await site.make()
    await limit(site, { maxPayment: 15_000, maxRefundsPerDay: 1 })
    await limit(site, {})
    const token = await tokenOf({ sub: '*', scope: 'operator', jti: 'operator' })
    const page = await call(`/operator/v1/audit?siteId=${site.siteId}`, { token })
    const { rows } = strict(AuditAnswer).parse(await page.json())
    const details = { maxPayment: '15000.00 RUB', maxRefundsPerDay: '1.00 RUB' }
    expect(rows.toReversed().map((row) => [row.act, row.keyId, row.result, row.details])).toEqual([
      ['site.limits', 'operator', 'STARTED', details],
      ['site.limits', 'operator', 'DONE', details],
      ['site.limits', 'operator', 'STARTED', {}],
      ['site.limits', 'operator', 'DONE', {}],
    ])
  })

  it('survive a deletion that is undone', async () => {
    const site = freshSite()
    const week = serviceWith({ settings: { DELETION_DAYS: '7' } })
    await site.make()
    await limit(site, { maxPayment: 1 })
    const body = { siteId: site.siteId, force: true }
    expect((await operator(`/${site.siteId}`, { method: 'DELETE', body }, week)).status).toBe(202)
    expect((await limit(site, { maxPayment: 2 })).limits).toEqual({ maxPayment: rouble('2.00') })
    expect((await operator(`/${site.siteId}/restore`, { method: 'POST' }, week)).status).toBe(200)
    expect((await healthOf(site)).limits).toEqual({ maxPayment: rouble('2.00') })
  })
})

describe('a create', () => {
  it('above the limit is refused, with the limit in its cause, and leaves nothing', async () => {
    const site = freshSite()
    await site.make()
    await limit(site, { maxPayment: '5.00' })
    const before = await site.feed()
    for (const type of ['DYNAMIC', 'STATIC']) {
      const qrCode = type === 'STATIC' ? { type } : { type, ttl: 5 }
      const refused = await site.create({ qrCodeUid: type, amount: { value: '5.01' } }, qrCode)
      expect(await exceeded(refused)).toEqual(
        cause("is 5.01, must be at most 5.00, the operator's limit of a payment", {
          maxPayment: ['is 5.00 RUB'],
        }),
      )
      expect((await site.ask(`/sbp/qrCodes/${type}`)).status).toBe(404)
    }
    expect(await site.feed()).toEqual(before)
    // The uid is free: nothing was created with it.
    expect((await site.create({ qrCodeUid: 'DYNAMIC', amount: { value: 5 } })).status).toBe(200)
  })

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['of the limit', { amount: { value: 5 } }, {}],
    ['without an amount', { amount: undefined }, { type: 'STATIC' }],
    ['that only binds an account', { amount: undefined, tokenizationAccount: 'a' }, { type: 'TOKEN' }],
  ])('%s is accepted', async (_, more, qrCode) => {
    const site = freshSite()
    await site.make()
    await limit(site, { maxPayment: 5 })
    expect(
      (await site.create({ qrCodeUid: 'b', tokenizationPurpose: undefined, ...more }, qrCode)).status,
    ).toBe(200)
  })

  it('in another currency than the limit’s is not limited', async () => {
    const site = freshSite(serviceWith({ settings: { CURRENCIES: 'RUB,KGS' } }))
    await site.make()
    await limit(site, { maxPayment: 5 })
    expect((await site.create({ qrCodeUid: 'b', amount: { value: 6, currency: 'KGS' } })).status).toBe(200)
    expect(await refusalIn(await site.create({ qrCodeUid: 'c', amount: { value: 6 } }))).toEqual(EXCEEDED)
  })

  it('that is repeated after the limit fell is a replay; with other fields it is what it was', async () => {
    const site = freshSite()
    const { answer } = await site.make({ qrCodeUid: 'a', amount: { value: 100 } })
    await limit(site, { maxPayment: 5 })
    const again = await site.create({ qrCodeUid: 'a', amount: { value: 100 } })
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(await again.json()).toEqual(answer)
    const other = await site.create({ qrCodeUid: 'a', amount: { value: 101 } })
    expect(await refusalIn(other)).toEqual([409, 'payin.resource.already.exists'])
    // After a restart the limit is read from the table.
    await abortAllDurableObjects()
    expect((await site.create({ qrCodeUid: 'a', amount: { value: 100 } })).status).toBe(200)
    expect(await refusalIn(await site.create({ qrCodeUid: 'b', amount: { value: 100 } }))).toEqual(EXCEEDED)
  })

  it('stays payable, in full: a payment that is reported is a fact', async () => {
    const site = freshSite()
    const { linkId, qrCodeUid } = await site.make({ amount: { value: 100 } })
    await limit(site, { maxPayment: 5 })
    await site.pay(linkId, { amount: { value: 100 } })
    expect((await site.read(qrCodeUid)).qrCode.status).toBe('PAYED')
    const { qrCodeUid: open, linkId: openLink } = await site.make({ amount: undefined }, { type: 'STATIC' })
    const { paymentUid } = await site.pay(openLink, { amount: { value: 1000 } })
    expect(await site.paymentOf(paymentUid)).toMatchObject({ status: { value: 'COMPLETED' }, applied: true })
    expect((await site.read(open)).qrCode.status).toBe('CREATED')
  })

  it('of a hundred at once beside a falling limit is refused or replayed, never half made', async () => {
    const site = freshSite()
    await site.make()
    const uids = Array.from({ length: 100 }, (_, n) => `race-${n}`)
    const creating = uids.map((qrCodeUid) => site.create({ qrCodeUid, amount: { value: 10 } }))
    const limiting = limit(site, { maxPayment: 5 })
    const statuses = (await Promise.all(creating)).map(({ status }) => status)
    await limiting
    const again = await Promise.all(
      uids.map(async (qrCodeUid) => (await site.create({ qrCodeUid, amount: { value: 10 } })).status),
    )
    expect(again).toEqual(statuses)
    expect(await refusalIn(await site.create({ qrCodeUid: 'late', amount: { value: 10 } }))).toEqual(EXCEEDED)
  })
})

describe('where a bank makes the links', () => {
  it('no bank is asked for a link above the limit; a replay is answered', async () => {
    const site = bankSite()
    const { answer } = await site.make({ qrCodeUid: 'a', amount: { value: 100 } })
    await limit(site, { maxPayment: 5 })
    const asked = site.asked.length
    expect(await refusalIn(await site.create({ qrCodeUid: 'b', amount: { value: 6 } }))).toEqual(EXCEEDED)
    const again = await site.create({ qrCodeUid: 'a', amount: { value: 100 } })
    expect([again.status, await again.json()]).toEqual([200, answer])
    expect(site.asked).toHaveLength(asked)
  })

  it('a link that the bank made while the limit fell has its QR code', async () => {
    let limited: Promise<unknown> = Promise.resolve()
    const site = bankSite(async ({ type, data }) => {
      if (type !== 'qrCode.register') return new Response(null, { status: 204 })
      if (data.key && (await site.feed()).length > 0) limited = limit(site, { maxPayment: 5 })
      await limited
      return Response.json({ payload: linkOf(data.key) })
    })
    await site.make({ qrCodeUid: 'a' })
    expect((await site.create({ qrCodeUid: 'b', amount: { value: 100 } })).status).toBe(200)
    expect(site.askedFor('qrCode.cancel')).toEqual([])
    expect(await refusalIn(await site.create({ qrCodeUid: 'c', amount: { value: 100 } }))).toEqual(EXCEEDED)
  })

  it('no bank is asked to arm a sale above the limit; one that it armed before is a replay', async () => {
    const site = bankSite(({ type, data }) =>
      type === 'qrCode.register' ? Response.json({ payload: linkOf(data.key) }) : Response.json({}),
    )
    const { qrCodeUid } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const arm = (saleUid: string, value: number) =>
      site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`, { method: 'PUT', body: { amount: { value } } })
    expect((await arm('s-1', 100)).status).toBe(200)
    await limit(site, { maxPayment: 5 })
    expect((await arm('s-1', 100)).status).toBe(200)
    expect((await site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/s-1`, { method: 'DELETE' })).status).toBe(200)
    expect(await refusalIn(await arm('s-2', 6))).toEqual(EXCEEDED)
    expect(site.askedFor('sale.activate')).toHaveLength(1)
    expect((await arm('s-3', 5)).status).toBe(200)
  })
})

describe('a sale', () => {
  it('above the limit is refused and leaves the code free; a replay after the limit fell is answered', async () => {
    const site = freshSite()
    const { qrCodeUid } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const arm = (saleUid: string, value: number) =>
      site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`, { method: 'PUT', body: { amount: { value } } })
    await limit(site, { maxPayment: 5 })
    expect(await exceeded(await arm('s-1', 6))).toEqual(
      cause("is 6.00, must be at most 5.00, the operator's limit of a payment", {
        maxPayment: ['is 5.00 RUB'],
      }),
    )
    expect((await arm('s-2', 5)).status).toBe(200)
    await limit(site, { maxPayment: 1 })
    expect((await arm('s-2', 5)).status).toBe(200)
    // What stands is said before what is limited.
    expect(await refusalIn(await arm('s-3', 5))).toEqual([409, 'payin.incorrect-method-invocation'])
  })
})

describe('a refund', () => {
  /** A payment of 5.00, and refunds of it. */
  async function paidSite() {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    return {
      ...site,
      paymentUid,
      of: (refundUid: string, value: number) => site.refund(paymentUid, value, refundUid),
    }
  }

  it('with which those of the day would exceed the limit is refused, and changes nothing', async () => {
    const site = await paidSite()
    await limit(site, { maxRefundsPerDay: 3 })
    expect((await site.of('a', 2)).status).toBe(200)
    const before = await snapshot(site, site.paymentUid)
    const instructions = await site.instructions()
    expect(await exceeded(await site.of('b', 1.01))).toEqual(
      cause(
        "is 1.01, must be at most 1.00, which is left today of the operator's limit of 3.00 for refunds a day",
        { maxRefundsPerDay: ['is 3.00 RUB'] },
      ),
    )
    expect([await snapshot(site, site.paymentUid), await site.instructions()]).toEqual([before, instructions])
    expect((await site.of('b', 1)).status).toBe(200)
    expect(await exceeded(await site.of('c', 0.01))).toEqual(
      cause("is 0.01, but nothing is left today of the operator's limit of 3.00 for refunds a day", {
        maxRefundsPerDay: ['is 3.00 RUB'],
      }),
    )
  })

  it('that is repeated after the limit fell is a replay', async () => {
    const site = await paidSite()
    expect((await site.of('a', 2)).status).toBe(200)
    await limit(site, { maxRefundsPerDay: 1 })
    const again = await site.of('a', 2)
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(await refusalIn(await site.of('a', 1))).toEqual([409, 'payin.resource.already.exists'])
    expect(await refusalIn(await site.of('b', 0.01))).toEqual(EXCEEDED)
  })

  it('counts on the day of the deployment’s offset: the limit begins anew at its midnight', async () => {
    const site = await paidSite()
    await limit(site, { maxRefundsPerDay: 1 })
    // 23:59:59 by +03:00.
    vi.setSystemTime(Date.parse('2036-11-20T20:59:59Z'))
    expect((await site.of('a', 1)).status).toBe(200)
    expect(await refusalIn(await site.of('b', 1))).toEqual(EXCEEDED)
    // The result of a refund counts on the day on which it was requested.
    vi.setSystemTime(Date.parse('2036-11-20T21:00:00Z'))
    await site.reportRefund(site.paymentUid, 'a', { status: 'COMPLETED' })
    expect((await site.of('b', 1)).status).toBe(200)
    expect(await refusalIn(await site.of('c', 0.01))).toEqual(EXCEEDED)
  })

  it('counts on the day of another offset where the deployment has one', async () => {
    const site = await paidSite()
    await limit(site, { maxRefundsPerDay: 1 })
    const east = site.at(serviceWith({ settings: { ...CONNECTOR, UTC_OFFSET: '+05:45' } }))
    // 23:59 of the 20th by +05:45.
    vi.setSystemTime(Date.parse('2036-11-20T18:14:00Z'))
    expect((await east.refund(site.paymentUid, 1, 'a')).status).toBe(200)
    vi.setSystemTime(Date.parse('2036-11-20T18:15:00Z'))
    expect((await east.refund(site.paymentUid, 1, 'b')).status).toBe(200)
    // By +03:00 both are of the 20th.
    expect(await refusalIn(await site.of('c', 0.01))).toEqual(EXCEEDED)
  })

  it('that is declined counts no longer; declined and then completed it counts again', async () => {
    const site = await paidSite()
    await limit(site, { maxRefundsPerDay: 2 })
    expect((await site.of('a', 2)).status).toBe(200)
    await site.reportRefund(site.paymentUid, 'a', { status: 'DECLINED' })
    expect((await site.of('b', 1)).status).toBe(200)
    // The bank carried it out all the same: a fact, above the limit.
    await site.reportRefund(site.paymentUid, 'a', { status: 'COMPLETED' })
    expect(await refusalIn(await site.of('c', 0.01))).toEqual(EXCEEDED)
    vi.setSystemTime(NOW + 12 * HOUR)
    expect((await site.of('c', 0.5)).status).toBe(200)
  })

  it('that the bank made by itself is a fact above the limit, and counts', async () => {
    const site = await paidSite()
    await limit(site, { maxRefundsPerDay: 1 })
    const fact = { status: 'COMPLETED', amount: { value: 3 } }
    expect((await site.reportRefund(site.paymentUid, 'bank', fact)).status).toBe(200)
    expect(await refusalIn(await site.of('a', 0.01))).toEqual(EXCEEDED)
  })

  it('is refused whatever the bank has reported on the day, also more than the integers of SQLite add up', async () => {
    const site = await paidSite()
    await limit(site, { maxRefundsPerDay: 1 })
    await runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec(
        `INSERT INTO turnover (at, currency, accepted)
         SELECT ? - 900 * value, 'RUB', 4611686018427387904 FROM json_each('[1, 2]')`,
        NOW / 1000,
      ),
    )
    expect(await refusalIn(await site.of('a', 0.01))).toEqual(EXCEEDED)
  })

  it('of a hundred at once is accepted as often as the limit allows', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid({ amount: { value: 100 } }, { amount: { value: 100 } })
    await limit(site, { maxRefundsPerDay: 7.5 })
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, n) => site.refund(paymentUid, 1, `race-${n}`)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
  })

  it('by the QR code is limited likewise, in what is left of the payment first', async () => {
    const site = refundingSite()
    const { qrCodeUid } = await site.paid()
    await limit(site, { maxRefundsPerDay: 1 })
    const refund = (uid: string, value: number) =>
      site.ask(`/sbp/qrCodes/${qrCodeUid}/refunds/${uid}`, { method: 'PUT', body: { amount: { value } } })
    expect(await refusalIn(await refund('a', 6))).toEqual([400, 'validation.error'])
    expect(await refusalIn(await refund('a', 2))).toEqual(EXCEEDED)
    expect((await refund('a', 1)).status).toBe(200)
  })
})
