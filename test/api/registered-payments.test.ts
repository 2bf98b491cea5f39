// Payments that the network reports before the site has their QR code, and instructions about links of banks
// (contract, section 14).
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { outboxRows } from '../../src/site/outbox/rows.ts'
import { bankSite, linkOf } from '../support/bank-links.ts'
import { qrCodeIn } from '../support/client.ts'

type BankSite = ReturnType<typeof bankSite>

/** A bank that gives one link. */
const siteWithLink = (qrcId = 'q-1') =>
  bankSite(({ type }) =>
    type === 'qrCode.register'
      ? Response.json({ payload: linkOf(qrcId), qrcId, reference: `bank ${qrcId}` })
      : new Response(null, { status: 204 }),
  )

const instructions = (site: BankSite) =>
  runInDurableObject(site.stub, (_, { storage }) =>
    outboxRows(storage.sql, "WHERE queue <> 'merchant' ORDER BY event"),
  )
const settings = (site: BankSite, body: object) => site.ask('/settings', { method: 'PUT', body })

it('a payment that is faster than the create pays the QR code in the create’s own answer', async () => {
  const site = siteWithLink()
  expect((await site.report('q-1', 'p-1', { networkUid: 'A1' })).status).toBe(200)
  await settings(site, { callbackUrl: 'https://shop.example/paid' })
  const { answer } = await site.make({ qrCodeUid: 'order' })
  expect(answer.qrCode.status).toBe('PAYED')
  expect(answer.payment).toMatchObject({ paymentUid: 'p-1', paymentStatus: 'COMPLETED' })
  expect(await site.paymentOf('p-1')).toMatchObject({ applied: true, qrCodeUid: 'order' })
  expect((await site.feed()).map(({ type, by, payment }) => [type, by.actor, payment?.applied])).toEqual([
    ['payment.completed', 'network', false],
    ['settings.changed', 'merchant', undefined],
    ['qrCode.created', 'merchant', undefined],
    ['payment.completed', 'network', true],
  ])
  const { notifications } = (await (await site.ask('/notifications')).json()) as {
    notifications: { type: string }[]
  }
  expect(notifications).toMatchObject([{ type: 'PAYMENT' }])
  // The same report again, after the create.
  const again = await site.report('q-1', 'p-1', { networkUid: 'A1' })
  expect(again.headers.get('Idempotent-Replayed')).toBe('true')
})

it.each<[string, readonly Record<string, unknown>[], string, readonly [boolean, string | undefined][]]>([
  ['of another amount', [{ amount: { value: 6 } }], 'CREATED', [[false, 'AMOUNT_MISMATCH']]],
  [
    'of another currency',
    [{ amount: { value: 5, currency: 'USD' } }],
    'CREATED',
    [[false, 'AMOUNT_MISMATCH']],
  ],
  ['that was declined', [{ status: 'DECLINED' }], 'DECLINED', [[true, undefined]]],
  [
    'that is the second',
    [{}, {}],
    'PAYED',
    [
      [true, undefined],
      [false, 'ALREADY_PAYED'],
    ],
  ],
  [
    'that follows a declined one',
    [{ status: 'DECLINED' }, {}],
    'PAYED',
    [
      [true, undefined],
      [true, undefined],
    ],
  ],
])('a payment %s is applied at the create by the rules of a report', async (_, reports, status, applied) => {
  const site = siteWithLink()
  for (const [index, report] of reports.entries()) await site.report('q-1', `p-${index}`, report)
  const { answer } = await site.make({ qrCodeUid: 'order' })
  expect(answer.qrCode.status).toBe(status)
  for (const [index, [isApplied, reason]] of applied.entries()) {
    const found = await site.paymentOf(`p-${index}`)
    expect([found.qrCodeUid, found.applied, found.notAppliedReason]).toEqual(['order', isApplied, reason])
  }
})

it.each([
  ['waits', undefined],
  ['was made', { status: 'COMPLETED' }],
])('a payment whose refund %s pays for nothing', async (_, report) => {
  const site = siteWithLink()
  await site.report('q-1', 'p-1')
  expect((await site.refund('p-1', 1, 'r-1')).status).toBe(200)
  if (report) await site.reportRefund('p-1', 'r-1', report)
  const { answer } = await site.make()
  expect(answer.qrCode.status).toBe('CREATED')
  expect(await site.paymentOf('p-1')).toMatchObject({ applied: false, notAppliedReason: 'NOT_PAYABLE' })
})

it('a payment whose refund was declined pays the QR code', async () => {
  const site = siteWithLink()
  await site.report('q-1', 'p-1')
  await site.refund('p-1', 1, 'r-1')
  await site.reportRefund('p-1', 'r-1', { status: 'DECLINED' })
  expect((await site.make()).answer.qrCode.status).toBe('PAYED')
})

it('a payment of another link stays unknown', async () => {
  const site = siteWithLink()
  await site.report('q-2', 'p-2')
  expect((await site.make()).answer.qrCode.status).toBe('CREATED')
  expect(await site.paymentOf('p-2')).toMatchObject({ notAppliedReason: 'UNKNOWN_QR_CODE' })
})

it('of 230 payments the create applies some, and the alarm the rest, each once and in order', async () => {
  const site = siteWithLink()
  for (let n = 0; n < 230; n++) await site.report('q-1', `p-${n}`)
  const { qrCodeUid } = await site.make()
  await vi.waitFor(async () => {
    await runDurableObjectAlarm(site.stub)
    expect(await site.paymentOf('p-229')).toMatchObject({ qrCodeUid })
  }, 30_000)
  const applied = (await site.feed()).filter(
    ({ type, qrCodeUid }) => qrCodeUid && type === 'payment.completed',
  )
  expect(applied.map(({ payment }) => payment?.paymentUid)).toEqual(
    Array.from({ length: 230 }, (_, n) => `p-${n}`),
  )
  expect(applied.filter(({ payment }) => payment?.applied)).toHaveLength(1)
  expect((await site.read(qrCodeUid)).payment?.paymentUid).toBe('p-0')
  // Nothing is left to do.
  const due = await runInDurableObject(site.stub, (_, { storage }) =>
    storage.sql.exec('SELECT 1 FROM site WHERE unapplied_payments IS NOT NULL').toArray(),
  )
  expect(due).toEqual([])
})

it('whatever comes first, the create or its payments, the QR code and the sums end the same', async () => {
  const report = fc.record({
    uid: fc.constantFrom('a', 'b', 'c'),
    status: fc.constantFrom('COMPLETED', 'DECLINED'),
    value: fc.constantFrom(5, 5, 6),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(report, { maxLength: 6 }), fc.nat(6), async (reports, at) => {
      const [early, late] = [siteWithLink(), siteWithLink()]
      await early.make({ qrCodeUid: 'order' })
      for (const [index, { uid, status, value }] of reports.entries()) {
        if (index === at) await late.make({ qrCodeUid: 'order' })
        for (const site of [early, late]) await site.report('q-1', uid, { status, amount: { value } })
      }
      if (at >= reports.length) await late.make({ qrCodeUid: 'order' })
      // Which of two completed payments it takes can differ: one that was declined first is the older row. And what was
      // declined before it was completed leaves no trace.
      const stateOf = async (site: BankSite) => {
        const { qrCode } = await site.read('order')
        const uids = [...new Set(reports.map(({ uid }) => uid))].sort()
        const payments = await Promise.all(uids.map((uid) => site.paymentOf(uid)))
        const completed = payments.filter(({ status }) => status.value === 'COMPLETED')
        return {
          isPaid: qrCode.status === 'PAYED',
          payments: payments.map(({ paymentId, status, amount }) => [paymentId, status.value, amount.value]),
          applied: completed.filter(({ applied }) => applied).map(({ amount }) => amount.value),
          explained: completed.filter(({ notAppliedReason }) => notAppliedReason !== undefined).length,
        }
      }
      expect(await stateOf(late)).toEqual(await stateOf(early))
    }),
    { numRuns: 20 },
  )
})

it('instructions of a refund repeat the reference of the payment, else of the QR code, and the network’s number', async () => {
  const site = siteWithLink()
  await site.make()
  await site.report('q-1', 'p-1', { networkUid: 'A1' })
  await site.report('q-1', 'p-2', { reference: 'of the payment' })
  for (const uid of ['p-1', 'p-2']) await site.refund(uid, 1, `of-${uid}`)
  expect((await instructions(site)).map(({ content }) => content)).toMatchObject([
    { type: 'refund.create', linkId: 'q-1', reference: 'bank q-1', networkUid: 'A1', paymentUid: 'p-1' },
    { type: 'refund.create', linkId: 'q-1', reference: 'of the payment', paymentUid: 'p-2' },
  ])
})

it('a cancelled QR code is cancelled at its bank, once for all, beside its notification', async () => {
  const site = siteWithLink()
  await settings(site, { callbackUrl: 'https://shop.example/paid', notificationTypes: ['QR_CODE'] })
  const { qrCodeUid } = await site.make({}, { ttl: 60 })
  for (let n = 0; n < 2; n++) {
    expect((await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })).status).toBe(200)
  }
  const [queued, ...others] = await instructions(site)
  expect(others).toEqual([])
  expect(queued?.content).toMatchObject({ type: 'qrCode.cancel', linkId: 'q-1', reference: 'bank q-1' })
  const { notifications } = (await (await site.ask('/notifications')).json()) as { notifications: unknown[] }
  expect(notifications).toMatchObject([{ type: 'QR_CODE' }])
  // A payment that was under way is a fact.
  await site.report('q-1', 'p-1')
  expect((await site.read(qrCodeUid)).qrCode.status).toBe('PAYED')
})

it('a link of this service is cancelled nowhere', async () => {
  const site = bankSite(undefined, { LINKS: 'own' })
  const { qrCodeUid } = await site.make()
  await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })
  expect(await instructions(site)).toEqual([])
})

it('a QR code that a charge of a token paid is cancelled at its bank, and one that was scanned is not', async () => {
  let next = 0
  const site = bankSite(({ type }) => {
    const qrcId = `q-${next++}`
    return type === 'qrCode.register' ? Response.json({ payload: linkOf(qrcId), qrcId }) : new Response()
  })
  await site.make({ qrCodeUid: 'bind', amount: undefined, tokenizationAccount: 'me' }, { type: 'TOKEN' })
  await site.bind('q-0', {}, 'b-1')
  const { token } = await site.read('bind')
  await site.make({ qrCodeUid: 'charged' })
  await site.make({ qrCodeUid: 'scanned' })
  const charge = await site.ask('/sbp/qrCodes/charged/payments', {
    body: { token: token?.value, tokenizationAccount: 'me' },
  })
  expect(charge.status).toBe(200)
  const { payment: charged } = await qrCodeIn(charge)
  await site.report('q-1', charged?.paymentUid ?? '')
  await site.report('q-2', 'p-2')
  expect((await instructions(site)).map(({ content }) => content)).toMatchObject([
    { type: 'qrCode.cancel', linkId: 'q-1' },
  ])
})

it('a consent that is faster than the create is the QR code’s: alone, and with a payment', async () => {
  let next = 0
  const site = bankSite(({ type }) => {
    const qrcId = `q-${next++}`
    return type === 'qrCode.register' ? Response.json({ payload: linkOf(qrcId), qrcId }) : new Response()
  })
  await site.bind('q-0', {}, 'b-0')
  await site.make({ qrCodeUid: 'bind', amount: undefined, tokenizationAccount: 'me' }, { type: 'TOKEN' })
  expect((await site.read('bind')).qrCode.status).toBe('ACCEPTED')
  await site.report('q-1', 'p-1', { binding: { bindingUid: 'b-1', status: 'CREATED' } })
  const both = { qrCodeUid: 'both', flags: ['CREATE_TOKEN'], tokenizationAccount: 'me' }
  expect((await site.make(both)).answer.qrCode.status).toBe('PAYED')
  for (const uid of ['bind', 'both']) {
    const { token } = await site.read(uid)
    await site.make({ qrCodeUid: `charge-${uid}` })
    const charge = await site.ask(`/sbp/qrCodes/charge-${uid}/payments`, {
      body: { token: token?.value, tokenizationAccount: 'me' },
    })
    expect([uid, charge.status]).toEqual([uid, 200])
  }
})
