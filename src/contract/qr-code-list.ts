// How a merchant asks for a list of QR codes, and what it gets (contract, section 7).
import * as z from 'zod'
import { QrCodeAnswer } from './qr-code-answer.ts'
import { STATUSES } from './status.ts'

const MOMENT_RULE = 'an ISO 8601 date and time with an offset (in a URL, + is %2B)'
const LIMIT_RULE = 'a whole number from 1 to 100'
const CURSOR_RULE = 'a nextCursor of an earlier answer'

const Moment = z.iso
  .datetime({ offset: true, error: MOMENT_RULE })
  .transform((text) => Math.floor(Date.parse(text) / 1000))

/** Where the next page begins: behind the QR code of this number. */
const Cursor = z.string(CURSOR_RULE).transform((cursor, context) => {
  const [number] = /^\d{1,15}$/.exec(decode(cursor)) ?? []
  if (number) return Number(number)
  context.issues.push({ code: 'custom', input: cursor, message: CURSOR_RULE })
  return z.NEVER
})

/** The schema of the query; every value comes as text. Moments become Unix seconds. */
export const ListQuery = z.object({
  status: z.enum(STATUSES, `one of ${STATUSES.join(', ')}`).optional(),
  createdFrom: Moment.optional(),
  createdTo: Moment.optional(),
  limit: z
    .string()
    .regex(/^([1-9]\d?|100)$/, LIMIT_RULE)
    .transform(Number)
    .default(20),
  cursor: Cursor.optional(),
})

/** The cursor of a number, opaque to whoever gets it. */
export const cursorOf = (number: number): string => btoa(`${number}`).replaceAll('=', '')

function decode(cursor: string): string {
  try {
    return atob(cursor)
  } catch {
    return ''
  }
}

export const ListAnswer = z.object({
  qrCodes: z.array(QrCodeAnswer),
  nextCursor: z.string().optional().meta({
    description: 'Where there may be more; a page that was searched for a rare status can be short',
  }),
})
