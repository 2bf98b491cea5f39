// An operation of the API: its documentation, its contract and its handler in one place; routes and OpenAPI follow.
import type { Context, Hono } from 'hono'
import type * as z from 'zod'
import type { Scope } from '../contract/access-token.ts'
import type { ErrorCode } from '../errors.ts'
import type { Admission } from './auth.ts'
import { requireJson } from './body.ts'
import { requireAccept } from './negotiation.ts'
import type { AppEnv } from './service.ts'

/** A part of the API: operations that stand under the same addresses, the preferred one first. */
export interface Api {
  prefixes: readonly [string, ...string[]]
  operations: readonly Operation[]
}

export interface Operation {
  operationId: string
  method: 'get' | 'post' | 'put' | 'delete'
  /** Below the API's prefix, with parameters in braces: `/sites/{siteId}/sbp/qrCodes`. */
  path: `/sites/{siteId}/${string}`
  tag: 'QR codes' | 'Payment network' | 'Sandbox bank'
  summary: string
  description: string
  /** Any one of these is enough. */
  scopes: readonly Scope[]
  /** Of the query and the headers; those of the path are in the path. */
  parameters?: readonly ParameterName[]
  body?: { schema: z.ZodType; examples: Record<string, Example> }
  answer: Answer
  /** Its own errors; those that every operation has are added where they are documented. */
  errors: readonly ErrorCode[]
  handle(c: Context<AppEnv>, siteId: string): Promise<Response>
}

/** What a success looks like: JSON by a schema, or a picture, for which the operation checks Accept itself. */
export type Answer = { description: string; headers: readonly AnswerHeader[]; notModified?: true } & (
  | { schema: z.ZodType; examples: Record<string, Example> }
  | { mediaTypes: readonly string[] }
)

export interface Example {
  summary: string
  value: Record<string, unknown>
}

export type AnswerHeader = 'Location' | 'Idempotent-Replayed' | 'ETag' | 'Preference-Applied'
export type ParameterName =
  | 'status'
  | 'createdFrom'
  | 'createdTo'
  | 'limit'
  | 'eventsLimit'
  | 'cursor'
  | 'width'
  | 'height'
  | 'If-None-Match'
  | 'Prefer'

/** Routes the operations; the checks that each of them has run in the contract's order (section 2). */
export function mount(app: Hono<AppEnv>, operations: readonly Operation[], { admit }: Admission): void {
  for (const { method, path, scopes, body, answer, handle } of operations) {
    const route = path.replaceAll(/\{(\w+)\}/g, ':$1')
    app.on(method, route, async (c) => {
      const siteId = await admit(c, scopes)
      if ('schema' in answer) requireAccept(c, 'application/json')
      if (body) requireJson(c)
      return handle(c, siteId)
    })
  }
}
