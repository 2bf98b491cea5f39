// Where notifications go: the addresses of a site, or the one of a QR code (contract, section 11).
import { type Callback, DEFAULT_CALLBACK } from '../../contract/callback.ts'
import { closingOf } from '../rows/site.ts'
import { integer, type Sql, textValue } from '../rows/sql.ts'
import { callbacksIn, keysOf, notificationKeyRows } from '../settings/rows.ts'
import { type CallbackQueue, callbackOf, type NotificationRow } from './rows.ts'

const originOf = (url: string): string => new URL(url).origin

/** The address whose server a URL is of: the one with this very URL, else the first one. */
export function callbackOfOrigin(callbacks: readonly Callback[], url: string): Callback | undefined {
  const sameOrigin = callbacks.filter((callback) => originOf(callback.url) === originOf(url))
  return sameOrigin.find((callback) => callback.url === url) ?? sameOrigin[0]
}

/**
 * Who is told of a QR code: all addresses; where the QR code has a callbackUrl, the address of its server alone. Where that address was removed, all are told: nothing goes to a server that the settings do not name, and
 * a payment is told to somebody.
 * @param qrCode the number of its row
 */
export function receiversOf(sql: SqlStorage, qrCode: number | undefined): Pick<Callback, 'id' | 'types'>[] {
  const callbacks = callbacksIn(sql)
  const url = qrCode === undefined || callbacks.length === 0 ? undefined : callbackUrlOf(sql, qrCode)
  const own = url === undefined ? undefined : callbackOfOrigin(callbacks, url)
  return own ? [own] : callbacks
}

const callbackUrlOf = (sql: SqlStorage, qrCode: number): string | undefined =>
  textValue(sql, 'SELECT callback_url FROM qr_codes WHERE number = ?', qrCode)

/** Where deliveries go: the URL, and the keys that sign, the active one first. */
export interface Endpoint {
  url: string
  keys: readonly [string, ...string[]]
}

/** The endpoint of an address; undefined without a URL or a notification key: then notifications stay PENDING. */
export function endpointOfCallback(sql: SqlStorage, id: string): Endpoint | undefined {
  if (closingOf(sql)) return undefined
  const callback = callbacksIn(sql).find((each) => each.id === id)
  const [active, ...others] = callback ? notificationKeyRows(sql, id).map(({ key }) => key) : []
  return callback && active !== undefined ? { url: callback.url, keys: [active, ...others] } : undefined
}

/** Where a notification goes: to the callbackUrl of its QR code, if that is of the server of the address. */
export function endpointFor(
  sql: SqlStorage,
  { qrCode }: Pick<NotificationRow, 'qrCode'>,
  endpoint: Endpoint,
): Endpoint {
  const url = qrCode === undefined ? undefined : callbackUrlOf(sql, qrCode)
  return url !== undefined && originOf(url) === originOf(endpoint.url) ? { ...endpoint, url } : endpoint
}

/** Whether there is an endpointOfCallback. It runs after every flush, so it reads no key and parses no JSON. */
export function hasEndpoint(sql: Sql, queue: CallbackQueue): boolean {
  const id = callbackOf(queue)
  const { table, of, bindings } = keysOf(id)
  const condition = id === DEFAULT_CALLBACK ? "settings.settings ->> 'callbackUrl' IS NOT NULL" : 'TRUE'
  return (
    integer(
      sql,
      `SELECT 1 FROM settings, ${table}, site WHERE ${condition} AND ${of} AND closed_at IS NULL LIMIT 1`,
      ...bindings,
    ) !== undefined
  )
}
