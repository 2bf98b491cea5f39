// Inserts the row of a new QR code.
import type { QrCodeSpec, RegisteredLink } from '../../contract/qr-code.ts'
import { endOfTtl } from '../../contract/ttl.ts'
import { insertRow } from '../rows/sql.ts'
import { type Seconds, seconds } from '../time.ts'
import { type QrCodeRow, specRow } from './rows.ts'

/** The values of a new QR code that are not in the request; `linkBase` is the number of its base and bank. */
interface NewRow {
  number: number
  linkBase: number
  base: string
  bank: string
  /** The id of its link, or of the payer's page where a bank made the link. */
  id: string
  createdAt: Seconds
  /** The number of the event of its creation. */
  event: number
  /** The number of the terms of its receipts. */
  terms: number | null
}

const COLUMNS = [
  ...['number', 'link_base', 'link_id', 'status', 'version', 'created_at', 'created_event', 'receipt_terms'],
  ...Object.keys(specRow({ qrCodeUid: '', type: 'DYNAMIC', ttl: 1, createToken: false })),
]
const insertInto = (columns: readonly string[]) =>
  `INSERT OR IGNORE INTO qr_codes (${columns}) VALUES (${columns.map(() => '?')})` as const
const INSERT = insertInto(COLUMNS)
const INSERT_REGISTERED = insertInto([...COLUMNS, 'payload', 'page_id', 'reference', 'early_end_at'])

/**
 * Inserts a QR code.
 * @param registered its link, where a bank made it
 * @returns its row; undefined if its qrCodeUid is used, or its link by another QR code
 */
export function insertQrCode(
  sql: SqlStorage,
  spec: QrCodeSpec,
  { number, linkBase, base, bank, id, createdAt, event, terms }: NewRow,
  registered?: RegisteredLink,
): QrCodeRow | undefined {
  const status = 'CREATED'
  const columns = specRow(spec)
  const linkId = registered?.qrcId ?? id
  const values = [number, linkBase, linkId, status, 0, createdAt, event, terms, ...Object.values(columns)]
  const ttlEnd = spec.ttl === undefined ? null : seconds(endOfTtl(createdAt, spec.ttl))
  const linkEnd = registered?.endsAt
  const earlyEnd = ttlEnd !== null && linkEnd !== undefined && linkEnd < ttlEnd ? seconds(linkEnd) : null
  const reference = registered?.reference ?? null
  const isInserted = registered
    ? insertRow(sql, INSERT_REGISTERED, ...values, registered.payload, id, reference, earlyEnd)
    : insertRow(sql, INSERT, ...values)
  if (!isInserted) return undefined
  return {
    ...columns,
    number,
    base,
    bank,
    link_id: linkId,
    status,
    version: 0,
    created_at: createdAt,
    // The column is computed from the same.
    end_at: earlyEnd ?? ttlEnd,
    receipt_terms: terms,
    payload: registered?.payload ?? null,
    page_id: registered ? id : null,
    reference,
    payment: null,
    payment_uid: null,
    payment_status: null,
    payment_minor_units: null,
    payment_currency: null,
    payment_at: null,
    payment_method: null,
    payment_receipt: null,
    refunds: null,
    tokens: null,
    sale: null,
    payment_sale: null,
  }
}
