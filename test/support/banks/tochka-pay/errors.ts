// The errors and the reasons of declines that Tochka documents for Pay Gateway, as its fake answers them.
import { randomUUID } from 'node:crypto'
import type { BankReply, Fault } from '../fake-bank.ts'

interface ErrorRow {
  status: number
  category: string
  errorCode: string
}

const row = (status: number, category: string, ...codes: string[]): ErrorRow[] =>
  codes.map((errorCode) => ({ status, category, errorCode }))

/** Each documented error. Of 429 there is no errorCode. */
export const ERRORS: readonly ErrorRow[] = [
  ...row(400, 'REQUEST_PARSING_ERROR', 'data'),
  ...row(400, 'REQUEST_VALIDATION_ERROR', 'data.amount'),
  ...row(401, 'INVALID_TOKEN', 'UNKNOWN_TOKEN', 'TOKEN_EXPIRED', 'INCORRECT_FORMAT'),
  ...row(403, 'OPERATION_FORBIDDEN', 'SIGNATURE_VERIFICATION_ERROR', 'UNAUTHORIZED_BY_TOKEN'),
  ...row(403, 'OPERATION_FORBIDDEN', 'FEATURE_DISABLED_FOR_MERCHANT_SITE'),
  ...row(404, 'ENTITY_NOT_FOUND', 'MERCHANT_NOT_FOUND', 'MERCHANT_SITE_NOT_FOUND', 'PAYMENT_NOT_FOUND'),
  ...row(423, 'OPERATION_LOCKED', 'PAYMENT_LOCKED'),
  ...row(429, 'OPERATION_RATE_LIMIT', ''),
  ...row(500, 'INTERNAL_ERROR', 'CARD_PROCESSING_ERROR'),
  ...row(501, 'UNSUPPORTED_OPERATION', 'NOT_SUPPORTED_BY_PROCESSING', 'UNSUPPORTED_PAYMENT_METHOD'),
  ...row(503, 'UNDERLYING_SERVICE_UNAVAILABLE', 'CONNECTION_BROKEN', 'CONNECTION_TIMEOUT'),
]

/** `reasonCode`s of any SBP operation. */
export const REASONS = [
  ...['INTERNAL_ERROR', 'TECH_ERROR', 'LIMIT_EXCEEDED', 'OPERATION_NOT_SUPPORTED', 'PAYMENT_NOT_FOUND'],
  ...['NOT_PERMITTED', 'INTEGRATION_ERROR', 'VALIDATION_ERROR', 'TOO_MANY_REQUESTS', 'INSUFFICIENT_FUNDS'],
  ...['SUSPECTED_FRAUD', 'QR_CODE_NOT_FOUND', 'GATEWAY_TIMEOUT', 'UNEXPECTED_GATEWAY_RESPONSE'],
  ...['SUBSCRIPTION_REJECTED_BY_PAYER', 'SUBSCRIPTION_TOKEN_NOT_FOUND', 'SUBSCRIPTION_UNAVAILABLE'],
  ...['PAYMENT_EXECUTION_REJECTED', 'PAYER_BANK_TIMEOUT', 'ACCOUNT_BLOCKED', 'ACCOUNT_CLOSED'],
  ...['OPERATION_IN_PROGRESS', 'UNKNOWN_ERROR'],
] as const

/** Those of refunds alone. */
export const REFUND_REASONS = [
  ...['REFUND_AMOUNT_EXCEEDS_PAYMENT_AMOUNT', 'PREVIOUS_REFUND_IN_PROGRESS'],
  ...['REFUND_NOT_FOUND', 'REFUND_ID_ALREADY_TAKEN'],
] as const

/** What the fake refuses a call with. */
export class Refusal extends Error {
  readonly reply: BankReply

  constructor(reply: BankReply) {
    super(JSON.stringify(reply))
    this.reply = reply
  }
}

/** An answer as the row of the table has it. */
export function errorReply({ status, category, errorCode }: ErrorRow): BankReply {
  const Errors = errorCode === '' ? [] : [{ errorCode, message: 'refused', url: 'https://bank/help' }]
  return { status, body: { code: String(status), id: randomUUID(), message: category, Errors } }
}

const rowOf = (name: string): ErrorRow => {
  const found = ERRORS.find(({ errorCode, category }) => errorCode === name || category === name)
  if (!found) throw new Error(`no error ${name}`)
  return found
}

/** @param name an `errorCode` or a category of the table */
export const refusal = (name: string): Refusal => new Refusal(errorReply(rowOf(name)))

export const invalid = (field: string): Refusal =>
  new Refusal(errorReply({ status: 400, category: 'REQUEST_VALIDATION_ERROR', errorCode: field }))

/** The error in place of an answer, before the execution of the call or after it. */
export function errorFault(name: string, executed = false): Fault {
  const { status, body } = errorReply(rowOf(name))
  return { status, body, executed }
}
