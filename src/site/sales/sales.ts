// The sales of a COUNTER code: at most one is open at a time (contract, section 15).
import type { PageQuery } from '../../contract/query.ts'
import type { Sale, SaleSpec } from '../../contract/sale.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import { isCashier, isOwnSale, isVisible, ownCaller, paymentOfTill } from '../cashier.ts'
import { openSaleForWrite, recordSaleEnd, saleForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { refusePayment } from '../operator/limits.ts'
import { contradicts, notAllowed, ok, QR_CODE_NOT_FOUND, SALE_NOT_FOUND, unequalFields } from '../outcomes.ts'
import { findQrCode, isOfBank, type QrCodeKey, type QrCodeRow } from '../qr-codes/rows.ts'
import { pageOf } from '../rows/page.ts'
import { statedText } from '../rows/receipts.ts'
import { dropReservation, endSale, recordSale, type SaleAtBank, saleAtBank } from './changes.ts'
import { insertSale, type ReservedSale, refuseSaleReceipt, reservedOf } from './new-sale.ts'
import { findSale, type SaleRow, saleByNumber, saleRows } from './rows.ts'
import { saleOf } from './sale.ts'

/** A sale as it stands, and whether an earlier request armed the code for it. */
export interface Armed {
  sale: Sale
  isReplayed: boolean
}

/** What there is of a code. @returns payin.resource.not.found */
function ofCode<T>(context: Context, key: QrCodeKey, use: (row: QrCodeRow) => Outcome<T>): Outcome<T> {
  const row = findQrCode(context.sql, key)
  return row && isVisible(context, row) ? use(row) : QR_CODE_NOT_FOUND
}

/** A sale that exists for the caller. */
function ownSale(context: Context, qrCode: number, saleUid: string): SaleRow | undefined {
  const row = findSale(context.sql, qrCode, saleUid)
  return row && isOwnSale(context, row) ? row : undefined
}

/**
 * Arms a code for a sale; the same request again changes nothing. Where a bank has to arm the link of the code, it is only
 * reserved: the same request again gives the same reservation, until the sale is armed.
 * @returns payin.resource.not.found for the code; payin.resource.already.exists where the saleUid was used with other
 * fields; payin.incorrect-method-invocation where the code is not armed now, with the saleUid of the sale that stands;
 * site.limit.exceeded
 */
export const armSale = (
  context: Context,
  key: QrCodeKey,
  spec: SaleSpec,
): Outcome<Armed | { reserved: ReservedSale }> =>
  ofCode<Armed | { reserved: ReservedSale }>(context, key, (row) => {
    const open = openSaleForWrite(context, row)
    const known = findSale(context.sql, row.number, spec.saleUid)
    if (known && !isOwnSale(context, known)) return OF_ANOTHER
    if (known?.status === 'WAITING') {
      return (
        contradiction(known, spec) ??
        ok({ reserved: reservedOf(context, row, { spec, sale: known, isNew: false }) })
      )
    }
    if (known) return replay(context, known, spec)
    const refusal =
      refuseSale(context, row, open) ??
      refusePayment(context.memory, spec.amount) ??
      refuseSaleReceipt(context, spec)
    if (refusal) return refusal
    if (isOfBank(row)) {
      const sale = insertSale(context, row, spec, 'WAITING')
      return ok({ reserved: reservedOf(context, row, { spec, sale, isNew: true }) })
    }
    const sale = insertSale(context, row, spec, 'ACTIVE')
    recordSale(context, sale, 'sale.created')
    return armed(context, sale.number, false)
  })

/** What a bank says of a sale for which it armed a link: its own text, and its earlier end, in Unix seconds. */
export interface ArmedByBank {
  reference?: string | undefined
  endsAt?: number | undefined
}

/** The bank armed the link of a reserved sale. @returns payin.incorrect-method-invocation where the code was cancelled meanwhile */
export const confirmSale = (
  context: Context,
  key: QrCodeKey,
  spec: SaleSpec,
  bank: ArmedByBank,
): Outcome<Armed> =>
  ofCode(context, key, (row) => {
    const { sql } = context
    const sale = ownSale(context, row.number, spec.saleUid)
    if (!sale) return SALE_NOT_FOUND
    if (sale.status !== 'WAITING') return replay(context, sale, spec)
    if (row.status !== 'CREATED')
      return notAllowed(`the QR code is ${row.status}, must be CREATED to be armed`)
    const dueAt = Math.min(sale.due_at, bank.endsAt ?? sale.due_at)
    sql.exec(
      "UPDATE sales SET status = 'ACTIVE', version = version + 1, due_at = ?, reference = ? WHERE number = ?",
      ...[dueAt, bank.reference ?? null, sale.number],
    )
    const active = saleByNumber(sql, sale.number) ?? sale
    recordSale(context, active, 'sale.created')
    recordSaleEnd(context, active)
    return armed(context, sale.number, false)
  })

/** The bank refused to arm the link: the code is free again. */
export const dropSale = (context: Context, key: QrCodeKey, saleUid: string): Outcome<void> =>
  ofCode(context, key, ({ number }) => {
    const sale = ownSale(context, number, saleUid)
    if (sale) dropReservation(context, sale)
    return ok(undefined)
  })

/** A sale as it stands, as the caller sees it; undefined while it waits for the bank. */
function shownTo({ by, now }: Context, row: SaleRow): Sale | undefined {
  const sale = saleOf(row, now)
  return sale && isCashier(by) ? { ...sale, payment: paymentOfTill(sale.payment) } : sale
}

/** A sale as it stands. @returns payin.resource.not.found */
export const readSale = (context: Context, key: QrCodeKey, saleUid: string): Outcome<Sale> =>
  ofCode(context, key, ({ number }) => {
    const row = ownSale(context, number, saleUid)
    const sale = row && shownTo(context, row)
    return sale ? ok(sale) : SALE_NOT_FOUND
  })

export interface SalePage {
  sales: Sale[]
  /** After which number there are more; absent on the last page. */
  next?: number | undefined
}

/** How many sales are looked through for those of a cashier: no index has them, and a page can be short. */
const LOOKED_THROUGH = 500

/** A page of the sales of a code, newest first. */
export const salesOf = (
  context: Context,
  key: QrCodeKey,
  { cursor = Number.MAX_SAFE_INTEGER, limit }: PageQuery,
): Outcome<SalePage> =>
  ofCode(context, key, ({ number }) => {
    const own = ownCaller(context)
    const read = saleRows(
      context.sql,
      "WHERE sales.qr_code = ? AND sales.number < ? AND sales.status <> 'WAITING' ORDER BY sales.number DESC LIMIT ?",
      ...[number, cursor, own === undefined ? limit + 1 : LOOKED_THROUGH],
    )
    const seen = own === undefined ? read : read.filter(({ caller }) => caller === own)
    const { shown, next } = pageOf(seen, limit, (row) => shownTo(context, row))
    const isCut = own !== undefined && read.length === LOOKED_THROUGH
    return ok({
      sales: shown.flatMap((sale) => sale ?? []),
      next: next ?? (isCut ? read.at(-1)?.number : undefined),
    })
  })

/** What the bank must be told before a sale is cancelled. @returns as cancelSale */
export const saleToCancel = (
  context: Context,
  key: QrCodeKey,
  saleUid: string,
): Outcome<SaleAtBank | undefined> =>
  ofCode<SaleAtBank | undefined>(context, key, (row) => {
    const sale = ownSale(context, row.number, saleUid)
    if (!sale || sale.status === 'WAITING') return SALE_NOT_FOUND
    const current = saleOf(sale, context.now)
    if (current?.status === 'CANCELLED' || !isOfBank(row)) return ok(undefined)
    if (current?.status !== 'ACTIVE') return notActive(current?.status)
    return ok(saleAtBank(row, sale))
  })

/** Cancels an ACTIVE sale; a second call changes nothing. @returns payin.resource.not.found; payin.incorrect-method-invocation */
export const cancelSale = (context: Context, key: QrCodeKey, saleUid: string): Outcome<Sale> =>
  ofCode(context, key, (code) => {
    const row = saleForWrite(context, ownSale(context, code.number, saleUid))
    if (!row || row.status === 'WAITING') return SALE_NOT_FOUND
    if (row.status !== 'ACTIVE' && row.status !== 'CANCELLED') return notActive(row.status)
    const sale = shownTo(context, row.status === 'ACTIVE' ? endSale(context, row, 'CANCELLED') : row)
    return sale ? ok(sale) : SALE_NOT_FOUND
  })

const notActive = (status: string | undefined): Refusal =>
  notAllowed(`the sale is ${status}, must be ACTIVE to be cancelled`)

/** @param open the sale that the code has open */
function refuseSale(context: Context, row: QrCodeRow, open: SaleRow | undefined): Refusal | undefined {
  if (row.type !== 'COUNTER') {
    return notAllowed(`the QR code has type ${row.type}, must be COUNTER to have sales`)
  }
  if (row.status !== 'CREATED') return notAllowed(`the QR code is ${row.status}, must be CREATED to be armed`)
  if (!open) return undefined
  const refusal = notAllowed('another sale is ACTIVE, must be paid, be cancelled or expire first')
  return isOwnSale(context, open) ? { ...refusal, fields: { saleUid: [open.sale_uid] } } : refusal
}

/** Nothing of a sale of another cashier is shown. */
const OF_ANOTHER: Refusal = {
  ok: false,
  code: 'payin.resource.already.exists',
  description: 'the saleUid was used by another key or person',
}

function replay(context: Context, known: SaleRow, spec: SaleSpec): Outcome<Armed> {
  return contradiction(known, spec) ?? armed(context, known.number, true)
}

function armed(context: Context, number: number, isReplayed: boolean): Outcome<Armed> {
  const row = saleByNumber(context.sql, number)
  const sale = row && shownTo(context, row)
  return sale ? ok({ sale, isReplayed }) : SALE_NOT_FOUND
}

function contradiction(
  known: SaleRow,
  { saleUid, amount, paymentPurpose, ttl, receipt }: SaleSpec,
): Refusal | undefined {
  const fields = unequalFields({
    'amount.value': known.minor_units === amount.minorUnits,
    'amount.currency': known.currency === amount.currency,
    paymentPurpose: known.payment_purpose === (paymentPurpose ?? null),
    ttl: known.ttl === ttl,
    receipt: known.receipt === (receipt ? statedText(receipt) : null),
  })
  if (fields.length === 0) return undefined
  const description = `sale ${JSON.stringify(saleUid)} was requested with other fields`
  return contradicts(description, fields, 'the first request of this sale')
}
