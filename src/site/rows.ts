// A QR code as a row of the books, and back.

import type { Image } from '../contract/image.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import type { QrCode, QrCodeOrder, QrCodeType } from '../contract/qr-code.ts'
import { isPayable, type QrCodeStatus } from '../contract/status.ts'

/** An order, column by column. */
export type OrderRow = {
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

/** As it is read; `payment_status` is of the latest attempt to pay, whose uid is `payment_uid`. */
export type QrCodeRow = OrderRow & {
  payload: string
  status: QrCodeStatus
  created_at: number
  number: number
  version: number
  expires_at: number
  payment_uid: string | null
  payment_status: PaymentStatus | null
}

/** The columns of an order. */
export function orderRow(order: QrCodeOrder): OrderRow {
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

/** The QR code of a row, as it stands at a moment, in Unix seconds. */
export function qrCodeOf(row: QrCodeRow, now: number): QrCode {
  const { image_media_type: mediaType, image_width: width, image_height: height, kopecks, currency } = row
  const { payment_uid: paymentUid, payment_status: paymentStatus } = row
  const expired = isDue(row, now)
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
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    // An expiry counts from its second on, whether or not the alarm has written it down.
    status: expired ? 'EXPIRED' : row.status,
    version: expired ? row.version + 1 : row.version,
    payment:
      paymentUid !== null && paymentStatus !== null ? { paymentUid, status: paymentStatus } : undefined,
  }
}

/** Whether the row's time is over and its state does not say so yet. */
export const isDue = (
  { status, expires_at }: Pick<QrCodeRow, 'status' | 'expires_at'>,
  now: number,
): boolean => isPayable(status) && now >= expires_at
