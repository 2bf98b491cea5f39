// Objects of a request: unknown fields are refused (contract, section 3).
import * as z from 'zod'

/** An object without unknown fields. The message of the issue `unrecognized_keys` lists the known ones. */
export const strictObject = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(shape).join(', ') : 'an object'),
  })
