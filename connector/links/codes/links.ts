// Which links of a bank are refused: those that the service would refuse (contract, section 14), and those of another code.
// A stored link is repeated for each equal request, so a bad one is not stored.
import type { Link, NewCode } from '../../banks/bank.ts'
import { IDENTIFIER, qrcIdOf } from '../../banks/identifiers.ts'

const ADDRESS = /^https:\/\/[!-~]{1,504}$/

/** @returns why the link is refused */
export function linkProblem(
  { qrcId, payload }: Pick<Link, 'qrcId' | 'payload'>,
  { type, amount }: Pick<NewCode, 'type' | 'amount'>,
): string | undefined {
  if (!IDENTIFIER.test(qrcId)) return 'the bank’s qrcId is no identifier'
  const url = ADDRESS.test(payload) ? URL.parse(payload) : null
  if (!url) return 'the bank’s link is no https address of at most 512 characters'
  // A link that only binds an account can have an id of its own. It takes no payment.
  if (type === 'TOKEN') return
  // The bank would be asked about another code than the one that is paid.
  if (qrcIdOf(payload) !== qrcId) return 'the bank’s link is of another code than its qrcId'
  const [sum, currency] = [url.searchParams.get('sum'), url.searchParams.get('cur')]
  const isOfSum = sum === null || sum === String(amount)
  const isOfCurrency = currency === null || currency === 'RUB'
  return isOfSum && isOfCurrency ? undefined : 'the bank’s link has another sum or currency'
}
