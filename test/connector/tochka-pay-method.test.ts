// How a payment at Tochka Pay Gateway was made: the bank's type of it, and the word of the contract in the report.
import { expect, it } from 'vitest'
import { paymentShape } from '../support/banks/tochka-pay/records.ts'
import { bound, charge, TBANK, TOCHKA_PAY } from './bound.ts'
import { register, start, surroundings } from './harness.ts'

it.each([
  ['SBP', 'sbp'],
  ['SBP_CASH_REGISTER_QRC', 'sbp'],
  ['SBP_CUSTOMER_PRESENTED_QR', 'sbp'],
  ['DIGITAL_RUBLE', 'digitalRouble'],
  ['DIGITAL_RUBLE_CASH_REGISTER_QRC', 'digitalRouble'],
  ['CARD', 'other'],
  ['toString', 'other'],
])('a payment of the type %s, told by a webhook, is reported with the method %s', async (type, method) => {
  const at = await surroundings()
  const running = await start(at)
  const { qrcId } = await register(at, 'club')
  const paymentUid = await at.tochkaPay.pay(qrcId, { times: 0 })
  const shape = paymentShape(at.tochkaPay.ledger.payment(paymentUid))
  const { siteUid, keys } = at.tochkaPay
  const payload = { ...shape, paymentMethod: { ...Object(shape).paymentMethod, type } }
  const body = keys.jwt({ siteUid, event: 'payment-updated', payload })
  expect((await fetch(`${running.url}/webhooks/pay-club`, { method: 'POST', body })).status).toBe(200)
  await running.connector.settle()
  const reports = Array.from(at.service.site('club').payments.values())
  expect(reports.map((each) => [each.status, each.method])).toEqual([['COMPLETED', method]])
})

it.each([
  [TOCHKA_PAY, 'sbp'],
  [TBANK, undefined],
])('a charge at $name is reported with the method of its bank', async (bank, method) => {
  const { at, running, binding, link } = await bound(bank)
  const asked = await charge(at, binding, link)
  await running.connector.settle()
  const { status, method: stated } = Object(asked.result())
  expect([status, stated]).toEqual(['COMPLETED', method])
})
