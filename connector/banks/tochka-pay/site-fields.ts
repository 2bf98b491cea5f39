// The fields of a site at Tochka Pay Gateway, as the configuration has them.
import * as z from 'zod'

const QRC_ID_RULE = 'must be 32 of 0-9 A-Z a-z -, as the bank has reserved it'

export const SiteFields = z.strictObject({
  digitalRouble: z.boolean('must be true or false').default(false),
  cashRegisterQrcIds: z
    .array(z.string(QRC_ID_RULE).regex(/^[0-9A-Za-z-]{32}$/, QRC_ID_RULE))
    .refine((ids) => new Set(ids).size === ids.length, 'must have each id once')
    .default([]),
})
export type SiteSettings = z.output<typeof SiteFields>
