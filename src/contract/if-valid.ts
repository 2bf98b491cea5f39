// `ifValid`: a zod schema for an optional field that others fill, such as a bank: an invalid value counts as absent.
import * as z from 'zod/mini'

/** An optional value that counts as absent where it breaks its rule. */
export const ifValid = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined)
