// `parsed`: a zod schema that checks a value and converts it, such as an amount's text to minor units.
import * as z from 'zod/mini'

/**
 * What a value means.
 * @param parse gives undefined for a value that breaks the rule
 * @param rule what the value must be, for the error
 */
export const parsed = <In, Out>(
  schema: z.ZodMiniType<In>,
  rule: string,
  parse: (value: In) => Out | undefined,
) =>
  z.pipe(
    schema,
    z.transform((value, context): Out => {
      const result = parse(value)
      if (result !== undefined) return result
      context.issues.push({ code: 'custom', input: value, message: rule })
      return z.NEVER
    }),
  )
