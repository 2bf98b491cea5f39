// Reports of payments: what is recorded, what is a replay and what differs from the first report.
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../../src/gateway/site-client.ts'
import type { NewReport } from '../../../src/site/payments/reports.ts'
import type { Creation } from '../../../src/site/qr-codes/creations.ts'
import type { ReportKey } from '../../../src/site/qr-codes/report-target.ts'
import { cancel, fresh, report } from '../../support/qr-codes.ts'
import { call, errorOf } from '../../support/service.ts'
import { createAll, creation, MERCHANT, NETWORK, ORIGIN } from '../../support/site.ts'

describe('a paymentUid that was reported before', () => {
  const first: NewReport = {
    paymentUid: 'p',
    status: 'COMPLETED',
    amount: { minorUnits: 500, currency: 'RUB' },
  }
  const KEY: ReportKey = { linkId: creation('a').link.id }
  const origin = { network: 'external', currencies: ['RUB', 'USD'] } as const

  it.each<[string, Partial<NewReport>, ReportKey, string[]]>([
    ['amount', { amount: { minorUnits: 499, currency: 'RUB' } }, KEY, ['amount.value']],
    ['currency', { amount: { minorUnits: 500, currency: 'USD' } }, KEY, ['amount.currency']],
    ['status', { status: 'DECLINED' }, KEY, ['status']],
    ['QR code', {}, { linkId: creation('b').link.id }, ['qrcId']],
    [
      'QR code, status, amount and currency',
      { status: 'DECLINED', amount: { minorUnits: 1, currency: 'EUR' } },
      { linkId: creation('b').link.id },
      ['qrcId', 'status', 'amount.value', 'amount.currency'],
    ],
  ])('with another %s is refused by name, and changes nothing', async (_, more, key, fields) => {
    const site = env.SITES.getByName(crypto.randomUUID())
    await createAll(site, [creation('a'), creation('b')])
    expect(await site.report(NETWORK, KEY, first, origin)).toMatchObject({ value: { isReplayed: false } })
    const before = await site.feed(MERCHANT, { limit: 100 })
    const outcome = await site.report(NETWORK, key, { ...first, ...more }, origin)
    expect(outcome).toMatchObject({ ok: false, code: 'payin.resource.already.exists' })
    expect(outcome.ok ? {} : outcome.fields).toEqual(
      Object.fromEntries(
        fields.map((field) => [field, ['differs from the first report of this paymentUid']]),
      ),
    )
    expect(await site.feed(MERCHANT, { limit: 100 })).toEqual(before)
    expect(await site.report(NETWORK, KEY, first, origin)).toMatchObject({ value: { isReplayed: true } })
  })
})

it('a declined QR code that is cancelled still shows the attempt, with amount and time', async () => {
  const qrCode = await fresh()
  const time = '2026-11-20T20:10:32+03:00'
  await report(qrCode, { status: 'DECLINED', dateTime: time }, 'declined-1')
  const payment = {
    paymentUid: 'declined-1',
    paymentStatus: 'DECLINED',
    amount: { value: '5.00', currency: 'RUB' },
    dateTime: time,
  }
  const cancelled = await cancel(qrCode)
  expect(await cancelled.json()).toMatchObject({ qrCode: { status: 'CANCELLED' }, payment })
  expect(await (await call(qrCode.path)).json()).toMatchObject({ qrCode: { status: 'CANCELLED' }, payment })
  expect(await (await cancel(qrCode)).json()).toMatchObject({ payment })
})

it('a report repeated in another currency is refused over HTTP, and names the field', async () => {
  const qrCode = await fresh()
  expect((await report(qrCode, {}, 'currency-1')).status).toBe(200)
  const response = await report(qrCode, { amount: { value: 5, currency: 'USD' } }, 'currency-1')
  expect(response.status).toBe(409)
  expect((await errorOf(response)).cause).toEqual({
    'amount.currency': ['differs from the first report of this paymentUid'],
  })
})

it.each<[string, ReportKey, Partial<NewReport>[]]>([
  ['applied', { qrCodeUid: 'a' }, [{}]],
  [
    'declined, then completed',
    { qrCodeUid: 'a' },
    [{ status: 'DECLINED', reason: 'why', at: 1000 }, { payer: { phone: '1' } }],
  ],
  ['not applied', { qrCodeUid: 'a' }, [{ amount: { minorUnits: 1, currency: 'RUB' } }]],
  ['of an unknown QR code', { linkId: 'unknown', isKept: true }, [{ networkUid: 'n' }, {}]],
])('a payment is answered as it is stored: %s', async (_, key, reports) => {
  const site = env.SITES.getByName(crypto.randomUUID())
  await createAll(
    site,
    ['a', 'b'].map((uid) => creation(uid, { amount: { minorUnits: 500, currency: 'RUB' } })),
  )
  for (const more of reports) {
    const report: NewReport = {
      paymentUid: 'p',
      status: 'COMPLETED',
      amount: { minorUnits: 500, currency: 'RUB' },
      ...more,
    }
    const { payment } = unwrap(await site.report(NETWORK, key, report, ORIGIN))
    expect(payment).toEqual(unwrap(await site.payment(MERCHANT, 'p')))
  }
})

describe('the QR code is answered as it is read', () => {
  const amount = { minorUnits: 500, currency: 'RUB' }
  const newToken = { value: 'value', hash: 'hash', days: 1 }
  const binding = { bindingUid: 'b', status: 'CREATED', newToken } as const
  const bound = creation('a', { amount, createToken: true, tokenizationAccount: 'customer' })

  it.each<[string, Creation, Partial<NewReport>[]]>([
    ['applied', creation('a', { amount }), [{}]],
    ['the same again', creation('a', { amount }), [{}, {}]],
    ['not applied', creation('a', { amount }), [{}, { paymentUid: 'q' }]],
    ['one of many', creation('a', { type: 'STATIC', ttl: undefined, amount }), [{}, { paymentUid: 'q' }]],
    ['the same again, with a token', bound, [{}, { binding }]],
    ['not applied, with a token', bound, [{}, { paymentUid: 'q', binding }]],
    [
      'declined, then completed and not applied',
      creation('a', { amount }),
      [{ status: 'DECLINED' }, { amount: { minorUnits: 400, currency: 'RUB' } }],
    ],
  ])('%s', async (_, created, reports) => {
    const site = env.SITES.getByName(crypto.randomUUID())
    await createAll(site, [created])
    for (const more of reports) {
      const report: NewReport = { paymentUid: 'p', status: 'COMPLETED', amount, ...more }
      const { qrCode } = unwrap(await site.report(NETWORK, { qrCodeUid: 'a' }, report, ORIGIN))
      expect(qrCode).toEqual(unwrap(await site.read(MERCHANT, { qrCodeUid: 'a' })))
    }
  })
})

it('each report has one event, also where a declined payment is completed and not applied', async () => {
  const site = env.SITES.getByName(crypto.randomUUID())
  const amount = { minorUnits: 500, currency: 'RUB' }
  const other = { minorUnits: 400, currency: 'RUB' }
  await createAll(site, [creation('a', { amount })])
  for (const report of [
    { paymentUid: 'p', status: 'DECLINED', amount },
    { paymentUid: 'p', status: 'COMPLETED', amount: other },
    { paymentUid: 'q', status: 'COMPLETED', amount },
  ] as const) {
    unwrap(await site.report(NETWORK, { qrCodeUid: 'a' }, report, ORIGIN))
  }
  const { value } = unwrap(await site.feed(MERCHANT, { limit: 10 }))
  expect(value.events.map(({ type, payment }) => [type, payment?.paymentUid, payment?.applied])).toEqual([
    ['qrCode.created', undefined, undefined],
    ['payment.declined', 'p', true],
    ['payment.completed', 'p', false],
    ['payment.completed', 'q', true],
  ])
})

it.each<[string, Partial<NewReport>, boolean]>([
  ['declined attempt', { status: 'DECLINED' }, true],
  ['completed payment', {}, false],
  ['payment of another amount', { amount: { minorUnits: 400, currency: 'RUB' } }, false],
])(
  'after the report of a %s, whose link is cancelled, the QR code has no link: %s',
  async (_, more, isForgotten) => {
    const site = env.SITES.getByName(crypto.randomUUID())
    const amount = { minorUnits: 500, currency: 'RUB' }
    const payload = 'https://bank.example/q'
    await createAll(site, [
      { ...creation('a', { amount }), registered: { payload, qrcId: 'q', currencies: ['RUB'] } },
    ])
    const report: NewReport = { paymentUid: 'p', status: 'COMPLETED', amount, linkCancelled: true, ...more }
    const { qrCode } = unwrap(await site.report(NETWORK, { qrCodeUid: 'a' }, report, ORIGIN))
    expect(qrCode?.payload).toBe(isForgotten ? '' : payload)
  },
)
