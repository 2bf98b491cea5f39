// Answers that depend on what the caller has: ETag, If-None-Match (RFC 9110, section 13) and Prefer: wait (RFC 7240).
import { createHash } from 'node:crypto'
import type { Context } from 'hono'

const MAX_WAIT_SECONDS = 60

/** What a long poll asks for: to wait for another version, at most so many milliseconds. */
export interface Wait {
  version: number
  milliseconds: number
}

/**
 * A strong ETag. It begins with the version, so that a later request can say which one it knows.
 * @param content the whole representation, or all that it is made from
 */
export const etagOf = (version: number, content: string | Uint8Array): string =>
  `"${version}-${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`

/** Whether If-None-Match names the ETag, so that the answer is 304. */
export function hasIt(c: Context, etag: string): boolean {
  const known = c.req.header('If-None-Match')
  return known !== undefined && (known.trim() === '*' || tags(known).includes(etag))
}

/** The wait that Prefer asks for, where If-None-Match names exactly one version; undefined otherwise. */
export function waitOf(c: Context): Wait | undefined {
  const asked = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[,;]|$)/i.exec(c.req.header('Prefer') ?? '')?.[1]
  const [tag, ...others] = tags(c.req.header('If-None-Match') ?? '')
  const version = /^"(\d{1,9})-/.exec(tag ?? '')?.[1]
  if (asked === undefined || version === undefined || others.length > 0) return undefined
  const seconds = Math.min(Number(asked), MAX_WAIT_SECONDS)
  return seconds === 0 ? undefined : { version: Number(version), milliseconds: seconds * 1000 }
}

/** If-None-Match compares weakly: whether a tag is weak does not matter. */
const tags = (header: string): string[] => header.match(/"[^"]*"/g) ?? []
