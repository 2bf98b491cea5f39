// What Tochka's document says of the answers to its calls (Tochka API 1.91): 200, and the shape of a refusal.
import * as z from 'zod'
import type { Answers } from '../answers.ts'

/** Validation_ErrorResponse: all fields are required, so a gateway's own JSON is none. */
const ValidationError = z
  .object({
    code: z.string(),
    id: z.string(),
    message: z.string(),
    Errors: z.array(z.object({ errorCode: z.string(), message: z.string(), url: z.string() })),
  })
  .transform(({ message, Errors }) => {
    const texts = new Set([message, ...Errors.map((error) => error.message)].filter(Boolean))
    return `Tochka: ${Array.from(texts).join('; ')}`
  })

const executed = <T>(body: z.ZodType<T>) => ({ status: 200, body, says: '"200": Successful Response' })

/** A call that only reads: no refusal of it decides anything. */
export const reads = <T>(body: z.ZodType<T>): Answers<T> => ({ executed: executed(body) })

/**
 * A call that changes something. The document lists 403, 404, 424 and 500 too, of systems before and behind the bank's
 * interface: they do not say that nothing was done.
 */
export const changes = <T>(body: z.ZodType<T>): Answers<T> => ({
  executed: executed(body),
  refused: [{ status: 400, body: ValidationError, says: '"400": Bad Request, Validation_ErrorResponse' }],
})

/** A call that reads what may not be there: the webhook of an application. */
export const readsOrLacks = <T>(body: z.ZodType<T>): Answers<T> => ({
  executed: executed(body),
  notKnown: [
    { status: 404, body: ValidationError, says: '"404": Not Found, HTTPNotFoundResponse' },
    { status: 400, body: ValidationError, says: '"400": Bad Request, Validation_ErrorResponse' },
  ],
})
