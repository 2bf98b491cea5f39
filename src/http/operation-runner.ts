// Runs an operation of the API for the console, without an HTTP request: checks the caller, validates the input, calls the handler.
import type { Context } from 'hono'
import { OPERATOR } from '../contract/access-token.ts'
import type { Holder } from '../contract/caller.ts'
import type { Service } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'
import { authorize } from './auth.ts'
import { execute } from './execution.ts'
import type { Operation } from './operation.ts'
import { responseOf } from './operation-response.ts'
import { siteContext } from './site-context.ts'
import { NO_QUERY, validateRequest } from './validate.ts'

/** What an operation is given, as a request has it: the operation's schemas decide whether it is valid. */
export interface OperationInput {
  path?: Record<string, string>
  /** Parameters that are empty or undefined are left out. */
  query?: Record<string, string | undefined>
  headers?: Record<string, string>
  body?: object
}

/** A call for the holder of the claims, whose rate was counted. */
interface Call {
  c: Context<AppEnv>
  claims: Holder
  operationId: string
  given: OperationInput
}

/** Makes the function that runs an operation. It throws the refusal that the API would answer. */
export function operationRunner(service: Service, operations: readonly Operation[]) {
  const byId = new Map(operations.map((each) => [each.operationId, each]))
  return async ({ c, claims, operationId, given }: Call) => {
    const operation = byId.get(operationId)
    if (!operation) throw new RangeError(`no operation is ${operationId}`)
    // A merchant's site is that of the claims; the operator names one, where the operation is on one.
    const siteId = claims.sub === OPERATOR ? given.path?.siteId : claims.sub
    authorize(service.config, claims, siteId, operation.scopes)
    const { parameters, query = NO_QUERY, headers, body } = operation
    const schemas = { path: parameters, query, headers, body: body?.schema }
    const values = { path: given.path ?? {}, query: present(given.query), headers: given.headers ?? {} }
    const input = validateRequest(schemas, { ...values, body: given.body }, {})
    const site = siteContext(c, service, operation, { siteId: siteId ?? '', claims, prefix: '' })
    const value = await execute(site, operation, input, c.req.method)
    return { value, respond: () => responseOf(c, service, operation, operation.toContent(site, value)) }
  }
}

const present = (query: OperationInput['query'] = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  )
