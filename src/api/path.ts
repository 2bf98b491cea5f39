// What a path names. The router's own decoding is not used: it leaves a broken escape as it is.
import type { Context } from 'hono'
import { ApiError } from '../errors.ts'

/**
 * The segment of the path behind `collection`, decoded from percent-encoded UTF-8.
 * @param name as an error names it
 * @param collection such as `/qrCodes/`; the last one in the path is meant
 * @throws ApiError validation.error where the segment is no percent-encoded UTF-8
 */
export function segmentAfter(c: Context, collection: string, name: string): string {
  const { pathname } = new URL(c.req.url)
  const [escaped = ''] = pathname.slice(pathname.lastIndexOf(collection) + collection.length).split('/')
  try {
    return decodeURIComponent(escaped)
  } catch {
    const fault = `is ${escaped}, must be percent-encoded UTF-8`
    throw new ApiError('validation.error', `${name} ${fault}`, { fields: { [name]: [fault] } })
  }
}
