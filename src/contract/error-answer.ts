// The error object (contract, section 6).
import * as z from 'zod'

export const ErrorAnswer = z
  .object({
    serviceName: z.literal('payin-core'),
    errorCode: z.string(),
    description: z.string().meta({ description: 'For the merchant’s developer, in English' }),
    userMessage: z.string().meta({ description: 'For the payer, in Russian or English by Accept-Language' }),
    dateTime: z.iso.datetime({ offset: true }),
    traceId: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .meta({ description: 'The same as the header X-Trace-Id' }),
    cause: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .meta({ description: 'Field path → what is wrong with it; where fields are broken' }),
  })
  .meta({ id: 'ErrorAnswer' })
export type ErrorAnswer = z.infer<typeof ErrorAnswer>
