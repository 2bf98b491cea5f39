// Tokens, credentials and certificates of the configuration that end soon, for `check`, the metric and the alert.
import { decodeJwt } from 'jose'
import { DAY_MS } from '../work/schedule.ts'

/** When a token, a credential or a certificate of the configuration ends. */
export interface TokenEnd {
  /** The part of the configuration: `sites.{siteId}`, `banks.{name}` or `cashRegisters.{name}`. */
  owner: string
  /** What ends, as the operator reads it. */
  what: string
  /** Unix milliseconds. */
  endsAt: number
}

const SOON_DAYS = 30

/** The tokens that end within 30 days, or have ended. */
export const endingTokens = (tokenEnds: readonly TokenEnd[], now: number): TokenEnd[] =>
  tokenEnds.filter(({ endsAt }) => endsAt - now < SOON_DAYS * DAY_MS)

/** As the operator reads it. */
export function endText({ what, endsAt }: TokenEnd, now: number): string {
  const day = new Date(endsAt).toISOString().slice(0, 10)
  const days = Math.floor((endsAt - now) / DAY_MS)
  return days < 0 ? `${what} has ended on ${day}` : `${what} ends on ${day}, in ${days} days`
}

/** A secret that is a JWT can say when it ends. @returns Unix milliseconds */
export function endOf(secret: string): number | undefined {
  try {
    const { exp } = decodeJwt(secret)
    return exp === undefined ? undefined : exp * 1000
  } catch {
    return undefined
  }
}
