// The operations of the OpenAPI document, as the service itself gives it, and which of them a request is.
import * as z from 'zod'
import type { Json } from './values.ts'

const Parameter = z.object({ name: z.string(), in: z.string() })
const Described = z.object({
  operationId: z.string(),
  security: z.array(z.object({ accessToken: z.array(z.string()) })),
  parameters: z.array(Parameter),
  requestBody: z
    .object({
      content: z.record(
        z.string(),
        z.object({ examples: z.record(z.string(), z.object({ value: z.json() })).optional() }),
      ),
    })
    .optional(),
  responses: z.record(z.string(), z.unknown()),
})
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Described)) })

export interface Operation {
  id: string
  method: string
  /** With parameters in braces. */
  path: string
  scope: string
  query: readonly string[]
  headers: readonly string[]
  mediaTypes: readonly string[]
  bodies: readonly Json[]
  statuses: ReadonlySet<number>
}

export function operationsIn(document: unknown): Operation[] {
  return Object.entries(Document.parse(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, parameters, requestBody, responses }]) => {
      const named = (place: string) => parameters.filter((each) => each.in === place).map(({ name }) => name)
      const content = requestBody?.content ?? {}
      return {
        ...{ id: operationId, method: method.toUpperCase(), path, scope: security[0]?.accessToken[0] ?? '' },
        ...{ query: named('query'), headers: named('header'), mediaTypes: Object.keys(content) },
        bodies: Object.values(content).flatMap(({ examples = {} }) =>
          Object.values(examples).map(({ value }) => value),
        ),
        statuses: new Set(Object.keys(responses).map(Number)),
      }
    }),
  )
}

/** Finds the operation that a request is. */
export function finderOf(operations: readonly Operation[]) {
  const patterns = operations.map((operation) => ({
    operation,
    pattern: new RegExp(
      `^${operation.path.startsWith('/payin/') ? '(?:/partner)?' : ''}${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`,
    ),
  }))
  // The more a path says, the earlier it is tried: `…/notifications/test` is one of its own.
  patterns.sort((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length)
  return (method: string, target: string): Operation | undefined => {
    const [path = ''] = target.split(/[?#]/, 1)
    const asked = method === 'HEAD' ? 'GET' : method
    return patterns.find(({ operation, pattern }) => operation.method === asked && pattern.test(path))
      ?.operation
  }
}
