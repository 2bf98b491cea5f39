// How a merchant asks for a list of QR codes, and what it gets (contract, section 7).
import * as z from 'zod'
import { STATUSES } from './life.ts'
import { Cursor, limitOr } from './paging.ts'
import { QrCodeAnswer } from './qr-code-answer.ts'

const MOMENT_RULE = 'an ISO 8601 date and time with an offset (in a URL, + is %2B)'

const Moment = z.iso
  .datetime({ offset: true, error: MOMENT_RULE })
  .transform((text) => Math.floor(Date.parse(text) / 1000))

/** The schema of the query; every value comes as text. Moments become Unix seconds. */
export const ListQuery = z.object({
  status: z.enum(STATUSES, `one of ${STATUSES.join(', ')}`).optional(),
  createdFrom: Moment.optional(),
  createdTo: Moment.optional(),
  limit: limitOr(20),
  cursor: Cursor.optional(),
})

export const ListAnswer = z.object({
  qrCodes: z.array(QrCodeAnswer),
  nextCursor: z.string().optional().meta({
    description: 'Where there may be more; a page that was searched for a rare status can be short',
  }),
})
