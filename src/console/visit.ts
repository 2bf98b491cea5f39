// A request of a signed-in user: all that a page needs.
import type { Context } from 'hono'
import type { Config } from '../config.ts'
import { type Claims, grants, OPERATOR, type Scope } from '../contract/access-token.ts'
import type { AppEnv } from '../http/app-env.ts'
import { readForm } from '../http/body.ts'
import type { Language } from '../http/negotiation.ts'
import type { ResponseHeaders } from '../http/response.ts'
import { languageOf } from './cookies.ts'
import type { ConsoleHost, OperationCall } from './host.ts'

/** Bytes of a form. */
const MAX_FORM = 64 * 1024

export type CallInput = Omit<OperationCall, 'operationId'>

export interface Visit {
  c: Context<AppEnv>
  config: Config
  language: Language
  claims: Claims
  /** The merchant's site; empty for the operator. */
  siteId: string
  /** From the page to the root of the service, such as `../`. */
  root: string
  /** From the page to /console/, such as `./`. */
  base: string
  /** Unix seconds. */
  now: number
  /** A new identifier of what a form asks for: the same form that is sent twice asks for one thing. */
  newUid(): string
  /** The fields of the request's form. @throws ApiError 413 over 64 KiB */
  form(): Promise<URLSearchParams>
  /** Whether the signed-in user has one of the scopes. */
  may(...scopes: Scope[]): boolean
  /** The answer of an operation of the API, whose JSON is a T; siteId needs not be given. @throws ApiError its refusal */
  call<T>(operationId: string, input?: CallInput): Promise<T>
  /** The same as a response: for its headers, or a file. */
  send(operationId: string, input?: CallInput): Promise<Response>
  /** The name of the shop, as every payer sees it. */
  shopName(): Promise<string>
  /** A file of any length. @throws what the first text fails with */
  stream(texts: AsyncGenerator<string, void>, headers: ResponseHeaders): Promise<Response>
}

export function visitOf(c: Context<AppEnv>, host: ConsoleHost, claims: Claims): Visit {
  const { service } = host
  const language = languageOf(c)
  const siteId = claims.sub === OPERATOR ? '' : claims.sub
  const send = (operationId: string, input: CallInput = {}) =>
    host.send(c, claims, {
      ...input,
      operationId,
      ...(siteId && { path: { ...input.path, siteId } }),
      headers: { 'Accept-Language': language, ...input.headers },
    })
  const base = baseOf(c)
  return {
    c,
    config: service.config,
    language,
    claims,
    siteId,
    root: `${base}../`,
    base,
    now: Math.floor(service.now() / 1000),
    newUid: () => `console-${service.random(8).toHex()}`,
    form: () => readForm(c, service, MAX_FORM),
    may: (...scopes) => grants(claims, scopes),
    send,
    shopName: () => host.shopName(siteId),
    stream: (texts, headers) => host.stream(c, texts, headers),
    call: async <T>(operationId: string, input?: CallInput) => (await send(operationId, input)).json<T>(),
  }
}

/** From the page to /console/: `./` of /console/qr, `../` of /console/qr/new. */
export const baseOf = (c: Context): string => '../'.repeat(c.req.path.split('/').length - 3) || './'

/** Who reads a site, who changes it, who sets it up, and who sees every site. `merchant:admin` includes `merchant`. */
export const READERS: readonly Scope[] = ['merchant', 'merchant:read']
export const WRITERS: readonly Scope[] = ['merchant']
export const ADMINS: readonly Scope[] = ['merchant:admin']
export const OPERATORS: readonly Scope[] = ['operator']

/** A page, or what a form does. */
export interface Route {
  method: 'get' | 'post'
  /** Below /console/: `/qr/:uid`. */
  path: string
  /** Any one of these is enough; otherwise the answer is 403. */
  scopes: readonly Scope[]
  handle(visit: Visit): Promise<Response>
}
