// Calls of T-Bank with the credentials of one terminal.
import type { Answers } from '../../answers.ts'
import type { BankContext } from '../../bank-kind.ts'
import { type Fields, tokenOf } from './token.ts'

export interface Settings {
  terminalKey: string
  password: string
}

interface TBankRequest {
  operation: string
  fields: Fields
  signal?: AbortSignal
  /** See BankRequest. */
  secrets?: readonly string[]
}

/**
 * A signed call.
 * @throws Refused; NotKnown; Unavailable
 */
export type TBankCall = <T>(request: TBankRequest, answers: Answers<T>) => Promise<T>

export function tbankCall({ terminalKey, password }: Settings, { baseUrl, call }: BankContext): TBankCall {
  return ({ operation, fields, signal, secrets }, answers) => {
    const body = { TerminalKey: terminalKey, ...fields }
    const request = {
      operation,
      method: 'POST' as const,
      url: `${baseUrl}/v2/${operation}`,
      body: { ...body, Token: tokenOf(body, password) },
      ...(signal ? { signal } : {}),
      ...(secrets ? { secrets } : {}),
    }
    return call(request, answers)
  }
}
