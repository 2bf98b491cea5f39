// Calls of T-Bank with the credentials of one terminal.
import * as z from 'zod'
import { Refused, Unavailable } from '../../bank.ts'
import type { BankContext } from '../../bank-kind.ts'
import { type Fields, tokenOf } from './token.ts'

export interface Settings {
  terminalKey: string
  password: string
}

/** Of every answer. `PaymentId` is text here and a number there. */
export const Answer = z.object({
  Success: z.boolean(),
  ErrorCode: z.coerce.string().optional(),
  Message: z.string().optional(),
  Details: z.string().optional(),
  Status: z.string().optional(),
  PaymentId: z.coerce.string().optional(),
  Amount: z.number().optional(),
  Data: z.string().optional(),
  QrCancelCode: z.string().nullish(),
  QrCancelMessage: z.string().nullish(),
})
export type Answer = z.output<typeof Answer>

/**
 * A signed call; the answer can be a refusal.
 * @throws Unavailable
 */
export type TBankCall = (operation: string, fields: Fields, signal?: AbortSignal) => Promise<Answer>

export function tbankCall({ terminalKey, password }: Settings, { baseUrl, call }: BankContext): TBankCall {
  return async (operation, fields, signal) => {
    const request = { TerminalKey: terminalKey, ...fields }
    const { status, body } = await call({
      operation,
      method: 'POST',
      url: `${baseUrl}/v2/${operation}`,
      body: { ...request, Token: tokenOf(request, password) },
      ...(signal ? { signal } : {}),
    })
    const parsed = Answer.safeParse(body)
    if (!parsed.success) {
      throw new Unavailable(`${operation}: the answer (${status}) is not as documented`, { isInDoubt: true })
    }
    // A wrong password is the operator's fault, not the merchant's. What Cancel did, its status says, and no text.
    if (
      operation !== 'Cancel' &&
      !parsed.data.Success &&
      /токен|терминал|terminalkey/i.test(textOf(parsed.data))
    ) {
      throw new Unavailable(`${operation}: ${textOf(parsed.data)}`, { isInDoubt: false })
    }
    return parsed.data
  }
}

/** @throws Refused */
export function acceptedOf(operation: string, answer: Answer): Answer {
  if (answer.Success) return answer
  throw new Refused(`T-Bank: ${operation}: ${textOf(answer)}`.slice(0, 300))
}

export function textOf({ ErrorCode = '', Message = '', Details = '' }: Answer): string {
  return [ErrorCode, Message, Details].filter(Boolean).join(', ')
}
