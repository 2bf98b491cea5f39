// Adds keywords such as `description` and `id` to a zod schema, for the OpenAPI document.
import * as z from 'zod/mini'

/**
 * A copy of a schema with more keywords of JSON Schema: `schema.apply(meta, { description: '…' })`.
 * @param keywords with an `id`, the schema is a component of the document, with that name
 */
export function meta<T extends z.ZodMiniType>(schema: T, keywords: z.core.GlobalMeta): T {
  const copy = schema.clone()
  z.globalRegistry.add<z.ZodMiniType>(copy, keywords)
  return copy
}
