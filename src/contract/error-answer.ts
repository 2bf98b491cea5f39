// The error object (contract, section 6).
import * as z from 'zod/mini'
import { meta } from './meta.ts'

export const ErrorAnswer = z
  .object({
    serviceName: z.literal('payin-core'),
    errorCode: z.string().apply(meta, { description: 'What is wrong; programs decide by it' }),
    description: z.string().apply(meta, { description: 'For the merchant’s developer, in English' }),
    userMessage: z.string().apply(meta, {
      description: 'For the payer, in Russian, or in English if `Accept-Language` prefers it',
    }),
    dateTime: z.iso.datetime({ offset: true }),
    traceId: z
      .string()
      .check(z.regex(/^[0-9a-f]{16}$/))
      .apply(meta, { description: 'The same as the header `X-Trace-Id`' }),
    cause: z.optional(z.record(z.string(), z.array(z.string()))).apply(meta, {
      description: 'The path of each broken field, and what is wrong with it; present if fields are broken',
    }),
  })
  .apply(meta, { id: 'ErrorAnswer' })
export type ErrorAnswer = z.infer<typeof ErrorAnswer>
