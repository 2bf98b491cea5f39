// The address of a request. The router's own decoding is not used: it passes a malformed escape on as it is.
import type { Context } from 'hono'
import type { Cause } from '../errors.ts'

/** Scheme and host of the request, such as `https://qr.example`. */
export const originOf = (c: Context): string => c.req.url.slice(0, pathStart(c.req.url))

/** The parameters of the path, decoded, by the template's names; a malformed one stays encoded and has an issue. */
export interface PathParameters {
  values: Record<string, string>
  issues: Cause
}

/**
 * Decodes the parameters of the request's path.
 * @param template what the path ends with, such as `/sites/{siteId}/sbp/qrCodes/{qrCodeUid}`
 */
export function decodePath(c: Context, template: string): PathParameters {
  const [path = ''] = c.req.url.slice(pathStart(c.req.url)).split(/[?#]/, 1)
  const names = template.split('/').reverse()
  const segments = path.split('/').reverse()
  const values: Record<string, string> = {}
  const issues: Cause = {}
  for (const [index, name] of names.entries()) {
    const parameter = /^\{(\w+)\}$/.exec(name)?.[1]
    if (parameter === undefined) continue
    const segment = segments[index] ?? ''
    try {
      values[parameter] = decodeURIComponent(segment)
    } catch {
      values[parameter] = segment
      issues[parameter] = [`is ${segment}, must be percent-encoded UTF-8`]
    }
  }
  return { values, issues }
}

const pathStart = (url: string): number => url.indexOf('/', url.indexOf('//') + 2)
