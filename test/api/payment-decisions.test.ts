// What a merchant decides about payments that no QR code took (contract, section 8).
import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { PaymentAnswer, PaymentsAnswer } from '../../src/contract/payment.ts'
import { callbackUrl, configure, logOf, merchantServer } from '../support/merchant.ts'
import { type RefundingSite, refundingSite, refusal, SECONDS } from '../support/refunds.ts'
import { strict } from '../support/strict.ts'

const DELIVERED = { value: 'DELIVERED' }
const OPEN = { value: 'OPEN' }

const decide = (site: RefundingSite, paymentUid: string, body: unknown, claims = {}) =>
  site.ask(`/payments/${paymentUid}/decision`, { method: 'PUT', body, claims })

/** A payment of 7.00, which the QR code does not take. */
async function notApplied() {
  const site = refundingSite()
  const { linkId, paymentUid: applied, qrCodeUid } = await site.paid()
  const paymentUid = await site.payAgain(linkId, 7)
  const open = async () =>
    strict(PaymentsAnswer)
      .parse(await (await site.ask('/payments?decision=OPEN')).json())
      .payments.map(({ paymentId }) => paymentId)
  return { site, linkId, applied, qrCodeUid, paymentUid, open }
}

/** The answer, and whether it was a replay. */
async function decided(site: RefundingSite, paymentUid: string, body: unknown) {
  const response = await decide(site, paymentUid, body)
  expect(response.status).toBe(200)
  const { decision } = strict(PaymentAnswer).parse(await response.json())
  return { decision, isReplayed: response.headers.get('Idempotent-Replayed') === 'true' }
}

describe('a payment that is not applied', () => {
  it('is marked as delivered with a note, and opened again; each is one event with who and why', async () => {
    const { site, paymentUid, qrCodeUid, open } = await notApplied()
    expect(await open()).toEqual([paymentUid])
    const before = await site.paymentOf(paymentUid)
    const decision = { value: 'DELIVERED', note: 'receipt 118', changedDateTime: SECONDS }
    expect(await decided(site, paymentUid, { ...DELIVERED, note: 'receipt 118' })).toEqual({
      decision,
      isReplayed: false,
    })
    expect([await site.paymentOf(paymentUid), await open()]).toEqual([{ ...before, decision }, []])
    expect(await decided(site, paymentUid, { ...OPEN, note: 'another order' })).toEqual({ isReplayed: false })
    expect([await site.paymentOf(paymentUid), await open()]).toEqual([before, [paymentUid]])
    const made = (await site.feed()).filter(({ type }) => type === 'payment.decided')
    expect(made).toEqual(
      [
        { value: 'DELIVERED', note: 'receipt 118' },
        { value: 'OPEN', note: 'another order' },
      ].map((each) => ({
        ...{ id: expect.any(Number), type: 'payment.decided', dateTime: SECONDS },
        ...{ by: { actor: 'merchant', keyId: 'admin' }, qrCodeUid, status: 'PAYED' },
        payment: {
          ...{ paymentUid, status: 'COMPLETED', applied: false, decision: each },
          amount: { value: '7.00', currency: 'RUB' },
        },
      })),
    )
  })

  it('that gets the same decision again is unchanged, without an event; another note is a change', async () => {
    const { site, paymentUid } = await notApplied()
    const events = async () => (await site.feed()).length
    const before = await events()
    expect(await decided(site, paymentUid, { ...OPEN, note: 'nothing to undo' })).toEqual({
      isReplayed: true,
    })
    expect(await events()).toBe(before)
    const steps = [DELIVERED, DELIVERED, { ...DELIVERED, note: 'a' }, { ...DELIVERED, note: 'a' }, DELIVERED]
    const replayed = []
    for (const body of steps) replayed.push((await decided(site, paymentUid, body)).isReplayed)
    expect(replayed).toEqual([false, true, false, true, false])
    expect(await events()).toBe(before + 3)
  })

  it('of a code that the site does not have is decided about too', async () => {
    const { site, open } = await notApplied()
    const { paymentUid } = await site.pay('unknown-link')
    expect(await open()).toContain(paymentUid)
    await decided(site, paymentUid, DELIVERED)
    expect(await open()).not.toContain(paymentUid)
  })

  it('can be refunded after it was delivered, and needs no decision once all of it is returned', async () => {
    const { site, paymentUid, open } = await notApplied()
    const refund = async (value: number, uid: string) => {
      expect((await site.refund(paymentUid, value, uid)).status).toBe(200)
      await site.reportRefund(paymentUid, uid, { status: 'COMPLETED' })
    }
    await decided(site, paymentUid, DELIVERED)
    await refund(3, 'a')
    await decided(site, paymentUid, OPEN)
    expect(await open()).toEqual([paymentUid])
    await refund(4, 'b')
    expect(await open()).toEqual([])
  })

  it('makes no notification when it is decided about', async () => {
    merchantServer()
    const { site, paymentUid } = await notApplied()
    await configure(site, { callbackUrl: callbackUrl() })
    await decided(site, paymentUid, DELIVERED)
    expect((await logOf(site)).notifications).toEqual([])
  })
})

describe('a decision is refused', () => {
  it('of a payment that is applied, declined or unknown', async () => {
    const { site, applied, paymentUid } = await notApplied()
    const { paymentUid: declined } = await site.pay((await site.make()).linkId, { status: 'DECLINED' })
    for (const body of [DELIVERED, OPEN]) {
      for (const uid of [applied, declined])
        expect(await refusal(site, uid, () => decide(site, uid, body))).toMatchObject({
          status: 409,
          errorCode: 'payin.incorrect-method-invocation',
        })
      expect(await refusal(site, paymentUid, () => decide(site, 'unknown', body))).toMatchObject({
        status: 404,
        errorCode: 'payin.resource.not.found',
      })
    }
  })

  it.each([
    [{}, 'value'],
    [{ value: 'REFUNDED' }, 'value'],
    [{ ...DELIVERED, note: 'я'.repeat(256) }, 'note'],
    [{ ...DELIVERED, comment: 'x' }, 'comment'],
  ])('with the body %j', async (body, field) => {
    const { site, paymentUid } = await notApplied()
    const { status, cause } = await refusal(site, paymentUid, () => decide(site, paymentUid, body))
    expect([status, Object.keys(cause ?? {})]).toEqual([400, [field]])
  })

  it('to a key that only reads', async () => {
    const { site, paymentUid } = await notApplied()
    const ask = () => decide(site, paymentUid, DELIVERED, { scope: 'merchant:read' })
    expect(await refusal(site, paymentUid, ask)).toMatchObject({ status: 403 })
  })
})

describe('the payments that need a decision', () => {
  it('are those that are completed, not applied, open and not returned in full, in pages', async () => {
    const { site, linkId } = await notApplied()
    await site.pay((await site.make()).linkId, { status: 'DECLINED' })
    const more = []
    for (const value of [1, 2, 3, 4]) more.push(await site.payAgain(linkId, value))
    const [delivered = '', returned = '', partly = ''] = more
    await decided(site, delivered, DELIVERED)
    for (const [uid, value] of [
      [returned, 2],
      [partly, 1],
    ] as const) {
      await site.refund(uid, value, 'r')
      await site.reportRefund(uid, 'r', { status: 'COMPLETED' })
    }
    const listed = []
    for (let cursor = ''; ; ) {
      const page = PaymentsAnswer.parse(
        await (await site.ask(`/payments?decision=OPEN&limit=1${cursor}`)).json(),
      )
      listed.push(...page.payments.map(({ amount }) => amount.value))
      if (!page.nextCursor) break
      cursor = `&cursor=${page.nextCursor}`
    }
    expect(listed).toEqual(['4.00', '3.00', '7.00'])
  })

  it.each([
    ['decision=DELIVERED', 'decision'],
    ['decision=OPEN&qrCodeUid=a', 'decision'],
    ['decision=OPEN&refundId=a', 'decision'],
  ])('with %s are refused', async (query, field) => {
    const response = await refundingSite().ask(`/payments?${query}`)
    const { cause } = await response.json<{ cause: Record<string, unknown> }>()
    expect([response.status, Object.keys(cause)]).toEqual([400, [field]])
  })

  it.each(['status=DECLINED', 'status=WAITING'])('with %s are none', async (query) => {
    const { site } = await notApplied()
    expect(await (await site.ask(`/payments?decision=OPEN&${query}`)).json()).toEqual({ payments: [] })
  })
})

it('a report that comes again leaves the decision as it is', async () => {
  const { site, linkId, paymentUid } = await notApplied()
  await decided(site, paymentUid, { ...DELIVERED, note: 'n' })
  const before = await site.paymentOf(paymentUid)
  await site.pay(linkId, { amount: { value: 7 } }, paymentUid)
  expect(await site.paymentOf(paymentUid)).toEqual(before)
})

it('a site with the tables of 0.3.0 lists what needs a decision, and keeps the decision', async () => {
  const { site, paymentUid, open } = await notApplied()
  await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
    sql.exec(`DROP INDEX payments_by_token; DROP TABLE callback_keys; DROP TABLE callbacks;
      ALTER TABLE tokens DROP COLUMN ended_by; ALTER TABLE qr_codes DROP COLUMN callback_url;
      ALTER TABLE payments DROP COLUMN decision; ALTER TABLE payments DROP COLUMN decision_note;
      ALTER TABLE payments DROP COLUMN decided_at; ALTER TABLE callers DROP COLUMN person;
      ALTER TABLE api_keys DROP COLUMN person; ALTER TABLE api_keys DROP COLUMN tills;
      ALTER TABLE events DROP COLUMN subject; ALTER TABLE sessions DROP COLUMN tills;
      ALTER TABLE sales DROP COLUMN caller; DROP TABLE used_challenges; DROP TABLE person_sessions;
      DROP TABLE passkeys; DROP TABLE people; DROP TABLE receipts; DROP TABLE receipt_terms; DROP TABLE contacts;
      DROP TABLE contact_texts; ALTER TABLE payments DROP COLUMN receipt; ALTER TABLE payments DROP COLUMN method;
      ALTER TABLE payments DROP COLUMN bank; ALTER TABLE payments DROP COLUMN bank_order;
      ALTER TABLE refunds DROP COLUMN bank_number; ALTER TABLE refunds DROP COLUMN completed_event;
      ALTER TABLE qr_codes DROP COLUMN created_event; ALTER TABLE qr_codes DROP COLUMN ended_event;
      DROP INDEX events_by_qr_code; DROP INDEX payments_by_qr_code; ALTER TABLE events DROP COLUMN named;
      ALTER TABLE payments DROP COLUMN named; CREATE INDEX events_by_qr_code ON events (qr_code);
      CREATE INDEX payments_by_qr_code ON payments (ifnull(qr_code, link_id));
      ALTER TABLE qr_codes DROP COLUMN receipt;
      ALTER TABLE qr_codes DROP COLUMN receipt_terms; ALTER TABLE sales DROP COLUMN receipt;
      ALTER TABLE sales DROP COLUMN receipt_terms; ALTER TABLE refunds DROP COLUMN items;
      ALTER TABLE site DROP COLUMN cash_register; ALTER TABLE site DROP COLUMN has_settlements; UPDATE site SET schema_version = 1`)
  })
  await abortAllDurableObjects()
  expect(await open()).toEqual([paymentUid])
  await decided(site, paymentUid, DELIVERED)
  expect(await open()).toEqual([])
})
