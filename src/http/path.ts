// Decodes the path of a request. Hono's own decoding passes a malformed escape on as it is, this one refuses it.
import type { Context } from 'hono'
import type { FieldErrors } from '../errors.ts'

/** Scheme and host of the request, such as `https://qr.example`. */
export const originOf = (c: Context): string => c.req.url.slice(0, pathStart(c.req.url))

/** A path without the slashes that follow another one, as a base address that ends with a slash makes them. */
export const withoutEmptySegments = (path: string): string => path.replaceAll(/\/{2,}/g, '/')

/** The parameters of the path, decoded, by the template's names; a malformed one stays encoded and has an issue. */
export interface PathParameters {
  values: Record<string, string>
  issues: FieldErrors
}

/**
 * Makes the function that decodes the parameters of a request's path.
 * @param template what the path ends with, such as `/sites/{siteId}/sbp/qrCodes/{qrCodeUid}`
 */
export function pathDecoder(template: string): (c: Context) => PathParameters {
  const parameters = template
    .split('/')
    .reverse()
    .flatMap((segment, index) => {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1]
      return name === undefined ? [] : [{ name, index }]
    })
  return (c) => {
    const [path = ''] = c.req.url.slice(pathStart(c.req.url)).split(/[?#]/, 1)
    const segments = path.split('/').reverse()
    const values: Record<string, string> = {}
    const issues: FieldErrors = {}
    for (const { name, index } of parameters) {
      const segment = segments[index] ?? ''
      try {
        values[name] = decodeURIComponent(segment)
      } catch {
        values[name] = segment
        issues[name] = [`is ${segment}, must be percent-encoded UTF-8`]
      }
    }
    return { values, issues }
  }
}

const pathStart = (url: string): number => url.indexOf('/', url.indexOf('//') + 2)
