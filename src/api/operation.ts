// An operation of the API: its documentation, its contract and its handler in one place; routes and OpenAPI follow.
import type { Context, Hono } from 'hono'
import type * as z from 'zod'
import type { Scope } from '../contract/access-token.ts'
import type { ErrorCode } from '../errors.ts'
import { requireScope } from './auth.ts'
import { limitBody, requireJson } from './body.ts'
import { acceptsJson } from './negotiation.ts'
import type { AppEnv } from './service.ts'

export interface Operation {
  operationId: string
  method: 'get' | 'post' | 'put' | 'delete'
  /** Below the API's prefix, with parameters in braces: `/sites/{siteId}/sbp/qrCodes`. */
  path: string
  tag: string
  summary: string
  description: string
  /** Any one of these is enough. */
  scopes: readonly Scope[]
  body?: { schema: z.ZodType; examples: Record<string, Example> }
  answer: {
    schema: z.ZodType
    description: string
    headers: readonly AnswerHeader[]
    examples: Record<string, Example>
  }
  /** Its own errors; those that every operation has are added where they are documented. */
  errors: readonly ErrorCode[]
  handle(c: Context<AppEnv>, siteId: string): Promise<Response>
}

export interface Example {
  summary: string
  value: Record<string, unknown>
}

export type AnswerHeader = 'Location' | 'Idempotent-Replayed'

/** Routes the operations, with the checks that each of them has, in the contract's order (section 2). */
export function mount(app: Hono<AppEnv>, operations: readonly Operation[]): void {
  for (const { method, path, scopes, body, handle } of operations) {
    const route = path.replaceAll(/\{(\w+)\}/g, ':$1')
    app.on(method, route, requireScope(scopes), acceptsJson)
    if (body) app.on(method, route, requireJson, limitBody)
    app.on(method, route, (c) => handle(c, c.req.param('siteId') ?? ''))
  }
}
