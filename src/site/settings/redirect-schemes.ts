// Which apps the payers of a site are led to (contract, section 12).
import { appSchemeOf } from '../../contract/app-url.ts'
import { parseHttpUrl } from '../../contract/url.ts'
import type { Refusal } from '../../errors.ts'
import { type StoredSettings, settingsRow } from './rows.ts'

/** Refuses an address in an app that the settings do not name. They are not read for any other. @returns validation.error */
export function refuseAppUrl(sql: SqlStorage, redirectUrl: string | undefined): Refusal | undefined {
  const scheme = redirectUrl && appSchemeOf(redirectUrl)
  if (!scheme) return undefined
  const { redirectSchemes } = settingsRow(sql).settings
  if (redirectSchemes?.includes(scheme)) return undefined
  const must = redirectSchemes
    ? `must have http, https or one of redirectSchemes in the settings: ${redirectSchemes.join(', ')}`
    : 'must have http or https: redirectSchemes in the settings is empty'
  const text = `has the scheme ${scheme}, ${must}`
  return {
    ok: false,
    code: 'validation.error',
    description: `redirectUrl ${text}`,
    fields: { redirectUrl: [text] },
  }
}

/** The address to which a payer's page leads: on the web, or in an app as long as the settings name it. */
export function shownRedirectUrl(
  redirectUrl: string | undefined,
  { redirectSchemes }: Pick<StoredSettings, 'redirectSchemes'>,
): string | undefined {
  if (redirectUrl === undefined || parseHttpUrl(redirectUrl)) return redirectUrl
  const scheme = appSchemeOf(redirectUrl)
  return scheme && redirectSchemes?.includes(scheme) ? redirectUrl : undefined
}
