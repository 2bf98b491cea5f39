// The schema of an object in a request: unknown fields are refused (contract, section 3).
import * as z from 'zod/mini'

/** An object without unknown fields. The message of the issue `unrecognized_keys` lists the known ones. */
export const strictObject = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? Object.keys(shape).join(', ') : 'an object'),
  })
