// Calls of T-Bank with the credentials of one terminal.

import type { CheckResult } from '../../partner.ts'
import type { Answers } from '../answers.ts'
import { Unavailable } from '../bank-errors.ts'
import type { BankContext } from '../bank-kind.ts'
import { CHECK_ORDER, type Payment, STATE } from './answers.ts'
import { type Fields, tokenOf } from './token.ts'

export interface Settings {
  terminalKey: string
  password: string
}

interface TBankRequest {
  operation: string
  fields: Fields
  signal?: AbortSignal
  /** Of its path; by default `v2`. */
  folder?: 'cashbox'
  /** See BankRequest. */
  secrets?: readonly string[]
}

/**
 * A signed call.
 * @throws Refused; NotKnown; Unavailable
 */
export type TBankCall = <T>(request: TBankRequest, answers: Answers<T>) => Promise<T>

export function tbankCall(
  { terminalKey, password }: Settings,
  { baseUrl, call }: Pick<BankContext, 'baseUrl' | 'call'>,
): TBankCall {
  return ({ operation, fields, signal, folder = 'v2', secrets }, answers) => {
    const body = { TerminalKey: terminalKey, ...fields }
    const request = {
      operation,
      method: 'POST' as const,
      url: `${baseUrl}/${folder}/${operation}`,
      body: { ...body, Token: tokenOf(body, password) },
      ...(signal ? { signal } : {}),
      ...(secrets ? { secrets } : {}),
    }
    return call(request, answers)
  }
}

/** GetState of one payment. @param orderId its order, where it is known @throws Unavailable also where the answer is of another one */
export async function paymentState(call: TBankCall, paymentId: string, orderId?: string): Promise<Payment> {
  const state = await call({ operation: 'GetState', fields: { PaymentId: paymentId } }, STATE)
  requireSame('GetState', { PaymentId: paymentId, OrderId: orderId }, state, false)
  return state
}

/** Whether the credentials work: CheckOrder of an order that does not exist. @param now Unix milliseconds */
export async function checkTerminal(call: TBankCall, now: number): Promise<CheckResult[]> {
  try {
    const fields = { OrderId: `check-${now}` }
    const code = await call({ operation: 'CheckOrder', fields }, CHECK_ORDER)
    return [{ isGood: true, text: `the credentials work (CheckOrder: ${code})` }]
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    return [{ isGood: false, text: error.message }]
  }
}

/** What a call is about; the bank's document gives these fields in the answer. */
type Subject = Partial<Pick<Payment, 'PaymentId' | 'OrderId' | 'Amount'>>

/**
 * @param asked what the bank was asked about
 * @param stated the answer, which may leave a field out
 * @throws Unavailable where the answer is of something else
 */
export function requireSame(operation: string, asked: Subject, stated: Subject, isInDoubt: boolean): void {
  for (const name of ['PaymentId', 'OrderId', 'Amount'] as const) {
    if (asked[name] === undefined || stated[name] === undefined || asked[name] === stated[name]) continue
    throw new Unavailable(`${operation}: the answer has another ${name}`, { isInDoubt })
  }
}
