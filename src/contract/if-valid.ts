// Data that others decide on: an optional field that is invalid counts as absent, and the rest is used.
import * as z from 'zod/mini'

/** An optional value that counts as absent where it breaks its rule. */
export const ifValid = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined)
