// The schemas of an OpenAPI document as rows of tables: what a value must be, in words.
import type { Schema } from '../../src/openapi/objects.ts'

export type Schemas = Record<string, Schema>

export interface Row {
  /** The path from the body: `qrCode.ttl`, `payments[].amount`. */
  name: string
  type: string
  /** Whether a request must have it: `required in amount`; or whether an answer can lack it: `optional`. */
  presence: string
  rule: string
}

/** Whether a value is sent to the service, or by it. */
export type Direction = 'request' | 'answer'

/** The fields of a schema, those of its objects after it; of several schemas, a list of fields for each. */
export function fieldsOf(schema: Schema, schemas: Schemas, direction: Direction): Row[][] {
  const { anyOf, items, ...own } = resolve(schema, schemas)
  if (anyOf) return anyOf.flatMap((each) => fieldsOf(each, schemas, direction))
  return [rowsOf(items ?? own, schemas, direction, { prefix: items ? '[].' : '' })]
}

interface Parent {
  prefix: string
  /** The nearest object that a request need not have. */
  optional?: string
}

function rowsOf(schema: Schema, schemas: Schemas, direction: Direction, parent: Parent): Row[] {
  const { properties = {}, required = [] } = resolve(schema, schemas)
  return Object.entries(properties).flatMap(([key, value]) => {
    const name = parent.prefix + key
    const isRequired = required.includes(key)
    const optional = isRequired ? parent.optional : name
    const { items, ...own } = resolve(value, schemas)
    const inside = { prefix: `${name}${items ? '[]' : ''}.`, ...(optional !== undefined && { optional }) }
    return [
      rowOf(name, value, schemas, presenceOf(isRequired, direction, parent.optional)),
      ...rowsOf(items ?? own, schemas, direction, inside),
    ]
  })
}

function presenceOf(isRequired: boolean, direction: Direction, parent: string | undefined): string {
  if (direction === 'answer') return isRequired ? '' : 'optional'
  if (!isRequired) return ''
  return parent === undefined ? 'required' : `required in \`${parent}\``
}

/** A field or a parameter. */
export function rowOf(name: string, schema: Schema, schemas: Schemas, presence: string): Row {
  const own = resolve(schema, schemas)
  const item = own.items && resolve(own.items, schemas)
  return {
    name,
    type: item ? `array of ${typeOf(item)}` : typeOf(own),
    presence,
    rule: ruleOf(item ? { ...own, enum: item.enum } : own),
  }
}

/** What a value must be, in sentences; a rule that the description already states is not repeated. */
function ruleOf(schema: Schema): string {
  const { description = '', type, minimum, maximum, minLength = 0, maxLength } = schema
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  const says = (value: unknown) => new RegExp(`(?<!\\w)${value}(?!\\w)`).test(description)
  const isToldAlready = values.every(says)
  const list = values.map((value) => `\`${value}\``).join(', ')
  const oneOf = values.length === 1 ? 'Always' : type === 'array' ? 'Each is one of' : 'One of'
  const rules = [
    description,
    !isToldAlready && `${oneOf} ${list}`,
    minimum !== undefined &&
      (maximum === undefined ? `At least ${minimum}` : `From ${minimum} to ${maximum}`),
    maxLength !== undefined &&
      !says(`${maxLength} characters`) &&
      `${minLength === 0 ? 'At most' : `${minLength} to`} ${maxLength} characters`,
  ]
  return rules.filter(Boolean).join('. ')
}

/** The schema merged with the one of its $ref; its own keywords take precedence. */
function resolve(schema: Schema, schemas: Schemas): Schema {
  const { $ref, ...own } = schema
  const referred = $ref === undefined ? undefined : schemas[$ref.replace('#/components/schemas/', '')]
  return referred ? { ...resolve(referred, schemas), ...own } : schema
}

function typeOf({ type, anyOf, format }: Schema): string {
  const types = [type ?? anyOf?.map((each) => each.type ?? '') ?? 'value'].flat(2)
  return `${types.join(' or ')}${format ? ` (${format})` : ''}`
}
