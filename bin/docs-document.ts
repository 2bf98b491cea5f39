// The parts of an OpenAPI document that its page shows.
import * as z from 'zod'
import { Schema } from './docs-schema.ts'

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: Schema,
})
export type Parameter = z.infer<typeof Parameter>

const Content = z.record(
  z.string(),
  z.object({
    schema: Schema,
    examples: z.record(z.string(), z.object({ summary: z.string(), value: z.unknown() })).optional(),
  }),
)
const Responses = z.record(z.string(), z.object({ description: z.string(), content: Content.optional() }))

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(Parameter),
  requestBody: z.object({ content: Content }).optional(),
  responses: Responses,
})
/** An operation with its address; the method is in capital letters. */
export type Operation = z.infer<typeof Operation> & { path: string; method: string }

const Webhook = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  parameters: z.array(z.union([z.object({ $ref: z.string() }), Parameter])),
  requestBody: z.object({ content: Content }),
  responses: Responses,
})
export type Webhook = z.infer<typeof Webhook>

export const OpenApi = z.object({
  info: z.object({ title: z.string(), version: z.string(), summary: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  webhooks: z.record(z.string(), z.object({ post: Webhook })),
  components: z.object({
    schemas: z.record(z.string(), Schema),
    parameters: z.record(z.string(), Parameter),
  }),
})
