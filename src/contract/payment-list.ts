// The list of a site's payments (contract, section 8).
import * as z from 'zod/mini'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { PaymentStatus } from './payment.ts'
import { Cursor, DateTime, limitParameter, listParameter } from './query.ts'
import { QrCodeUid, RefundUid } from './uid.ts'

export const PaymentsQuery = strictObject({
  status: z
    .optional(listParameter(PaymentStatus))
    .apply(meta, { description: 'Only payments in these statuses', examples: [['COMPLETED']] }),
  applied: z
    .optional(
      z.pipe(
        z.literal('false', 'false'),
        z.transform(() => false as const),
      ),
    )
    .apply(meta, { description: '`false`: only payments that no QR code took' }),
  decision: z.optional(z.literal('OPEN', 'OPEN')).apply(meta, {
    description:
      '`OPEN`: only payments that need a decision: completed, not applied, not returned in full, not marked as delivered',
  }),
  createdFrom: z
    .optional(DateTime)
    .apply(meta, { description: 'Only payments whose createdDateTime is this time or later' }),
  createdTo: z
    .optional(DateTime)
    .apply(meta, { description: 'Only payments whose createdDateTime is this time or earlier' }),
  qrCodeUid: z.optional(QrCodeUid).apply(meta, {
    description:
      'Only payments of this QR code, the latest report first. No other parameter but limit and cursor is allowed beside it',
  }),
  boundBy: z.optional(QrCodeUid).apply(meta, {
    description:
      'Only charges of the tokens that this QR code bound, the latest first. No other parameter but limit and cursor is allowed beside it',
  }),
  refundId: z.optional(RefundUid).apply(meta, {
    description:
      'Only payments that have a refund with this identifier, the latest first, on one page. No other parameter but limit is allowed beside it',
  }),
  limit: limitParameter({ byDefault: 20, max: 100 }),
  cursor: z.optional(Cursor),
}).check(
  z.check(({ value: { refundId, qrCodeUid, boundBy, limit, ...others }, issues }) => {
    const refuse = (beside: string, refused: object) => {
      for (const [name, input] of Object.entries(refused)) {
        issues.push({ code: 'custom', input, path: [name], message: `absent beside ${beside}` })
      }
    }
    const { cursor, ...filters } = others
    const codes = { ...(qrCodeUid !== undefined && { qrCodeUid }), ...(boundBy !== undefined && { boundBy }) }
    if (refundId !== undefined) refuse('refundId', { ...codes, ...others })
    else if (boundBy !== undefined)
      refuse('boundBy', { ...(qrCodeUid !== undefined && { qrCodeUid }), ...filters })
    else if (qrCodeUid !== undefined) refuse('qrCodeUid', filters)
  }),
)
export type PaymentsQuery = z.output<typeof PaymentsQuery>
