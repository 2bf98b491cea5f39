// The list of a site's QR codes (contract, section 7).
import * as z from 'zod'
import { strictObject } from './object.ts'
import { QrCodeAnswer } from './qr-code-answer.ts'
import { Cursor, DateTime, limitParameter } from './query.ts'
import { type QrCodeStatus, STATUSES } from './status.ts'

const STATUS_RULE = `one or several of ${STATUSES.join(', ')}, separated by commas`
const isStatus = (text: string): text is QrCodeStatus => STATUSES.some((status) => status === text)

const StatusList = z
  .string(STATUS_RULE)
  .transform((text, context): QrCodeStatus[] => {
    const parts = text.split(',')
    const statuses = parts.filter(isStatus)
    if (statuses.length === parts.length) return [...new Set(statuses)]
    context.issues.push({ code: 'custom', input: text, message: STATUS_RULE })
    return z.NEVER
  })
  .meta({
    description: `Only QR codes in these statuses: ${STATUS_RULE}`,
    examples: ['CREATED,DECLINED'],
  })

export const ListQuery = strictObject({
  status: StatusList.optional(),
  createdFrom: DateTime.optional().meta({ description: 'Only QR codes created at this time or later' }),
  createdTo: DateTime.optional().meta({ description: 'Only QR codes created at this time or earlier' }),
  limit: limitParameter({ byDefault: 20, max: 100 }),
  cursor: Cursor.optional(),
})

export const ListAnswer = z
  .object({
    qrCodes: z.array(QrCodeAnswer),
    nextCursor: z.string().optional().meta({ description: 'Where there are more QR codes' }),
  })
  .meta({ id: 'QrCodePage' })
