// What others report as they like: one field that breaks its rule must not cost the rest.
import * as z from 'zod/mini'

/** An optional value that counts as absent where it breaks its rule. */
export const ifValid = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined)
