// Receipts of the banks' own cash registers, with the production build, the connector's process and fakes of the banks.
import { expect, it, vi } from 'vitest'
import type { ReceiptAnswer } from '../../src/contract/receipts/document.ts'
import { PaymentReceiptsAnswer } from '../../src/contract/receipts/list.ts'
import { type BankDeployment, bankDeployment, expectAgreement, WAITING } from '../support/bank-deployment.ts'

const CONTACT = { email: 'mary@mail.example' }
const TEA = { name: 'Чай', price: '30.00', quantity: '2' }
const CUP = { name: 'Чашка', price: '40.00' }
const receipt = (more: object = {}) => ({ receipt: { contact: CONTACT, items: [TEA, CUP], ...more } })

/** A deployment whose site has the cash register of its bank, and a merchant who says what its receipts have. */
async function withReceipts(siteId: 'cafe' | 'farm') {
  const deployment = await bankDeployment({
    withBankRegister: [siteId],
    begin: ({ banks }) => {
      banks.tbank.register.isConnected = siteId === 'cafe'
    },
  })
  const merchant = deployment.merchant(siteId)
  const isCafe = siteId === 'cafe'
  const receipts = { vat: '10', ...(isCafe && { taxation: 'osn' }) }
  // A site exists with its first write.
  await merchant.ask('/settings', { method: 'PUT', body: {} })
  const register = isCafe ? { kind: 'tbank', ffd: '1.2' } : { kind: 'raiffeisen', ffd: '1.05' }
  await deployment.operator(siteId, '/cashRegister', { method: 'PUT', body: register })
  const set = await merchant.ask('/settings', { method: 'PATCH', body: { receipts } })
  expect([set.status, set.text]).toEqual([200, set.text])
  return { deployment, merchant, bank: deployment.bankOf(siteId) }
}

type Merchant = ReturnType<BankDeployment['merchant']>

async function documentsOf(merchant: Merchant, paymentUid: string): Promise<ReceiptAnswer[]> {
  const { status, text } = await merchant.ask(`/payments/${paymentUid}/receipts`)
  expect([status, text]).toEqual([200, text])
  return PaymentReceiptsAnswer.parse(JSON.parse(text)).receipts
}

/** Resolves when the payment has a registered document of the kind. */
const registered = (
  merchant: Merchant,
  paymentUid: string,
  kind: ReceiptAnswer['kind'],
): Promise<ReceiptAnswer> =>
  vi.waitFor(async () => {
    const documents = await documentsOf(merchant, paymentUid)
    const found = documents.find((each) => each.kind === kind && each.state === 'REGISTERED')
    if (!found) throw new Error(JSON.stringify(documents))
    return found
  }, WAITING)

it('at T-Bank a receipt rides on the payment, its refund and its closing, and the notifications have its numbers', async () => {
  const { deployment, merchant, bank } = await withReceipts('cafe')
  const { tbank } = deployment.banks
  const withoutContact = await merchant.create('no-contact', receipt({ contact: undefined }))
  expect([withoutContact.status, withoutContact.text]).toEqual([
    400,
    expect.stringContaining('receipt.contact'),
  ])

  const { qrcId } = await merchant.make('order-1', receipt())
  await bank.pay(qrcId)
  await merchant.has('order-1', 'PAYED')
  const sale = await registered(merchant, qrcId, 'sale')
  expect(sale).toMatchObject({
    ...{ amount: { value: '100.00' }, taxation: 'osn', contact: { email: 'm…@mail.example' } },
    fiscal: { fn: '9999078900001234', fd: '101', url: 'https://ofd.example/101' },
  })

  const body = { amount: { value: 40 }, receipt: { items: [CUP] } }
  const asked = await merchant.ask(`/payments/${qrcId}/refunds/refund-1`, { method: 'PUT', body })
  expect([asked.status, asked.text]).toEqual([200, asked.text])
  await merchant.hasRefund(qrcId, 'refund-1')
  await tbank.deliverReceipts()
  expect(await registered(merchant, qrcId, 'refund')).toMatchObject({
    ...{
      refundId: 'refund-1',
      items: [{ name: 'Чашка', amount: '40.00', vat: '10' }],
      fiscal: { fd: '102' },
    },
  })
  expect(tbank.register.documents.map(({ type, amount }) => [type, amount])).toEqual([
    ['Income', 10_000],
    ['IncomeReturn', 4_000],
  ])

  const prepaid = [TEA, CUP].map((item) => ({ ...item, method: 'fullPrepayment' }))
  const advance = await merchant.make('order-2', receipt({ items: prepaid }))
  await bank.pay(advance.qrcId)
  await merchant.has('order-2', 'PAYED')
  expect((await registered(merchant, advance.qrcId, 'sale')).items[0]?.vat).toBe('10/110')
  const path = `/payments/${advance.qrcId}/receipts/closing-1`
  const closed = await merchant.ask(path, { method: 'PUT', body: { kind: 'closing' } })
  expect([closed.status, closed.text]).toEqual([closed.status, expect.stringContaining('closing-1')])
  await vi.waitFor(() => expect(tbank.callsOf('SendClosingReceipt')).toHaveLength(1), WAITING)
  await tbank.deliverReceipts()
  expect(await registered(merchant, advance.qrcId, 'closing')).toMatchObject({ fiscal: { fd: '104' } })

  const whole = await merchant.make('order-3', receipt())
  await bank.pay(whole.qrcId)
  await merchant.has('order-3', 'PAYED')
  await merchant.refund(whole.qrcId, 'refund-2', 100)
  await merchant.hasRefund(whole.qrcId, 'refund-2')
  await tbank.deliverReceipts()
  await registered(merchant, whole.qrcId, 'refund')
  expect(tbank.callsOf('Cancel').map(({ body }) => 'Receipt' in Object(body))).toEqual([true, false])

  tbank.fail('Init', { status: 200, body: { Success: false, ErrorCode: '308', Message: 'Сумма позиций' } })
  const refused = await merchant.create('order-4', receipt())
  expect([refused.status, merchant.errorCodeOf(refused), refused.text]).toEqual([
    ...[409, 'network.refused', expect.stringContaining('T-Bank: 308, Сумма позиций')],
  ])
  await expectAgreement(deployment, 'cafe')
  await deployment.service.verify()
})

it('at T-Bank a refund that the bank refuses for its receipt is held by name, until the operator has looked', async () => {
  const { deployment, merchant, bank } = await withReceipts('cafe')
  const { qrcId } = await merchant.make('order-1', receipt())
  await bank.pay(qrcId)
  await merchant.has('order-1', 'PAYED')
  deployment.banks.tbank.refusal = { ErrorCode: '309', Message: 'Поле Receipt' }
  await merchant.refund(qrcId, 'refund-1', 40)
  await vi.waitFor(async () => {
    const { text } = await merchant.ask(`/payments/${qrcId}/refunds/refund-1`)
    expect(text).toContain('T-Bank refused Cancel for its receipt: 309, Поле Receipt')
  }, WAITING)
  expect(deployment.banks.tbank.callsOf('Cancel')).toHaveLength(1)
  const { output } = await deployment.connector.command('settle')
  expect(output).toContain('refund-1')
})

it('at Raiffeisenbank a document is created, registered and asked about, of a payment and of its refund', async () => {
  const { deployment, merchant, bank } = await withReceipts('farm')
  const toPhone = await merchant.create('to-phone', receipt({ contact: { phone: '+79001234567' } }))
  expect([toPhone.status, toPhone.text]).toEqual([400, expect.stringContaining('receipt.contact')])
  const { qrcId } = await merchant.make('order-1', receipt())
  await bank.pay(qrcId)
  await merchant.has('order-1', 'PAYED')
  const sale = await registered(merchant, qrcId, 'sale')
  expect(sale).not.toHaveProperty('fiscal.fd')
  await merchant.refund(qrcId, 'refund-1', 30)
  await merchant.hasRefund(qrcId, 'refund-1')
  const refund = await registered(merchant, qrcId, 'refund')
  expect(refund.items.map(({ amount }) => amount)).toEqual(['18.00', '12.00'])
  const { documents } = deployment.banks.raiffeisen.register
  expect(Array.from(documents.values(), ({ type, made, receipt }) => [type, made, receipt.total])).toEqual([
    ['SELL', 1, 100],
    ['REFUND', 1, 30],
  ])
  expect([sale.receiptUid, refund.receiptUid].every((key) => documents.has(key))).toBe(true)
  await deployment.service.verify()
})
