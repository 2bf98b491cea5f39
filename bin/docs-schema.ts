// The parts of an OpenAPI document that its page shows, and its schemas as tables of fields.
import * as z from 'zod'

export interface Schema {
  [keyword: string]: unknown
  $ref?: string | undefined
  type?: string | readonly string[] | undefined
  description?: string | undefined
  properties?: Record<string, Schema> | undefined
  required?: readonly string[] | undefined
  items?: Schema | undefined
  enum?: readonly unknown[] | undefined
  examples?: readonly unknown[] | undefined
}

const Schema: z.ZodType<Schema> = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  get properties() {
    return z.record(z.string(), Schema).optional()
  },
  required: z.array(z.string()).optional(),
  get items() {
    return Schema.optional()
  },
  enum: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
})

const Content = z.record(
  z.string(),
  z.object({ schema: Schema, examples: z.record(z.string(), z.object({ value: z.unknown() })).optional() }),
)

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: Schema,
      }),
    )
    .optional(),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: Content.optional() })),
})
export type Operation = z.infer<typeof Operation>

export const OpenApi = z.object({
  info: z.object({ title: z.string(), version: z.string(), summary: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
})

export interface Field {
  /** The path from the body: `qrCode.ttl`, `payments[].amount`. */
  name: string
  type: string
  rule: string
  required: boolean
}

/** The fields of a schema, those of its objects after it. */
export function fieldsOf(schema: Schema, schemas: Record<string, Schema>, prefix = ''): Field[] {
  const { properties = {}, required = [] } = resolve(schema, schemas)
  return Object.entries(properties).flatMap(([key, value]) => {
    const own = resolve(value, schemas)
    const item = own.items && resolve(own.items, schemas)
    const name = `${prefix}${key}`
    const type = item ? `array of ${typeOf(item)}` : typeOf(own)
    return [
      {
        name,
        type,
        rule: ruleOf(item?.enum ? item : own, own.description),
        required: required.includes(key),
      },
      ...fieldsOf(item ?? own, schemas, `${name}${item ? '[]' : ''}.`),
    ]
  })
}

/** What a value must be, in words. */
export function ruleOf(schema: Schema, description = schema.description): string {
  const { minimum, maximum, minLength, maxLength, default: fallback, enum: values } = schema
  const rules = [
    description,
    values && `${values.length > 1 ? 'one of ' : ''}${values.map((value) => `\`${value}\``).join(', ')}`,
    (minimum !== undefined || maximum !== undefined) && `${minimum ?? ''} to ${maximum ?? ''}`,
    maxLength !== undefined &&
      // A description can say it already, with more of the rule.
      !description?.includes(`${maxLength} characters`) &&
      `${minLength ?? 0} to ${maxLength} characters`,
    fallback !== undefined && `by default \`${fallback}\``,
  ]
  return rules.filter(Boolean).join('; ')
}

/** The schema with what it refers to; its own keywords win. */
function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  const { $ref, ...own } = schema
  const referred = $ref === undefined ? undefined : schemas[$ref.replace('#/components/schemas/', '')]
  return referred ? { ...resolve(referred, schemas), ...own } : schema
}

const typeOf = ({ type = 'value', format }: Schema) =>
  `${typeof type === 'string' ? type : type.join(' or ')}${format ? ` (${format})` : ''}`
