// Calls of Tochka with the credentials of one customer.
import type { Answers } from '../answers.ts'
import type { BankContext } from '../bank-kind.ts'
import type { BankRequest } from '../http.ts'

/**
 * A call whose `url` begins at the bank's base address.
 * @throws Refused; NotKnown; Unavailable
 */
export type TochkaCall = <T>(answers: Answers<T>, request: BankRequest) => Promise<T>

export function tochkaCall(jwt: string, { baseUrl, call }: BankContext): TochkaCall {
  const headers = { Authorization: `Bearer ${jwt}` }
  return (answers, request) => call({ ...request, url: baseUrl + request.url, headers }, answers)
}
