// Which links of a bank the service takes for a QR code (contract, section 14): any other one would be repeated for the same register.
import type { Link, NewCode } from './bank.ts'

const IDENTIFIER = /^[A-Za-z0-9._-]{1,64}$/
const ADDRESS = /^https:\/\/[!-~]{1,504}$/

/** @returns why the link is none that can be shown and paid, and asked about */
export function linkProblem(
  { qrcId, payload, request }: Link,
  { type, amount, tokenizationPurpose }: Pick<NewCode, 'type' | 'amount' | 'tokenizationPurpose'>,
): string | undefined {
  if (!IDENTIFIER.test(qrcId)) return 'the bank’s qrcId is no identifier'
  if (tokenizationPurpose !== undefined && !IDENTIFIER.test(request ?? ''))
    return 'the bank’s id of the request to bind an account is no identifier'
  const url = ADDRESS.test(payload) ? URL.parse(payload) : null
  // What is paid by a link of another id would be asked about by this one.
  if (url?.pathname.split('/').at(-1) !== qrcId) return 'the bank’s link is not that of its qrcId'
  const [sum, currency] = [url.searchParams.get('sum'), url.searchParams.get('cur')]
  // A link that only binds an account takes no payment.
  if (type === 'TOKEN') return
  const isOfSum = sum === null || sum === String(amount)
  const isOfCurrency = currency === null || currency === 'RUB'
  return isOfSum && isOfCurrency ? undefined : 'the bank’s link has another sum or currency'
}
