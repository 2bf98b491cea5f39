// Calls of Tochka with the credentials of one customer.
import type * as z from 'zod'
import { Refused, Unavailable } from '../../bank.ts'
import type { BankContext } from '../../bank-kind.ts'
import type { BankRequest } from '../../http.ts'
import { Failure } from './bodies.ts'

/**
 * A call whose `url` begins at the bank's base address.
 * @throws Refused; Unavailable
 */
export type TochkaCall = <T>(schema: z.ZodType<T>, request: BankRequest) => Promise<T>

export function tochkaCall(jwt: string, { baseUrl, call }: BankContext): TochkaCall {
  return async (schema, request) => {
    const headers = { Authorization: `Bearer ${jwt}` }
    const { status, body } = await call({ ...request, url: baseUrl + request.url, headers })
    if (status >= 400) throw failureOf(request.operation, status, body)
    const parsed = schema.safeParse(body)
    if (parsed.success) return parsed.data
    throw new Unavailable(`${request.operation}: the answer is not as documented`, { isInDoubt: true })
  }
}

/** The statuses that say that nothing was done. 424, of a system behind the bank's interface, does not say so. */
const REFUSALS = [400, 404, 422]

function failureOf(operation: string, status: number, body: unknown): Error {
  const { data } = Failure.safeParse(body)
  const texts = [data?.message, ...(data?.Errors ?? []).map(({ message }) => message)].filter(Boolean)
  const message = `Tochka: ${texts.join('; ') || `answers ${status}`}`.slice(0, 300)
  if (REFUSALS.includes(status)) return new Refused(message)
  return new Unavailable(`${operation}: ${message}`, { isInDoubt: true })
}
