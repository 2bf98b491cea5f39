// Addresses within a shop's own app, such as `teashop://orders/1001` (contract, section 12).

const SCHEME = /^[a-z][a-z0-9+.-]{2,31}$/

/** Schemes that run, load, or open something else than an app of the shop. */
const NEVER = new Set(
  (
    'http https javascript data file blob vbscript about intent content filesystem view-source ws wss ftp mailto tel sms ' +
    'android-app chrome search-ms shell market jar'
  ).split(' '),
)
/** Those of the banks' apps (BANKS_URL), of Windows and of the App Store. */
const NEVER_BEGINS = /^(bank\d|ms-|itms)/

/** What a scheme of an app must be, for errors. */
export const APP_SCHEME_RULE =
  '3 to 32 of a-z 0-9 + . -, a letter first, and no scheme of a browser, a system or a bank’s app'

/** Whether a shop may name the scheme as that of its app. */
export const isAppScheme = (text: string): boolean =>
  SCHEME.test(text) && !NEVER.has(text) && !NEVER_BEGINS.test(text)

/**
 * The scheme of an address within an app: `scheme://` and at least one character. Undefined for any other text, also for one
 * with user info, white space or control characters. Android runs what follows `#Intent;` in any address.
 */
export function appSchemeOf(text: string): string | undefined {
  const [, scheme = '', rest = ''] = /^([^:]*):\/\/(.+)$/su.exec(text) ?? []
  const [authority = ''] = rest.split(/[/?#]/)
  if (!isAppScheme(scheme) || /[@\\]/.test(authority)) return undefined
  if (/[\s\p{Cc}\p{Cs}]/u.test(text) || /#intent;/i.test(text)) return undefined
  return URL.canParse(text) ? scheme : undefined
}
