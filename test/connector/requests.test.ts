// Every request to a bank is valid by the bank's published document.
import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import * as z from 'zod'
import type { BankCall, FakeBank } from '../support/banks/fake-bank.ts'
import {
  NewActivation,
  NewCashboxCode,
  NewCharge,
  NewCode,
  NewRefund,
} from '../support/banks/tochka-pay/bodies.ts'
import {
  boundBy,
  charge,
  PRICE,
  RAIFFEISEN as RAIFFEISEN_BOUND,
  registerToken,
  TBANK as TBANK_BOUND,
  TOCHKA_PAY,
} from './bound.ts'
import { COUNTER } from './cashbox.ts'
import { RAIFFEISEN, type RequestRule, TBANK, TOCHKA } from './fixtures/requests.ts'
import { FAKES, HOUR, MINUTE, refund, register, type Surroundings, start, surroundings } from './harness.ts'

const ajv = new Ajv({ allErrors: true, formats: { uri: (text: string) => URL.canParse(text) } })

/** Why the request breaks the document; empty where it does not. */
function violations(rules: RequestRule[], { method, path, body, query }: BankCall): string[] {
  const rule = rules.find((each) => each.method === method && each.path.test(path))
  if (!rule) return [`${method} ${path} is not documented`]
  const schemas: [string, object, unknown][] = [
    ['body', rule.body, body ?? null],
    ['query', rule.query ?? { type: 'object', maxProperties: 0 }, query],
  ]
  return schemas.flatMap(([name, schema, value]) => {
    const validate = ajv.compile(schema)
    return validate(value) ? [] : [`${method} ${path} ${name}: ${ajv.errorsText(validate.errors)}`]
  })
}

/** What the document of Pay Gateway demands of a body; other calls have none. */
const PAY_BODIES = new Map<string, z.ZodType>(
  Object.entries({
    ...{ register: NewCode, register_cashbox: NewCashboxCode, activate: NewActivation },
    ...{ charge: NewCharge, refund: NewRefund },
  }).map(([operation, data]) => [operation, z.strictObject({ Data: data })]),
)
const NO_QUERY = z.strictObject({})

/** The same of a request to Pay Gateway. */
function payViolations({ operation, path, query, body }: BankCall): string[] {
  const checked = [(PAY_BODIES.get(operation) ?? z.undefined()).safeParse(body), NO_QUERY.safeParse(query)]
  const faults = checked.flatMap(({ error }) => error?.issues ?? [])
  return [
    ...(operation === 'unknown' ? [`${path} is not documented`] : []),
    ...faults.map((fault) => `${path} ${fault.path.join('.')}: ${fault.message}`),
  ]
}

/** Everything that a connector does with a bank. */
async function everything(at: Surroundings): Promise<void> {
  const { connector, later, core } = await start(at)
  const purposes = [undefined, 'Ж'.repeat(140), 'a "quoted" purpose']
  const amounts = ['10.00', '12.34', '99999999.99']
  for (const { site } of FAKES) {
    for (const [i, value] of amounts.entries()) {
      await register(at, site, {
        ...{
          amount: { value, currency: 'RUB' },
          paymentPurpose: purposes[i],
          redirectUrl: 'https://shop.example/?a=1',
        },
      })
    }
    // A minute is the least, ninety days are the most.
    for (const ttl of [1, 129_600]) {
      await register(at, site, { ttl, expiresOn: new Date(at.clock.now + ttl * MINUTE).toISOString() })
    }
  }
  const printed = { type: 'STATIC', ttl: undefined, expiresOn: undefined }
  await register(at, 'tea', printed)
  await register(at, 'tea', { ...printed, amount: undefined })
  await register(at, 'club', printed)
  await register(at, 'club', { ...printed, amount: undefined })
  const sticker = await register(at, 'farm', printed)
  await at.raiffeisen.pay(sticker.qrcId)
  await connector.settle()
  const [[paymentUid, paid] = []] = at.service.site('farm').payments
  await refund(at, 'farm', { ...sticker, reference: String(paid?.reference), paymentUid }, '0.10')
  const links = {
    tea: await register(at, 'tea'),
    cafe: await register(at, 'cafe'),
    farm: await register(at, 'farm'),
    club: await register(at, 'club'),
  }
  await later(MINUTE)
  await at.tochka.pay(links.tea.qrcId)
  await at.tbank.pay(links.cafe.qrcId)
  await at.raiffeisen.pay(links.farm.qrcId)
  await at.tochkaPay.pay(links.club.qrcId)
  await connector.settle()
  at.tochka.refundStatus = 'WaitingForAccept'
  at.tbank.isRefundSlow = true
  at.raiffeisen.refundStatus = 'IN_PROGRESS'
  // Whether it is declined is decided by the bank's sums.
  at.tochkaPay.ledger.refundResult = 'GATEWAY_TIMEOUT'
  for (const [site, link] of Object.entries(links)) await refund(at, site, link, '0.10')
  for (let i = 0; i < 3; i++) {
    await connector.settle()
    at.clock.now += 30 * HOUR
  }
  for (const id of at.tbank.sessions.keys())
    if (at.tbank.sessions.get(id)?.lastRefund) at.tbank.finishRefund(id, false)
  await connector.settle()
  for (const { site, consent } of [TBANK_BOUND, RAIFFEISEN_BOUND, TOCHKA_PAY]) {
    const token = await registerToken(at, site)
    at.clock.now += MINUTE
    await consent(at, token.qrcId, true)
    await register(at, site, { flags: ['CREATE_TOKEN'], tokenizationPurpose: 'Ж'.repeat(140) })
    await connector.settle()
    if (site === 'farm') at.raiffeisen.chargeResult = 'IN_PROGRESS'
    await charge(at, boundBy(at, site, token.qrcId), await register(at, site, { amount: PRICE }))
    await connector.settle()
    await later(MINUTE)
  }
  const cancelled = await register(at, 'farm')
  await at.service.instruct('qrCode.cancel', { siteId: 'farm', ...cancelled }, at.clock.now)
  for (const siteId of ['tea', 'club']) {
    const counter = await register(at, siteId, COUNTER)
    const sale = { siteId, ...counter, saleUid: 's1', amount: { value: '5.00', currency: 'RUB' }, ttl: 5 }
    const expiresOn = new Date(at.clock.now + 5 * MINUTE).toISOString()
    await at.service.instruct('sale.activate', { ...sale, expiresOn }, at.clock.now)
    await at.service.instruct('sale.deactivate', { siteId, ...counter, saleUid: 's1' }, at.clock.now)
  }
  await later(MINUTE)
  for (const { bank, webhookUrl: url } of core.banks.values()) {
    await bank.checkCredentials()
    await bank.checkWebhook({ url, register: true })
    await bank.checkWebhook({ url: `${url}/2`, register: true })
    await bank.payments?.(new Date(at.clock.now - 40 * HOUR), new Date(at.clock.now))
  }
  for (const { account } of core.sites.values()) await account.check?.()
}

it('at each bank, for everything that the connector does', async () => {
  const at = await surroundings()
  await everything(at)
  const found = [
    ...at.tochka.calls.flatMap((call) => violations(TOCHKA, call)),
    ...at.tbank.calls.flatMap((call) => violations(TBANK, call)),
    ...at.raiffeisen.calls.flatMap((call) => violations(RAIFFEISEN, call)),
    ...at.tochkaPay.calls.flatMap(payViolations),
  ]
  expect(found).toEqual([])
  const operations = ({ calls }: FakeBank) =>
    Array.from(new Set(calls.map(({ operation }) => operation))).sort()
  expect(operations(at.tochka)).toEqual([
    'arm',
    'customer',
    'disarm',
    'key',
    'payments',
    'refund',
    'refund_status',
    'register',
    'sale_status',
    'set_webhook',
    'status',
    'webhook',
  ])
  expect(operations(at.tbank)).toEqual([
    'AddAccountQr',
    'Cancel',
    'ChargeQr',
    'CheckOrder',
    'GetAddAccountQrState',
    'GetQr',
    'GetQrState',
    'GetState',
    'Init',
  ])
  expect(operations(at.raiffeisen)).toEqual([
    'cancel',
    'charge',
    'charge_status',
    'code',
    'refund',
    'refund_status',
    'register',
    'set_webhook',
    'status',
    'subscribe',
    'subscription',
  ])
  expect(operations(at.tochkaPay)).toEqual([
    'activate',
    'cashbox_status',
    'charge',
    'code',
    'code_payments',
    'deactivate',
    'key',
    'payment',
    'refund',
    'refund_status',
    'refunds',
    'register',
    'register_cashbox',
    'sale_payment',
    'tokenization',
  ])
})

it('the validator refuses what the documents do', () => {
  const call = { operation: '', headers: {}, query: {} }
  const path = '/uapi/sbp/v1.0/qr-code/merchant/MF0000000042/a%2Fb'
  const cases: [RequestRule[], string, unknown][] = [
    [TOCHKA, path, { Data: { qrcType: '02', paymentPurpose: 'x', amount: 1.5 } }],
    [TOCHKA, path, { Data: { qrcType: '03', paymentPurpose: 'x' } }],
    [
      TOCHKA,
      '/uapi/sbp/v1.0/qr-code/merchant/MF0000000042/a/b',
      { Data: { qrcType: '02', paymentPurpose: 'x' } },
    ],
    [TBANK, '/v2/ChargeQr', { PaymentId: '1', TerminalKey: 'a', Token: 'a'.repeat(64) }],
    [TBANK, '/v2/Cancel', { PaymentId: '1', TerminalKey: 'a' }],
    [RAIFFEISEN, '/api/sbp/v1/refund', { amount: '1.00', order: 'a', refundId: 'b' }],
  ]
  for (const [rules, at, body] of cases) {
    expect(violations(rules, { ...call, method: 'POST', path: at, body, text: '' })).not.toEqual([])
  }
  const pay = { ...call, operation: 'refund', method: 'POST', path, text: '' }
  const amount = { amount: '1.0', currency: 'RUB' }
  expect(payViolations({ ...pay, body: { Data: { refundUid: 'b', amount } } })).not.toEqual([])
  expect(payViolations({ ...pay, operation: 'payment', body: {} })).not.toEqual([])
})
