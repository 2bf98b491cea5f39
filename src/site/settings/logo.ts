// The logo of a site, as the payer's page asks for it.
import type { Logo } from '../../contract/settings.ts'
import type { Outcome } from '../../errors.ts'
import { LOGO_NOT_FOUND, ok } from '../outcomes.ts'
import { hasLogo, logoRow } from './rows.ts'

/**
 * The logo of a hash.
 * @param isHeld whether the caller has it already, and only asks whether it stands
 * @returns payin.resource.not.found where the site has no logo with this hash
 */
export function readLogo(sql: SqlStorage, hash: string, isHeld: boolean): Outcome<Logo | undefined> {
  if (isHeld) return hasLogo(sql, hash) ? ok(undefined) : LOGO_NOT_FOUND
  const logo = logoRow(sql, hash)
  return logo ? ok(logo) : LOGO_NOT_FOUND
}
