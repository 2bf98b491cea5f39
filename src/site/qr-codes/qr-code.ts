// A QR code as it stands at a time, from its row.
import * as z from 'zod/mini'
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import { isReusable, type QrCode, requestsToken } from '../../contract/qr-code.ts'
import type { Token } from '../../contract/token.ts'
import { qrCodeAt, tokenAt } from '../clock.ts'
import { latestPaymentOf } from '../payments/rows.ts'
import type { Seconds } from '../time.ts'
import { tokenOf } from '../tokens/rows.ts'
import { amountOf, linkOf, type QrCodeRow } from './rows.ts'

const Refunds = z.array(
  z.object({ refundUid: z.string(), status: z.enum(PAYMENT_STATUSES), minorUnits: z.int() }),
)

export function qrCodeOf(row: QrCodeRow, now: Seconds): QrCode {
  const { image_media_type: mediaType, image_width: width, image_height: height } = row
  const { status, version, changesAt, sale, tokens } = qrCodeAt(row, now)
  const link = linkOf(row)
  return {
    qrCodeUid: row.qr_code_uid,
    type: row.type,
    ttl: row.ttl ?? undefined,
    image: mediaType !== null && width !== null && height !== null ? { mediaType, width, height } : undefined,
    amount: amountOf(row),
    paymentPurpose: row.payment_purpose ?? undefined,
    redirectUrl: row.redirect_url ?? undefined,
    callbackUrl: row.callback_url ?? undefined,
    tokenizationPurpose: row.tokenization_purpose ?? undefined,
    tokenizationAccount: row.tokenization_account ?? undefined,
    createToken: row.create_token === 1,
    payload: row.payload ?? link,
    pageLink: link.slice(row.base.length + 1),
    createdAt: row.created_at,
    expiresAt: row.end_at ?? undefined,
    status,
    version,
    sale,
    payment: latestPaymentOf(row, row.payment_sale),
    refunds: row.refunds === null || isReusable(row) ? [] : Refunds.parse(JSON.parse(row.refunds)),
    token: shownToken(
      row,
      tokens.map((token) => tokenOf(token, tokenAt(token, now).status)),
    ),
    changesAt,
  }
}

/** The latest token that can be charged, else the latest one: a QR code can bind several accounts. */
const shownToken = (row: QrCodeRow, tokens: readonly Token[]): Token | undefined =>
  tokens.findLast(({ status }) => status === 'CREATED') ??
  tokens.at(-1) ??
  (requestsToken({ type: row.type, createToken: row.create_token === 1 }) ? { status: 'WAITING' } : undefined)
