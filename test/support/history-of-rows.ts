// Random histories of a site at the level of its functions, and all that it answers afterwards.
import fc from 'fast-check'
import type { QrCodeType } from '../../src/contract/qr-code.ts'
import { STATUSES } from '../../src/contract/status.ts'
import type { Context } from '../../src/site/context.ts'
import { recordEnds } from '../../src/site/ends.ts'
import { eventsOf, feedPage } from '../../src/site/events/events.ts'
import { notificationsOf } from '../../src/site/outbox/notification-log.ts'
import { listPayments } from '../../src/site/payments/payment-list.ts'
import { paymentsOf } from '../../src/site/payments/payments.ts'
import { reportPayment } from '../../src/site/payments/reports.ts'
import { listQrCodes } from '../../src/site/qr-codes/list.ts'
import { cancelQrCode } from '../../src/site/qr-codes/qr-codes.ts'
import { sweep } from '../../src/site/qr-codes/retention.ts'
import { numberOfQrCode } from '../../src/site/qr-codes/rows.ts'
import { acceptRefund } from '../../src/site/refunds/refunds.ts'
import { reportRefund } from '../../src/site/refunds/reports.ts'
import { search } from '../../src/site/search/search.ts'
import { milliseconds } from '../../src/site/time.ts'
import { reportBinding } from '../../src/site/tokens/bindings.ts'
import { contextOf, createIn, creation, MERCHANT, NETWORK, ORIGIN } from './site.ts'

const CODES = 4
const PAYMENTS = 3
const AMOUNT = { minorUnits: 500, currency: 'RUB' }
const CONDITIONS = { network: 'external', isConnected: true, utcOffset: '+03:00' } as const

const code = fc.nat({ max: CODES - 1 })
const payment = fc.nat({ max: PAYMENTS - 1 })
const refund = fc.nat({ max: 1 })
const status = fc.constantFrom('COMPLETED' as const, 'COMPLETED' as const, 'DECLINED' as const)

const often = <T>(arbitrary: fc.Arbitrary<T>) => ({ arbitrary, weight: 4 })
const seldom = <T>(arbitrary: fc.Arbitrary<T>) => ({ arbitrary, weight: 1 })

/** One thing that happens to a site. */
export const step = fc.oneof(
  often(
    fc.record({
      do: fc.constant('create' as const),
      code,
      type: fc.constantFrom<QrCodeType[]>('DYNAMIC', 'DYNAMIC', 'DYNAMIC', 'STATIC', 'TOKEN'),
      ttl: fc.constantFrom(1, 10),
    }),
  ),
  often(
    fc.record({
      do: fc.constant('pay' as const),
      code,
      payment,
      status,
      value: fc.constantFrom(500, 500, 500, 400),
    }),
  ),
  often(fc.record({ do: fc.constant('refund' as const), code, payment, refund })),
  often(fc.record({ do: fc.constant('reportRefund' as const), code, payment, refund, status })),
  seldom(fc.record({ do: fc.constant('bind' as const), code })),
  seldom(fc.record({ do: fc.constant('cancel' as const), code })),
  seldom(fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 60, 600, 86_400 * 2) })),
  seldom(fc.record({ do: fc.constant('wake' as const) })),
  // Everything so far was written by a build that knows no `named`.
  seldom(fc.record({ do: fc.constant('forget' as const) })),
)
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Of some codes a bank makes the links: only these can be paid before their creation. */
const isAtBank = (code: number) => code > 1
/** Most payments are of one code; the last one can be reported for any. */
const payUid = ({ code, payment }: { code: number; payment: number }) =>
  payment === PAYMENTS - 1 ? 'pay-any' : `pay-${code}-${payment}`
const linkId = (code: number) => `${code}`.padStart(32, '0')

/** Does a step at a time. @returns what it answers */
export function take(sql: SqlStorage, each: Step, now: number): unknown {
  const context = contextOf(sql, now)
  const network = { ...contextOf(sql, now, NETWORK), ...ORIGIN }
  switch (each.do) {
    case 'create': {
      const { code, type, ttl } = each
      const isOfBank = isAtBank(code)
      const spec = {
        type,
        ttl: type === 'STATIC' ? undefined : ttl,
        amount: type === 'TOKEN' ? undefined : AMOUNT,
      }
      const link = { payload: `https://bank.example/${code}`, qrcId: linkId(code), currencies: ['RUB'] }
      const own = creation(`code-${code}`, {
        ...spec,
        ...(type === 'TOKEN' && { tokenizationAccount: 'mary' }),
      })
      const made = { ...own, link: { ...own.link, id: isOfBank ? `page-${code}` : linkId(code) } }
      return createIn(context, isOfBank ? { ...made, registered: link } : made)
    }
    case 'pay': {
      const { status, value } = each
      const amount = { ...AMOUNT, minorUnits: value }
      return reportPayment(
        network,
        { linkId: linkId(each.code), isKept: isAtBank(each.code) },
        { paymentUid: payUid(each), status, amount },
      )
    }
    case 'bind': {
      const newToken = { value: `v-${each.code}`, hash: `h-${each.code}`, days: 1 }
      const binding = { bindingUid: `b-${each.code}`, status: 'CREATED' as const, newToken }
      return reportBinding(network, { linkId: linkId(each.code), isKept: isAtBank(each.code) }, binding)
    }
    case 'cancel':
      return cancelQrCode(context, { qrCodeUid: `code-${each.code}` })
    case 'refund': {
      const spec = { refundUid: `r-${each.refund}`, amount: { ...AMOUNT, minorUnits: 100 } }
      return acceptRefund(context, { paymentUid: payUid(each) }, spec, CONDITIONS)
    }
    case 'reportRefund': {
      const report = { status: each.status, amount: { ...AMOUNT, minorUnits: 100 } }
      return reportRefund(network, payUid(each), `r-${each.refund}`, report)
    }
    case 'wake':
      recordEnds(context)
      return sweep(context, milliseconds(now * 1000))
    default:
      return undefined
  }
}

/** All pages of two. */
function pages<Page extends { next?: unknown }>(page: (cursor: Page['next']) => Page): Page[] {
  const read = [page(undefined)]
  for (let next = read[0]?.next; next !== undefined; next = read.at(-1)?.next) read.push(page(next))
  return read
}

const WAYS = [undefined, ['DYNAMIC' as const], ['STATIC' as const], ['TOKEN' as const, 'DYNAMIC' as const]]
const SETS = [...STATUSES.map((each) => [each]), [...STATUSES], ['CREATED' as const, 'EXPIRED' as const]]

/** What a site answers about its codes, payments, events and notifications. */
export function answers(sql: SqlStorage, now: number): unknown {
  const context: Context = contextOf(sql, now, MERCHANT)
  const lists = WAYS.flatMap((type) =>
    SETS.map((status) =>
      pages((cursor) =>
        listQrCodes(context, { type, status, limit: 2, cursor: Number(cursor) || undefined }),
      ),
    ),
  )
  const ofCodes = Array.from({ length: CODES }, (_, i) => {
    const qrCodeUid = `code-${i}`
    const number = numberOfQrCode(sql, qrCodeUid)
    if (number === undefined) return []
    return [
      ...(['desc', undefined] as const).map((order) =>
        pages((cursor) => eventsOf(sql, number, { order, limit: 2, cursor: Number(cursor) || undefined })),
      ),
      pages((cursor) => paymentsOf(sql, number, { limit: 2, cursor: Number(cursor) || undefined })),
      pages((cursor) => listPayments(sql, { qrCodeUid, limit: 2, cursor: Number(cursor) || undefined })),
      notificationsOf(sql, { qrCodeUid, limit: 100 }),
      search(context, { q: qrCodeUid, limit: 100 }),
    ]
  })
  return [lists, ofCodes, feedPage(sql, { limit: 1000 })]
}
