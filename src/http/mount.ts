// The routes of the operations: a request is checked, decoded and handled, and what it gave becomes a response.
import type { Context, Hono } from 'hono'
import { ApiError, type FieldErrors } from '../errors.ts'
import type { Service, SiteContext } from '../gateway/context.ts'
import { lazily } from '../lazily.ts'
import type { AppEnv } from './app-env.ts'
import { type AccessControl, type Authorized, isReport } from './auth.ts'
import { readBytes, readObject, requireMediaType } from './body.ts'
import { type EncodedLists, encodedLists } from './encoded-lists.ts'
import { execute } from './execution.ts'
import type { FileBody } from './file-body.ts'
import { requireAccept, requireOneOf } from './negotiation.ts'
import type { Operation } from './operation.ts'
import { logLateReport, responseOf } from './operation-response.ts'
import { type PathParameters, pathDecoder } from './path.ts'
import { siteContext } from './site-context.ts'
import { NO_QUERY, validateRequest } from './validate.ts'

/** The merchant's operations exist under both (contract, section 1). */
const prefixesOf = ({ path }: Operation) =>
  path.startsWith('/payin/') ? (['', '/partner'] as const) : ([''] as const)

/** Routes the operations. */
export function mount(
  app: Hono<AppEnv>,
  operations: readonly Operation[],
  service: Service,
  { authorizeRequest }: AccessControl,
): void {
  for (const operation of operations) {
    const { method } = operation
    const route = operation.path.replaceAll(/\{(\w+)\}/g, ':$1')
    const run = handlerOf(operation, service, authorizeRequest)
    for (const prefix of prefixesOf(operation)) {
      app.on(method, prefix + route, (c) => {
        c.set('route', prefix + route)
        return run(c, prefix)
      })
    }
  }
}

/** The checks run in the contract's order (section 2): the token, then the media types, then the fields. */
function handlerOf(operation: Operation, service: Service, authorize: AccessControl['authorizeRequest']) {
  const { path, scopes, parameters, query, headers, body, answer, files } = operation
  const decodePath = parameters && pathDecoder(path)
  const declared = { path: parameters, query, headers, body: body?.schema }
  // A query that is not declared is refused, so that a misspelt parameter is not ignored.
  const withQuery = { ...declared, query: query ?? NO_QUERY }
  const headerNames = Object.keys(headers?.shape ?? {})

  return async (c: Context<AppEnv>, prefix: SiteContext['prefix']): Promise<Response> => {
    const authorized = await authorize(c, scopes)
    if (!('mediaTypes' in answer || files)) requireAccept(c, JSON_TYPE)
    if (files) requireOneOf(c, [JSON_TYPE, ...files.mediaTypes])
    if (body) requireMediaType(c, body.mediaTypes ?? [JSON_TYPE])
    if (!body?.file) return answerTo(c, prefix, authorized)
    const { openFile } = await fileBody()
    const { file, discard } = await openFile(c, service, body.file)
    try {
      return await answerTo(c, prefix, authorized, file)
    } finally {
      await discard()
    }
  }

  async function contentOf(c: Context<AppEnv>, site: SiteContext, input: Parameters<Operation['handle']>[1]) {
    const mediaType = files ? requireOneOf(c, [JSON_TYPE, ...files.mediaTypes]) : JSON_TYPE
    if (files && mediaType !== JSON_TYPE) return files.handle(site, input, mediaType)
    return operation.toContent(site, await execute(site, operation, input, c.req.method))
  }

  /** What follows the checks of the head. @param opened a file, which the handler reads */
  async function answerTo(
    c: Context<AppEnv>,
    prefix: SiteContext['prefix'],
    { siteId, claims }: Authorized,
    opened?: FileBody,
  ): Promise<Response> {
    const file =
      opened ??
      (body?.maxSize === undefined ? undefined : new Uint8Array(await readBytes(c, service, body.maxSize)))
    const object = body && !file ? await readObject(c, service, operation.method === 'patch') : undefined
    const { values, issues } = decodePath?.(c) ?? NO_PARAMETERS
    const hasQuery = c.req.url.includes('?')
    const lists = hasQuery && operation.encodedLists ? encodedLists(c, operation.encodedLists) : NO_LISTS
    const input = validateRequest(
      hasQuery ? withQuery : declared,
      {
        path: values,
        query: hasQuery ? { ...c.req.query(), ...lists.values } : {},
        headers: headers && Object.fromEntries(headerNames.map((name) => [name, c.req.header(name)])),
        body: file ?? object,
      },
      {
        ...unequal(body?.repeats, values, object),
        ...issues,
        ...lists.issues,
        ...(hasQuery && repeated(c.req.queries())),
      },
    )
    const site = siteContext(c, service, operation, { siteId, claims, prefix })
    try {
      return await responseOf(c, service, operation, await contentOf(c, site, input))
    } catch (error) {
      const isLate = isReport(scopes) && operation.method !== 'get'
      if (isLate && error instanceof ApiError && error.code === 'site.deleted')
        logLateReport(c, service, input)
      throw error
    }
  }
}

/** Few operations take a file. */
const fileBody = lazily(() => import('./file-body.ts'))

const JSON_TYPE = 'application/json'
const NO_PARAMETERS: PathParameters = { values: {}, issues: {} }
const NO_LISTS: EncodedLists = { values: {}, issues: {} }

/** A parameter that is given twice has no value that both sides agree on. */
function repeated(query: Record<string, string[]>): FieldErrors {
  const names = Object.keys(query).filter((name) => (query[name]?.length ?? 0) > 1)
  return Object.fromEntries(
    names.map((name) => [name, [`is given ${query[name]?.length} times, must be given once`]]),
  )
}

function unequal(
  name: string | undefined,
  path: Record<string, string>,
  body: Record<string, unknown> = {},
): FieldErrors {
  if (name === undefined || body[name] === undefined || body[name] === path[name]) return {}
  return { [name]: ['differs from the one in the path, must be equal or absent'] }
}
