// How a site keeps its QR codes: each qrCodeUid is created once.
import type { Image, QrCode, QrCodeOrder, QrCodeStatus, QrCodeType } from '../contract/qr-code.ts'
import type { Outcome } from '../errors.ts'

/** A QR code, and whether this very call created it; else it is the replay of an earlier one. */
export interface Created {
  qrCode: QrCode
  created: boolean
}

type OrderRow = {
  qr_code_uid: string
  type: QrCodeType
  ttl: number
  image_media_type: Image['mediaType'] | null
  image_width: number | null
  image_height: number | null
  kopecks: number | null
  currency: string | null
  payment_purpose: string | null
  redirect_url: string | null
  tokenization_purpose: string | null
  tokenization_account: string | null
  create_token: number
}
type QrCodeRow = OrderRow & { payload: string; status: QrCodeStatus; created_at: number }

/**
 * Creates the QR code, or replays the one that the same order created before (contract, section 3).
 * @param payload the functional link of a new QR code; a replay keeps the first one
 * @param now Unix seconds
 * @returns payin.resource.already.exists where the uid was used with another meaning
 */
export function createQrCode(
  sql: SqlStorage,
  order: QrCodeOrder,
  payload: string,
  now: number,
): Outcome<Created> {
  const row: QrCodeRow = { ...rowOf(order), payload, status: 'CREATED', created_at: now }
  const columns = Object.keys(row)
  const inserted = sql.exec(
    `INSERT INTO qr_codes (${columns}) VALUES (${columns.map(() => '?')})
     ON CONFLICT (qr_code_uid) DO NOTHING RETURNING number`,
    ...Object.values(row),
  )
  if (!inserted.next().done) return { ok: true, value: { qrCode: qrCodeOf(row, now), created: true } }

  const kept = sql.exec<QrCodeRow>('SELECT * FROM qr_codes WHERE qr_code_uid = ?', order.qrCodeUid).one()
  if (!hasMeaning(kept, order)) {
    return {
      ok: false,
      code: 'payin.resource.already.exists',
      description: `qrCodeUid ${JSON.stringify(order.qrCodeUid)} was used for another request, must differ from all earlier ones`,
    }
  }
  return { ok: true, value: { qrCode: qrCodeOf(kept, now), created: false } }
}

/** Whether the kept QR code came from an order that means the same, after defaults. */
function hasMeaning(kept: QrCodeRow, order: QrCodeOrder): boolean {
  const asked: Record<string, SqlStorageValue> = rowOf(order)
  const found: Record<string, SqlStorageValue> = kept
  return Object.keys(asked).every((column) => asked[column] === found[column])
}

function rowOf(order: QrCodeOrder): OrderRow {
  return {
    qr_code_uid: order.qrCodeUid,
    type: order.type,
    ttl: order.ttl,
    image_media_type: order.image?.mediaType ?? null,
    image_width: order.image?.width ?? null,
    image_height: order.image?.height ?? null,
    kopecks: order.amount?.kopecks ?? null,
    currency: order.amount?.currency ?? null,
    payment_purpose: order.paymentPurpose ?? null,
    redirect_url: order.redirectUrl ?? null,
    tokenization_purpose: order.tokenizationPurpose ?? null,
    tokenization_account: order.tokenizationAccount ?? null,
    create_token: order.createToken ? 1 : 0,
  }
}

function qrCodeOf(row: QrCodeRow, now: number): QrCode {
  const { image_media_type: mediaType, image_width: width, image_height: height, kopecks, currency } = row
  return {
    qrCodeUid: row.qr_code_uid,
    type: row.type,
    ttl: row.ttl,
    image: mediaType !== null && width !== null && height !== null ? { mediaType, width, height } : undefined,
    amount: kopecks !== null && currency !== null ? { kopecks, currency } : undefined,
    paymentPurpose: row.payment_purpose ?? undefined,
    redirectUrl: row.redirect_url ?? undefined,
    tokenizationPurpose: row.tokenization_purpose ?? undefined,
    tokenizationAccount: row.tokenization_account ?? undefined,
    createToken: row.create_token === 1,
    payload: row.payload,
    status: statusAt(row, now),
    createdAt: row.created_at,
  }
}

/** A QR code expires `ttl` minutes after its creation, to the second, whether or not anybody wrote that down. */
function statusAt({ status, created_at, ttl }: QrCodeRow, now: number): QrCodeStatus {
  return status === 'CREATED' && now >= created_at + ttl * 60 ? 'EXPIRED' : status
}
