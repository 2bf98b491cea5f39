// The list of a site's QR codes (contract, sections 7 and 15).
import * as z from 'zod/mini'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { QrCodeType } from './qr-code.ts'
import { PAID_QR_CODE_EXAMPLE, QrCodeAnswer } from './qr-code-answer.ts'
import { Cursor, DateTime, limitUpTo, listParameter, nextCursor } from './query.ts'
import { QrCodeStatus } from './status.ts'
import { QrCodeUid } from './uid.ts'

/** QR codes that a request names. */
const MAX_NAMED = 100
const NAMED_RULE = `1 to ${MAX_NAMED} identifiers, separated by commas`

const DEFAULT_LIMIT = 20

export const ListQuery = strictObject({
  qrCodeUid: z.optional(listParameter(QrCodeUid, z.maxLength(MAX_NAMED, NAMED_RULE))).apply(meta, {
    description: `Only these QR codes, those that exist, in this order: ${NAMED_RULE}. Each is percent-encoded by itself, a comma as %2C. No other parameter goes with it`,
    examples: [['order-1001', 'order-1002']],
  }),
  q: z.optional(QrCodeUid).apply(meta, {
    description:
      'Only QR codes whose qrCodeUid begins with this, by qrCodeUid, on one page. No other parameter but limit is allowed beside it',
    examples: ['order-10'],
  }),
  status: z
    .optional(listParameter(QrCodeStatus))
    .apply(meta, { description: 'Only QR codes in these statuses', examples: [['CREATED', 'DECLINED']] }),
  type: z
    .optional(listParameter(QrCodeType))
    .apply(meta, { description: 'Only QR codes of these types', examples: [['STATIC']] }),
  createdFrom: z
    .optional(DateTime)
    .apply(meta, { description: 'Only QR codes created at this time or later' }),
  createdTo: z
    .optional(DateTime)
    .apply(meta, { description: 'Only QR codes created at this time or earlier' }),
  limit: z
    .optional(limitUpTo(100))
    .apply(meta, { description: `The most items on the page. By default \`${DEFAULT_LIMIT}\`` }),
  cursor: z.optional(Cursor),
}).check(
  z.check(({ value: { qrCodeUid, ...others }, issues }) => {
    const { q, limit, ...besideQ } = others
    const [first, refused] = qrCodeUid ? ['qrCodeUid', others] : ['q', q === undefined ? {} : besideQ]
    for (const [name, input] of Object.entries(refused)) {
      issues.push({ code: 'custom', input, path: [name], message: `absent beside ${first}` })
    }
  }),
)

/** What a valid query asks for: the QR codes that it names, or a page. */
export const listed = ({ qrCodeUid, q, limit = DEFAULT_LIMIT, ...page }: z.output<typeof ListQuery>) =>
  qrCodeUid ? { qrCodeUid } : q === undefined ? { ...page, limit } : { prefix: q, limit }

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
