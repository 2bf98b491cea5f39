// Reads the payments of codes from the answers and webhooks of Tochka Pay Gateway.
import type { BankPayment, Code, CodeState } from '../bank.ts'
import { Unavailable } from '../bank-errors.ts'
import type { PaymentMethod } from '../payment-method.ts'
import { listOf, Payment } from './answers.ts'
import type { PayCall } from './client.ts'
import type { TestPayments } from './test-payments.ts'

/** A charge of a bound account. It can be listed by the code that bound the account, and is no payment of that code. */
export const CHARGE_TYPE = 'SBP_TOKEN'

const PAYMENTS = listOf(Payment)

/** GET /sbp/qrc/{qrcId}/payments @throws Unavailable */
export async function codeState(call: PayCall, { qrcId }: Code, tests: TestPayments): Promise<CodeState> {
  const { items, totalPages } = await call(PAYMENTS, {
    operation: 'code_payments',
    method: 'GET',
    path: `/sbp/qrc/${encodeURIComponent(qrcId)}/payments`,
  })
  const listed = items.filter(({ paymentMethod }) => paymentMethod.type !== CHARGE_TYPE)
  if (listed.some(({ paymentMethod }) => (paymentMethod.qrcId ?? qrcId) !== qrcId))
    throw new Unavailable('code_payments: the list is of another code', { isInDoubt: false })
  const payments = listed.filter((each) => tests.isReported(each))
  const isPending = payments.some(({ status: { value } }) => value !== 'COMPLETED' && value !== 'DECLINED')
  // The document has no call for a further page.
  const isPartial = totalPages > 1
  return {
    payments: payments.flatMap((each) => paymentOf(each) ?? []),
    ...(isPartial && { isPartial }),
    isPending,
    isOver: !isPending && !isPartial,
  }
}

/** The methods of the document; those of a cashbox code end in `_CASH_REGISTER_QRC`. */
const METHODS: Readonly<Record<string, PaymentMethod>> = {
  SBP: 'sbp',
  SBP_CASH_REGISTER_QRC: 'sbp',
  SBP_CUSTOMER_PRESENTED_QR: 'sbp',
  [CHARGE_TYPE]: 'sbp',
  DIGITAL_RUBLE: 'digitalRouble',
  DIGITAL_RUBLE_CASH_REGISTER_QRC: 'digitalRouble',
}

/** @param type of `paymentMethod` */
const methodOf = (type: string): PaymentMethod =>
  (Object.hasOwn(METHODS, type) ? METHODS[type] : undefined) ?? 'other'

/** @returns undefined for a payment that is not decided */
export function paymentOf({
  paymentUid: number,
  amount,
  status,
  paymentMethod,
}: Payment): BankPayment | undefined {
  const { type, payerPhoneNumber: phone } = paymentMethod
  const payment = { number, amount, method: methodOf(type), ...(phone && { payer: { phone } }) }
  if (status.value === 'COMPLETED') return { ...payment, status: 'COMPLETED', paidAt: status.changedDateTime }
  if (status.value !== 'DECLINED') return
  const reason = status.reasonMessage ?? status.reasonCode
  return { ...payment, status: 'DECLINED', ...(reason && { reason }) }
}
