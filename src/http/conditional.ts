// Conditional requests: ETag, If-Match and If-None-Match (RFC 9110, section 13); and Prefer: wait (RFC 7240, section 4.3).
import { crc32 } from 'node:zlib'
import * as z from 'zod/mini'
import { meta } from '../contract/meta.ts'
import type { Wait } from '../gateway/long-poll.ts'

const MAX_WAIT_SECONDS = 60

/** The entity tags of If-None-Match, or `*`. They compare weakly: the `W/` of a tag is ignored. */
export function entityTags(header: string | undefined): readonly string[] {
  return header?.trim() === '*' ? ['*'] : (header?.match(/"[^"]*"/g) ?? [])
}

/** The header If-None-Match as its entity tags. */
export const IfNoneMatch = z
  .optional(
    z.pipe(
      z.string(),
      z.transform((header) => entityTags(header)),
    ),
  )
  .apply(meta, { description: '`ETag` of an earlier response' })

/** The header If-Match as the opaque values of its strong entity tags, or `*`; a weak tag matches nothing. */
export const IfMatch = z
  .optional(
    z.pipe(
      z.string(),
      z.transform((header): readonly string[] =>
        header.trim() === '*'
          ? ['*']
          : Array.from(header.matchAll(/(W\/)?"([^"]*)"/g)).flatMap(([, weak, value = '']) =>
              // In quotes `*` is a tag, which no version has.
              weak || value === '*' ? [] : [value],
            ),
      ),
    ),
  )
  .apply(meta, {
    description:
      '`ETag` of the version that you read; if it has changed since, the response is 412. Without it any version is changed',
  })

/** The header Prefer as the seconds of its wait, 1 to 60; undefined if it has none. */
export const PreferWait = z
  .optional(
    z.pipe(
      z.string(),
      z.transform((header) => {
        const wait = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[,;]|$)/i.exec(header)?.[1]
        return Math.min(Number(wait ?? 0), MAX_WAIT_SECONDS) || undefined
      }),
    ),
  )
  .apply(meta, {
    description: 'wait=N: the request waits for a change, for at most N seconds, 1 to 60 (RFC 7240)',
    examples: ['wait=30'],
  })

/**
 * A strong ETag. It begins with the version, so that a later request can say which version it knows. What changes without a version is
 * seen by the checksum: in workerd a SHA-256 takes a twentieth of a read (docs/decisions/0159-an-etag-has-a-checksum.md).
 * @param content the whole representation, or everything that it is made from
 */
export const etagOf = (version: number, content: string | Uint8Array): string =>
  `"${version}-${crc32(content).toString(36)}"`

/** Whether one of the entity tags matches: the answer is 304. */
export const isKnown = (tags: readonly string[], etag: string): boolean =>
  tags[0] === '*' || tags.includes(etag)

/** The headers of a read that can wait. */
export const LongPollHeaders = z.object({ 'If-None-Match': IfNoneMatch, Prefer: PreferWait })

/** What the headers ask to wait for. Entity tags of which none names a version cannot be compared: nothing waits. */
export function waitOf({ 'If-None-Match': tags, Prefer: seconds }: z.output<typeof LongPollHeaders>): Wait {
  const version = knownVersion(tags)
  return { version, seconds: tags === undefined || version !== undefined ? seconds : undefined }
}

/** The header Preference-Applied: only a request that waited has it. */
export const preferenceApplied = (waited: boolean, seconds: number | undefined): string | undefined =>
  waited ? `wait=${seconds}` : undefined

/** The version that a single entity tag of etagOf names; undefined for none, several or another tag. */
function knownVersion(tags: readonly string[] = []): number | undefined {
  const version = tags.length === 1 ? /^"(\d{1,9})-/.exec(tags[0] ?? '')?.[1] : undefined
  return version === undefined ? undefined : Number(version)
}
