// Refusals that several operations of a site return.
import type { Outcome, Refusal } from '../errors.ts'

export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value })

export const QR_CODE_NOT_FOUND: Refusal = {
  ok: false,
  code: 'payin.resource.not.found',
  description: 'there is no such QR code',
}

export const PAYMENT_NOT_FOUND: Refusal = { ...QR_CODE_NOT_FOUND, description: 'there is no such payment' }

export const SALE_NOT_FOUND: Refusal = { ...QR_CODE_NOT_FOUND, description: 'there is no such sale' }

export const LOGO_NOT_FOUND: Refusal = { ...QR_CODE_NOT_FOUND, description: 'there is no such logo' }

export const REFUND_NOT_FOUND: Refusal = { ...QR_CODE_NOT_FOUND, description: 'there is no such refund' }

export const RECEIPT_NOT_FOUND: Refusal = { ...QR_CODE_NOT_FOUND, description: 'there is no such receipt' }

export const TOKEN_NOT_FOUND: Refusal = {
  ...QR_CODE_NOT_FOUND,
  description: 'the account has no such token',
}

export const NOTIFICATION_NOT_FOUND: Refusal = {
  ...QR_CODE_NOT_FOUND,
  description: 'there is no such notification',
}

export const INSTRUCTION_NOT_FOUND: Refusal = {
  ...QR_CODE_NOT_FOUND,
  description: 'there is no such instruction, or its result was reported',
}

export const SITE_NOT_FOUND: Refusal = { ...QR_CODE_NOT_FOUND, description: 'there is no such site' }

/** The refusal of a revoked token of a merchant or of an operator. */
export const KEY_REVOKED: Refusal = {
  ok: false,
  code: 'auth.unauthorized',
  description: 'the access token is revoked',
  headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
}

export const SITE_DELETED: Refusal = {
  ok: false,
  code: 'site.deleted',
  description: 'the operator has deleted the site',
}

/** @param description which tables the database has, and what to do */
export const siteOutdated = (description: string): Refusal => ({
  ok: false,
  code: 'site.outdated',
  description,
})

export const SITE_RESTORED: Refusal = {
  ok: false,
  code: 'site.restored',
  description: 'the site was restored from a backup, and the operator has not resumed it yet',
}

export const CURSOR_GONE: Refusal = {
  ok: false,
  code: 'events.cursor.gone',
  description: 'the cursor is not of this feed, read the feed from its beginning',
}

export const CALLBACK_NOT_FOUND: Refusal = {
  ...QR_CODE_NOT_FOUND,
  description: 'there is no such address for notifications',
}

export const NOTIFICATION_KEY_NOT_FOUND: Refusal = {
  ...QR_CODE_NOT_FOUND,
  description: 'there is no such notification key',
}

export const PERSON_NOT_FOUND: Refusal = { ...QR_CODE_NOT_FOUND, description: 'there is no such person' }

/** The refusal of a request that the state does not allow. */
export const notAllowed = (description: string): Refusal => ({
  ok: false,
  code: 'payin.incorrect-method-invocation',
  description,
})

/**
 * The refusal of a request or a report that contradicts an earlier one; it names the fields, never their values.
 * @param earlier what they differ from: `the first report of this paymentUid`
 */
export const contradicts = (description: string, fields: readonly string[], earlier: string): Refusal => ({
  ok: false,
  code: 'payin.resource.already.exists',
  description,
  fields: Object.fromEntries(fields.map((field) => [field, [`differs from ${earlier}`]])),
})

/** The fields that are not equal. */
export const unequalFields = (isEqual: Record<string, boolean>): string[] =>
  Object.keys(isEqual).filter((field) => !isEqual[field])
