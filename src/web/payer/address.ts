// The address of a payer's page: the functional link's parameters, then what the page itself adds to them.
import { isLanguage, type Language } from '../../http/negotiation.ts'

export interface PageAddress {
  /** `?type=…&crc=…`, as the link was issued. */
  query: string
  /** The language that the payer chose. */
  language?: Language | undefined
  /** Unix seconds until which a page without script refreshes itself; 0: never. */
  until?: number | undefined
  /** Whether the page asks whether the saved account is to be ended. */
  end?: boolean | undefined
}

const ADDED = /(?:&lang=(ru|en))?(?:&until=(\d{1,10}))?(&end=1)?$/

/** @param search the query of the request, with its question mark */
export function parseAddress(search: string): PageAddress {
  const [added = '', language, until, end] = ADDED.exec(search) ?? []
  return {
    query: search.slice(0, search.length - added.length),
    language: isLanguage(language) ? language : undefined,
    until: until === undefined ? undefined : Number(until),
    end: end !== undefined,
  }
}

/** The query of the address. */
export const formatAddress = ({ query, language, until, end }: PageAddress): string =>
  query +
  (language ? `&lang=${language}` : '') +
  (until === undefined ? '' : `&until=${until}`) +
  (end ? '&end=1' : '')
