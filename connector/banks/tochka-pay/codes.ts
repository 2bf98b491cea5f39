// Registers dynamic and static codes, and those that bind an account, at Tochka Pay Gateway.
import type { Link, NewCode } from '../bank.ts'
import { Refused, Unavailable } from '../bank-errors.ts'
import { answersOf, Code, INVALID } from './answers.ts'
import type { PayCall } from './client.ts'
import { amountOf } from './requests.ts'
import type { SiteSettings } from './site-fields.ts'
import type { TestPayments } from './test-payments.ts'
import { optionalText, requiredText } from './texts.ts'

/** A repeated `merchantQrcId` is not described: each registration has its own. */
export const REGISTER = answersOf(Code, { refused: [INVALID] })

/** Minutes. */
const MAX_TTL = 129_600
const MAX_REDIRECT_URL = 1_024

/** POST /sbp/qrc @throws Refused; Unavailable */
export async function registerCode(
  { call, tests }: { call: PayCall; tests: TestPayments },
  site: SiteSettings,
  code: NewCode,
  signal: AbortSignal,
): Promise<Link> {
  const { ttl = 0, order, tokenizationPurpose } = code
  if (ttl > MAX_TTL)
    throw new Refused(`Tochka Pay Gateway: the ttl is ${ttl} minutes, must be at most ${MAX_TTL}`)
  const made = await call(REGISTER, {
    operation: 'register',
    method: 'POST',
    path: '/sbp/qrc',
    body: { ...kindOf(code, site), ...commonOf(code), callbackUrl: code.webhookUrl },
    signal,
  })
  const link = linkOf(made, order)
  tests.noteCode(made)
  // What the payer has answered is asked for by the code.
  return tokenizationPurpose === undefined ? link : { ...link, request: made.qrcId }
}

/** The fields of each kind of code. Accounts are bound by SBP alone. */
function kindOf(code: NewCode, site: SiteSettings): object {
  const { type, ttl, tokenizationPurpose } = code
  const paymentToken = tokenizationPurpose !== undefined && {
    paymentToken: { tokenizationPurpose: requiredText('tokenizationPurpose', tokenizationPurpose) },
  }
  if (type === 'TOKEN') return { qrcType: 'TOKEN', ttl, ...paymentToken }
  const payment = {
    ...(code.amount !== undefined && { amount: amountOf(code.amount) }),
    ...optionalText('paymentPurpose', code.purpose),
    paymentMethods: paymentToken ? ['SBP'] : paymentMethodsOf(site),
  }
  return type === 'STATIC'
    ? { qrcType: 'STATIC', ...payment }
    : { qrcType: 'DYNAMIC', ttl, ...payment, ...paymentToken }
}

/** The fields that codes of all kinds have. */
export function commonOf({ order, redirectUrl }: NewCode): { merchantQrcId: string; redirectUrl?: string } {
  const isTaken = (url: string) => url.startsWith('https:') && url.length <= MAX_REDIRECT_URL
  return { merchantQrcId: order, ...(redirectUrl && isTaken(redirectUrl) && { redirectUrl }) }
}

/** By which a payer can pay a code of the site. */
export const paymentMethodsOf = ({ digitalRouble }: SiteSettings): string[] =>
  digitalRouble ? ['SBP', 'DIGITAL_RUBLE'] : ['SBP']

/** @throws Unavailable where the answer is of another registration */
export function linkOf({ qrcId, payload, merchantQrcId }: Code, order: string): Link {
  if ((merchantQrcId ?? order) !== order)
    throw new Unavailable('register: the answer is of another merchantQrcId', { isInDoubt: true })
  return { qrcId, payload, reference: order }
}
