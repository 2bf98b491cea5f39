// The list of a site's QR codes (contract, section 7).
import * as z from 'zod/mini'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { PAID_QR_CODE_EXAMPLE, QrCodeAnswer } from './qr-code-answer.ts'
import { Cursor, DateTime, limitParameter, listParameter, nextCursor } from './query.ts'
import { QrCodeStatus } from './status.ts'

export const ListQuery = strictObject({
  status: z
    .optional(listParameter(QrCodeStatus))
    .apply(meta, { description: 'Only QR codes in these statuses', examples: [['CREATED', 'DECLINED']] }),
  createdFrom: z
    .optional(DateTime)
    .apply(meta, { description: 'Only QR codes created at this time or later' }),
  createdTo: z
    .optional(DateTime)
    .apply(meta, { description: 'Only QR codes created at this time or earlier' }),
  limit: limitParameter({ byDefault: 20, max: 100 }),
  cursor: z.optional(Cursor),
})

export const ListAnswer = z
  .object({
    qrCodes: z.array(QrCodeAnswer),
    nextCursor: nextCursor('QR codes'),
  })
  .apply(meta, { id: 'QrCodePage' })

export const QR_CODES_EXAMPLE: Example = {
  summary: 'The only page',
  value: { qrCodes: [PAID_QR_CODE_EXAMPLE.value] },
}
