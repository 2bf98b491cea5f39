// Lists in a query whose items are percent-encoded one by one, so that a comma within an item is %2C.
import type { Context } from 'hono'
import type { FieldErrors } from '../errors.ts'

/** Characters of a query that has such a list. */
const MAX_QUERY = 8192

/** The lists of a query, by the names of their parameters; a malformed one stays encoded and has an issue. */
export interface EncodedLists {
  values: Record<string, string[]>
  issues: FieldErrors
}

/** Reads the lists of a request's query: its commas separate before anything is decoded. */
export function encodedLists(c: Context, names: readonly string[]): EncodedLists {
  const [, query = ''] = /\?([^#]*)/.exec(c.req.url) ?? []
  const values: Record<string, string[]> = {}
  const issues: FieldErrors = {}
  for (const parameter of query.split('&')) {
    const [name = '', ...rest] = parameter.split('=')
    if (!names.includes(name)) continue
    const items = rest.join('=').split(',')
    if (query.length > MAX_QUERY) {
      issues[name] = [`is in a query of ${query.length} bytes, which must have at most ${MAX_QUERY}`]
    } else {
      try {
        values[name] = items.map((item) => decodeURIComponent(item.replaceAll('+', ' ')))
      } catch {
        issues[name] = ['must be percent-encoded UTF-8']
      }
    }
  }
  return { values, issues }
}
