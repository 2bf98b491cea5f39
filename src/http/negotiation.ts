// What the client accepts: media types (RFC 9110, section 12.5.1) and languages (section 12.5.4).
import type { Context } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import { ApiError } from '../errors.ts'

/** @throws ApiError 406 where Accept does not admit the media type */
export function requireAccept(c: Context, mediaType: string): void {
  if (admits(c.req.header('Accept'), mediaType)) return
  throw new ApiError('http.media.type.not.acceptable', `Accept admits no ${mediaType}, must admit it`)
}

/** The media type that Accept prefers. @throws ApiError 406 where it admits none of them */
export function requireOneOf<T extends string>(c: Context, mediaTypes: readonly T[]): T {
  const mediaType = preferred(c.req.header('Accept'), mediaTypes)
  if (mediaType) return mediaType
  const description = `Accept admits none of ${mediaTypes.join(', ')}, must admit one`
  throw new ApiError('http.media.type.not.acceptable', description)
}

/** Whether an Accept header admits the media type. */
export const admits = (accept: string | undefined, mediaType: string): boolean =>
  quality(accept, mediaType) > 0

/** The media type that an Accept header prefers, the first of equals; undefined if it admits none of them. */
export function preferred<T extends string>(
  accept: string | undefined,
  mediaTypes: readonly T[],
): T | undefined {
  let best: T | undefined
  for (const mediaType of mediaTypes) {
    if (quality(accept, mediaType) > (best ? quality(accept, best) : 0)) best = mediaType
  }
  return best
}

/** The quality of a media type, from 0 (not acceptable) to 1: the most specific range that matches it decides. */
function quality(accept: string | undefined, mediaType: string): number {
  if (!accept || accept === mediaType) return 1
  const ranges = parseAccept(accept.toLowerCase())
  const family = `${mediaType.split('/')[0]}/*`
  for (const range of [mediaType, family, '*/*']) {
    const found = ranges.find(({ type }) => type === range)
    if (found) return found.q
  }
  return 0
}

/** The languages of texts for the payer. */
export type Language = 'ru' | 'en'

export const isLanguage = (tag: string | undefined): tag is Language => tag === 'ru' || tag === 'en'

/** The language for the payer: the first of `ru` and `en` that Accept-Language prefers, else `ru`. */
export function language(acceptLanguage: string | undefined): Language {
  for (const { type, q } of parseAccept(acceptLanguage ?? '')) {
    const tag = type.toLowerCase().split('-')[0]
    if (q > 0 && isLanguage(tag)) return tag
  }
  return 'ru'
}
