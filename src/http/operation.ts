// An operation of the API: its documentation, its schemas and its handler. Routes and the OpenAPI document derive from it.
import type { Context } from 'hono'
import type * as z from 'zod/mini'
import type { Scope } from '../contract/access-token.ts'
import { type Caller, callerOf } from '../contract/caller.ts'
import type { Example } from '../contract/example.ts'
import { strictObject } from '../contract/object.ts'
import { ApiError, type Cause, type ErrorCode } from '../errors.ts'
import type { Service, SiteContext } from '../gateway/context.ts'
import type { App } from './app.ts'
import type { AppEnv } from './app-env.ts'
import { type Admission, isReport } from './auth.ts'
import { readObject, requireJson } from './body.ts'
import { type EncodedLists, encodedLists } from './encoded-lists.ts'
import { requireAccept } from './negotiation.ts'
import { originOf, type PathParameters, pathDecoder } from './path.ts'
import { logLateReport, responseOf } from './reply.ts'
import type { ResponseHeaders } from './response.ts'
import { validateRequest } from './validate.ts'

/**
 * The schemas that validate a request are the ones that the OpenAPI document shows. `Path` has the parameters of the
 * path besides siteId; `Headers` has the names as the document shows them.
 */
export interface Operation<
  Path extends z.ZodMiniObject = z.ZodMiniObject,
  Query extends z.ZodMiniObject = z.ZodMiniObject,
  Headers extends z.ZodMiniObject = z.ZodMiniObject,
  Body extends z.ZodMiniType = z.ZodMiniType,
  Answer extends z.ZodMiniType = z.ZodMiniType,
> {
  operationId: string
  method: 'get' | 'post' | 'put' | 'delete'
  /** Absolute, with parameters in braces: `/payin/v1/sites/{siteId}/sbp/qrCodes`. */
  path: `/${string}/v1/sites${string}`
  /**
   * The parameter of other operations in whose place this path has its last segment. It is mounted with that parameter,
   * because the fast router of Hono has no fixed segment beside a parameter.
   */
  besideParameter?: string
  tag: Tag
  summary: string
  description: string
  /** Any one of these is enough. */
  scopes: readonly Scope[]
  parameters?: Path
  query?: Query
  /** Parameters of the query whose items are percent-encoded one by one. */
  encodedLists?: readonly string[]
  headers?: Headers
  body?: {
    schema: Body
    examples: Record<string, Example>
    /** A parameter of the path that the body may repeat, but only equal. */
    repeats?: string
  }
  answer: JsonAnswer<Answer> | FileAnswer | EmptyAnswer
  /** Its own errors; those that every operation has are added where they are documented. */
  errors: readonly ErrorCode[]
  /** Whether it works on a site that is deleted, too. */
  isOnDeleted?: boolean
  handle(
    site: SiteContext,
    input: {
      path: z.output<Path>
      query: z.output<Query>
      headers: z.output<Headers>
      body: z.output<Body>
    },
  ): Promise<Reply<z.input<Answer>>>
}

interface AnswerDescription {
  description: string
  headers: readonly AnswerHeader[]
}
export interface JsonAnswer<T extends z.ZodMiniType = z.ZodMiniType> extends AnswerDescription {
  schema: T
  examples: Record<string, Example>
}
/** A file, for which the handler itself negotiates the media type. */
export interface FileAnswer extends AnswerDescription {
  mediaTypes: readonly string[]
}

/** A success that has nothing to show. */
export interface EmptyAnswer extends AnswerDescription {
  status: 204
}

/** A group of operations in the document; the operations of a group share the object. */
export interface Tag {
  name: string
  description: string
}

export type AnswerHeader =
  | 'Location'
  | 'Idempotent-Replayed'
  | 'ETag'
  | 'Preference-Applied'
  | 'Content-Disposition'

/** What a handler answers; with an ETag that the client has already, the response is 304. */
export type Reply<T> = ({ value: T } | { file: FileContent } | { status: 204 }) & {
  headers?: ResponseHeaders
}
/** A generator's texts are sent as they are made; see streamOf. */
type FileContent = string | Uint8Array<ArrayBuffer> | AsyncGenerator<string, void>

/**
 * Declares an operation; the compiler checks its handler's input and answer against its schemas here. The result no longer
 * has those types: the kernel passes to `handle` only what `validateRequest` made by the same schemas.
 */
export const operation = <
  Path extends z.ZodMiniObject = z.ZodMiniObject<Record<never, never>>,
  Query extends z.ZodMiniObject = z.ZodMiniObject<Record<never, never>>,
  Headers extends z.ZodMiniObject = z.ZodMiniObject<Record<never, never>>,
  Body extends z.ZodMiniType = z.ZodMiniUndefined,
  Answer extends z.ZodMiniType = z.ZodMiniNever,
>(
  declared: Operation<Path, Query, Headers, Body, Answer>,
): Operation => declared

/** The merchant's operations exist under both (contract, section 1). */
const prefixesOf = ({ path }: Operation) =>
  path.startsWith('/payin/') ? (['', '/partner'] as const) : ([''] as const)

/**
 * Routes the operations.
 * @returns the paths of the operations that are mounted at another one, by method and mounted path
 */
export function mount(
  app: App,
  operations: readonly Operation[],
  service: Service,
  { admit }: Admission,
): ReadonlyMap<string, string> {
  const documented = new Map<string, string>()
  for (const operation of operations) {
    const { method, besideParameter } = operation
    const route = operation.path.replaceAll(/\{(\w+)\}/g, ':$1')
    const end = route.slice(route.lastIndexOf('/') + 1)
    const mounted = besideParameter ? `${route.slice(0, -end.length)}:${besideParameter}` : route
    const run = handlerOf(operation, service, admit)
    for (const prefix of prefixesOf(operation)) {
      if (besideParameter) documented.set(`${method} ${prefix}${mounted}`, prefix + route)
      app.on(method, prefix + mounted, (c, next) => {
        if (besideParameter && c.req.param(besideParameter) !== end) return next()
        c.set('route', prefix + route)
        return run(c, prefix)
      })
    }
  }
  return documented
}

/** The checks run in the contract's order (section 2): the token, then the media types, then the fields. */
function handlerOf(operation: Operation, service: Service, admit: Admission['admit']) {
  const { path, scopes, parameters, query, headers, body, answer } = operation
  const decodePath = parameters && pathDecoder(path)
  const declared = { path: parameters, query, headers, body: body?.schema }
  // A query that is not declared is refused, so that a misspelt parameter is not ignored.
  const withQuery = { ...declared, query: query ?? NO_QUERY }
  const headerNames = Object.keys(headers?.shape ?? {})
  const actor = actorOf(scopes)

  return async (c: Context<AppEnv>, prefix: SiteContext['prefix']): Promise<Response> => {
    const { siteId, claims } = await admit(c, scopes)
    if (!('mediaTypes' in answer)) requireAccept(c, 'application/json')
    if (body) requireJson(c)
    const object = body && (await readObject(c, service))
    const { values, issues } = decodePath?.(c) ?? NO_PARAMETERS
    const hasQuery = c.req.url.includes('?')
    const lists = hasQuery && operation.encodedLists ? encodedLists(c, operation.encodedLists) : NO_LISTS
    const input = validateRequest(
      hasQuery ? withQuery : declared,
      {
        path: values,
        query: hasQuery ? { ...c.req.query(), ...lists.values } : {},
        headers: headers && Object.fromEntries(headerNames.map((name) => [name, c.req.header(name)])),
        body: object,
      },
      {
        ...unequal(body?.repeats, values, object),
        ...issues,
        ...lists.issues,
        ...(hasQuery && repeated(c.req.queries())),
      },
    )
    const site = {
      service,
      siteId,
      caller: callerOf(actor, claims),
      origin: originOf(c),
      prefix,
      isRead: operation.method === 'get',
      // Only a long poll needs it, and the runtime makes it when it is read.
      get signal() {
        return c.req.raw.signal
      },
    } as const
    try {
      return await responseOf(c, service, operation, await operation.handle(site, input))
    } catch (error) {
      const isReport = actor === 'network' && operation.method !== 'get'
      if (isReport && error instanceof ApiError && error.code === 'site.deleted')
        logLateReport(c, service, input)
      throw error
    }
  }
}

function actorOf(scopes: readonly Scope[]): Caller['actor'] {
  if (isReport(scopes)) return 'network'
  return scopes.includes('operator') ? 'operator' : 'merchant'
}

const NO_QUERY = strictObject({})
const NO_PARAMETERS: PathParameters = { values: {}, issues: {} }
const NO_LISTS: EncodedLists = { values: {}, issues: {} }

/** A parameter that is given twice has no value that both sides agree on. */
function repeated(query: Record<string, string[]>): Cause {
  const names = Object.keys(query).filter((name) => (query[name]?.length ?? 0) > 1)
  return Object.fromEntries(
    names.map((name) => [name, [`is given ${query[name]?.length} times, must be given once`]]),
  )
}

function unequal(
  name: string | undefined,
  path: Record<string, string>,
  body: Record<string, unknown> = {},
): Cause {
  if (name === undefined || body[name] === undefined || body[name] === path[name]) return {}
  return { [name]: ['differs from the one in the path, must be equal or absent'] }
}
