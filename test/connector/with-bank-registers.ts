// A connector whose sites cafe and farm have the cash registers of their banks, and what the service asks of it.
import { HOUR, type Running, register, type Surroundings, start, surroundings } from './harness.ts'

export const EMAIL = 'payer@mail.example'

const COMMODITY = { vat: '10', method: 'fullPayment', object: 'commodity', unit: 0 }
/** Lines of 100 roubles. */
export const GOODS = [
  { ...{ name: 'Чай', price: '30.00', quantity: '2', amount: '60.00' }, ...COMMODITY },
  { ...{ name: 'Чашка', price: '40.00', quantity: '1', amount: '40.00' }, ...COMMODITY },
]
/** The receipt that rides on a call of T-Bank, as an instruction has it. */
export const riding = (items: object[] = GOODS, changes: object = {}) => ({
  ...{ register: { kind: 'tbank', ffd: '1.2' }, items, taxation: 'osn', contact: { email: EMAIL } },
  ...changes,
})

export async function withBankRegisters(
  prepare: (at: Surroundings) => void = () => {},
): Promise<Surroundings> {
  const at = await surroundings()
  const { banks, sites } = at.config
  const { bank: _, ...tbank } = banks['tbank-cafe']
  const { bank: __, ...raiffeisen } = banks['raif-farm']
  Object.assign(at.config, {
    cashRegisters: {
      'kassa-cafe': { kind: 'tbank', ...tbank },
      'kassa-farm': { kind: 'raiffeisen', ...raiffeisen },
    },
  })
  sites.cafe = { ...sites.cafe, cashRegister: 'kassa-cafe' }
  sites.farm = { ...sites.farm, cashRegister: 'kassa-farm' }
  at.tbank.register.isConnected = true
  prepare(at)
  return at
}

export async function launchedWithBankRegisters(prepare?: (at: Surroundings) => void) {
  const at = await withBankRegisters(prepare)
  const running = await start(at)
  // What is given from now on is newer than the disk.
  await running.later(10 * 60_000)
  return { at, running, ...running }
}

export interface Payment {
  siteId: string
  qrcId: string
  reference: string
  paymentUid: string
}

/** A payment of 100 roubles at T-Bank, with its receipt. */
export async function paidWithReceipt(at: Surroundings, running: Running, receipt: object = riding()) {
  const payment = await registered(at, receipt)
  await at.tbank.pay(payment.qrcId)
  await running.connector.settle()
  return payment
}

export async function registered(at: Surroundings, receipt: object = riding()): Promise<Payment> {
  const { qrcId, reference } = await register(at, 'cafe', { receipt })
  return { siteId: 'cafe', qrcId, reference, paymentUid: qrcId }
}

let documents = 0
type Items = { amount: string }[]
const sumOf = (items: Items) => items.reduce((sum, { amount }) => sum + Number(amount), 0).toFixed(2)

/** The service asks for a document of a payment. @returns its receiptUid, and what the service was told of it */
export async function askFor(
  at: Surroundings,
  { siteId, ...payment }: Payment,
  { kind = 'sale', items, ...changes }: { kind?: string; items: Items } & Record<string, unknown>,
) {
  const receiptUid = `R${String(++documents).padStart(31, '0')}`
  const data = {
    ...{ siteId, receiptUid, kind, ...payment },
    register: { kind: siteId === 'cafe' ? 'tbank' : 'raiffeisen', ffd: '1.2' },
    amount: { value: sumOf(items), currency: 'RUB' },
    dateTime: new Date(at.clock.now).toISOString(),
    ...{ items, taxation: 'osn', contact: { email: EMAIL } },
    ...changes,
  }
  at.service.receipts.push(data)
  const again = () => at.service.instruct('receipt.register', data, at.clock.now)
  const { status } = await again()
  const told = () => {
    const { receipts, heldReceipts } = at.service.site(siteId)
    return receipts.get(receiptUid) ?? heldReceipts.get(receiptUid)
  }
  return { receiptUid, status, told, again, data }
}

let refunds = 0

/** The service asks for a refund. @param receipt undefined: the payment has none */
export async function refundWith(
  at: Surroundings,
  payment: Payment,
  value: string,
  receipt: object | undefined,
) {
  const refundUid = `with-receipt-${++refunds}`
  const { siteId, paymentUid } = payment
  const data = { ...payment, refundUid, amount: { value, currency: 'RUB' }, ...(receipt && { receipt }) }
  at.service.waitingRefunds.push({ ...data, createdOn: new Date(at.clock.now).toISOString() })
  const givenAt = at.clock.now
  const again = () => at.service.instruct('refund.create', data, givenAt)
  const { status } = await again()
  const key = `${paymentUid}/${refundUid}`
  return {
    ...{ refundUid, status, again },
    result: () => at.service.site(siteId).refunds.get(key),
    waitsFor: () => at.service.site(siteId).waiting.get(key),
  }
}

export const expiresOn = (at: Surroundings): string => new Date(at.clock.now + HOUR).toISOString()
