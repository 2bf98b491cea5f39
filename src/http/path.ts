// What a request's address says. The router's own decoding is not used: it leaves a broken escape as it is.
import type { Context } from 'hono'
import { ApiError, type Cause } from '../errors.ts'

/** Where the request came to, such as `https://qr.example`. */
export const originOf = (c: Context): string => c.req.url.slice(0, pathStart(c.req.url))

/** The path as it was sent, its escapes and all. */
export const rawPathOf = (c: Context): string =>
  /^[^?#]*/.exec(c.req.url.slice(pathStart(c.req.url)))?.[0] ?? ''

const pathStart = (url: string): number => url.indexOf('/', url.indexOf('//') + 2)

/** A segment decoded from percent-encoded UTF-8, or as it is with the fault that it is none. */
export interface Segment {
  value: string
  fault: Cause
}

/**
 * The segment of the path that stands where the template has a parameter.
 * @param template what the path ends with, such as `/sites/{siteId}/sbp/qrCodes/{qrCodeUid}`
 */
export function segmentOf(c: Context, template: string, name: string): Segment {
  const places = template.split('/')
  const escaped =
    rawPathOf(c)
      .split('/')
      .at(places.indexOf(`{${name}}`) - places.length) ?? ''
  try {
    return { value: decodeURIComponent(escaped), fault: {} }
  } catch {
    return { value: escaped, fault: { [name]: [`is ${escaped}, must be percent-encoded UTF-8`] } }
  }
}

/** The same where nothing else can be at fault: validation.error where the segment is no percent-encoded UTF-8. */
export function wholeSegmentOf(c: Context, template: string, name: string): string {
  const { value, fault } = segmentOf(c, template, name)
  const text = fault[name]?.[0]
  if (text) throw new ApiError('validation.error', `${name} ${text}`, { fields: fault })
  return value
}
