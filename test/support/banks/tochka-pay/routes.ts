// The calls of Tochka Pay Gateway by method and path.

const CODE = 'sbp/qrc/(?<qrcId>[^/]+)'
const CASHBOX = 'sbp/qrc/cash-register-qrc'
const PAYMENT = 'payments/(?<paymentUid>[^/]+)'

const ROUTES: readonly [operation: string, method: string, path: string][] = [
  ['register', 'POST', 'sbp/qrc'],
  ['register_cashbox', 'POST', CASHBOX],
  ['activate', 'POST', `${CASHBOX}/(?<qrcId>[^/]+)/activations`],
  ['deactivate', 'DELETE', `${CASHBOX}/(?<qrcId>[^/]+)/activations/current`],
  ['cashbox_status', 'GET', `${CASHBOX}/(?<qrcId>[^/]+)/status`],
  ['sale_payment', 'GET', `${CASHBOX}/(?<qrcId>[^/]+)/activations/(?<activationUid>[^/]+)/payment`],
  ['code', 'GET', CODE],
  ['code_payments', 'GET', `${CODE}/payments`],
  ['tokenization', 'GET', `${CODE}/tokenization/result`],
  ['charge', 'POST', 'payments'],
  ['payment', 'GET', PAYMENT],
  ['refund', 'POST', `${PAYMENT}/refunds`],
  ['refunds', 'GET', `${PAYMENT}/refunds`],
  ['refund_status', 'GET', `${PAYMENT}/refunds/(?<refundUid>[^/]+)`],
]

const BASE = /^\/uapi\/pay\/v1\.0\/sites\/([^/]+)\/(.*)$/
const KEY = '/doc/openapi/static/keys/public'

/** The siteUid, and what is behind it. */
export function partsOf(path: string): { siteUid: string; rest: string } {
  const [, siteUid = '', rest = ''] = BASE.exec(path) ?? []
  return { siteUid, rest }
}

export function operationOf(method: string, path: string): string {
  if (path === KEY) return 'key'
  return routeOf(method, path)?.operation ?? 'unknown'
}

/** The segments of the path that are ids. */
export const idsOf = (method: string, path: string): Record<string, string> =>
  routeOf(method, path)?.ids ?? {}

function routeOf(method: string, path: string) {
  const { rest } = partsOf(path)
  for (const [operation, of, rule] of ROUTES) {
    const found = method === of ? new RegExp(`^${rule}$`).exec(rest) : null
    if (found) return { operation, ids: decoded(found.groups ?? {}) }
  }
}

const decoded = (ids: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(ids).map(([name, value]) => [name, decodeURIComponent(value)]))
