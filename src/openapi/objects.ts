// The objects of the OpenAPI document, as far as its page shows them.
import * as z from 'zod/mini'
import type { Example } from '../contract/example.ts'

/** A JSON schema; `$ref` refers to a named one. */
export interface Schema {
  [keyword: string]: unknown
  $ref?: string | undefined
  type?: string | readonly string[] | undefined
  description?: string | undefined
  properties?: Record<string, Schema> | undefined
  required?: readonly string[] | undefined
  items?: Schema | undefined
  anyOf?: readonly Schema[] | undefined
  enum?: readonly unknown[] | undefined
  examples?: readonly unknown[] | undefined
}

export const Schema: z.ZodMiniType<Schema> = z.looseObject({
  $ref: z.optional(z.string()),
  type: z.optional(z.union([z.string(), z.array(z.string())])),
  description: z.optional(z.string()),
  get properties() {
    return z.optional(z.record(z.string(), Schema))
  },
  required: z.optional(z.array(z.string())),
  get items() {
    return z.optional(Schema)
  },
  get anyOf() {
    return z.optional(z.array(Schema))
  },
  enum: z.optional(z.array(z.unknown())),
  examples: z.optional(z.array(z.unknown())),
})

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string | undefined
  schema: Schema
}

/** By media type. */
export type Content = Record<string, { schema: Schema; examples?: Record<string, Example> }>

/** By status: `200`, `2XX`, `default`. */
export type Responses = Record<string, { description: string; headers?: object; content?: Content }>

export interface OperationObject {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters: Parameter[]
  requestBody?: { required: true; content: Content }
  responses: Responses
}

export interface WebhookObject extends Omit<OperationObject, 'parameters'> {
  parameters: (Parameter | { $ref: string })[]
  requestBody: { required: true; content: Content }
}

export interface OpenApiDocument {
  openapi: string
  info: {
    title: string
    version: string
    summary: string
    description: string
    license: { name: string; identifier: string }
  }
  tags: { name: string; description: string }[]
  /** Operations by path and method. */
  paths: Record<string, Record<string, OperationObject>>
  webhooks: Record<string, { post: WebhookObject }>
  components: {
    securitySchemes: object
    headers: object
    parameters: Record<string, Parameter>
    responses: Responses
    schemas: Record<string, Schema>
  }
}
