// Which reasons of a decline at Tochka Pay Gateway say that no money moved («Справочники», «Коды причины отклонения операции»).
import type { Status } from './answers.ts'

/** The account could not be used, or the operation was not permitted: no money moved. */
const NO_MONEY_MOVED = [
  'LIMIT_EXCEEDED',
  'OPERATION_NOT_SUPPORTED',
  'NOT_PERMITTED',
  'VALIDATION_ERROR',
  'INSUFFICIENT_FUNDS',
  'SUSPECTED_FRAUD',
  'PAYMENT_EXECUTION_REJECTED',
  'ACCOUNT_BLOCKED',
  'ACCOUNT_CLOSED',
] as const

/** The bank does not have the bound account any more. */
const BINDING_OVER = 'SUBSCRIPTION_TOKEN_NOT_FOUND'

const NOT_CHARGED: ReadonlySet<string> = new Set([
  ...NO_MONEY_MOVED,
  BINDING_OVER,
  'SUBSCRIPTION_REJECTED_BY_PAYER',
  'SUBSCRIPTION_UNAVAILABLE',
])
const NOT_RETURNED: ReadonlySet<string> = new Set(NO_MONEY_MOVED)

/** Whether the reason of a declined charge says that nothing was charged. */
export const isNotCharged = ({ reasonCode = '' }: Status): boolean => NOT_CHARGED.has(reasonCode)

/** Whether the reason of a declined refund says that nothing was returned. */
export const isNotReturned = ({ reasonCode = '' }: Status): boolean => NOT_RETURNED.has(reasonCode)

/** Whether the reason of a declined charge says that the account is not bound any more. */
export const isBindingOver = ({ reasonCode }: Status): boolean => reasonCode === BINDING_OVER

/** The reason of a decline, for the merchant and the operator. */
export const declineText = ({ reasonCode = 'no reason', reasonMessage = '' }: Status): string =>
  `Tochka Pay Gateway: ${[reasonCode, reasonMessage].filter(Boolean).join(', ')}`
