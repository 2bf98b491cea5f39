// A request of a signed-in user: all that a page needs.
import type { Context } from 'hono'
import type { Values } from '../api/operations.ts'
import type { Config } from '../config.ts'
import { grants, isOfOperator, OPERATOR, OPERATOR_SCOPES, type Scope } from '../contract/access-token.ts'
import type { Holder } from '../contract/caller.ts'
import { feedCursorOf } from '../contract/event.ts'
import type { QrCode } from '../contract/qr-code.ts'
import type { SiteReceipts, Undelivered } from '../contract/session.ts'
import type { Service } from '../gateway/context.ts'
import { pageUrl } from '../gateway/links.ts'
import { logoPath } from '../gateway/logo-path.ts'
import type { AppEnv } from '../http/app-env.ts'
import { readForm } from '../http/body.ts'
import type { Language } from '../http/negotiation.ts'
import type { OperationInput } from '../http/operation-runner.ts'
import { originOf } from '../http/path.ts'
import type { ResponseHeaders } from '../http/response.ts'
import type { Chunk } from '../http/stream.ts'
import type { Html } from '../web/layout.ts'
import { themeOf } from '../web/payer/theme.ts'
import { languageOf, sitesOf } from './cookies.ts'
import type { ConsoleHost } from './host.ts'
import { baseOf, consoleOf } from './locations.ts'
import type { SignedIn } from './sessions.ts'

/** Bytes of a form. */
const MAX_FORM = 64 * 1024

export interface Visit {
  c: Context<AppEnv>
  config: Config
  service: Service
  language: Language
  claims: Holder
  /** The merchant's site; empty for the operator. */
  siteId: string
  /** From the page to the root of the service, such as `../`. */
  root: string
  /** From the page to /console/. */
  console: string
  /** From the page to /console/sites/{siteId}/, such as `./`; from the operator's to /console/. */
  base: string
  /** The sites of the browser's sessions, OPERATOR for the operator's. */
  sites: readonly string[]
  /** Unix seconds. */
  now: number
  /** A new identifier of what a form asks for: the same form that is sent twice asks for one thing. */
  newUid(): string
  /** The fields of the request's form. @throws ApiError 413 where it is larger than the route takes */
  form(): Promise<URLSearchParams>
  /** Whether the signed-in user has one of the scopes. */
  may(...scopes: Scope[]): boolean
  /** Where the site's feed ended when the request came: the page shows no less. */
  feed: string | undefined
  undelivered: Undelivered
  /** Undefined of a site that has no cash register, and never had one. */
  receipts: SiteReceipts | undefined
  /** What an operation of the API gives; a merchant's siteId needs not be given. @throws ApiError its refusal */
  call<Id extends keyof Values>(operationId: Id, given?: OperationInput): Promise<Values[Id]>
  /** The answer of the operation as a response: a file. */
  file(operationId: keyof Values, given?: OperationInput): Promise<Response>
  /** The address of the payer's page of a QR code. */
  pageUrl(code: Pick<QrCode, 'pageLink'>): string
  /** The name of the shop, as every payer sees it; empty for the operator. */
  shop: string
  /** The address of its logo from the page, where it has one. */
  logo: string | undefined
  /** Rules that give the preview of a payer's page the colour of the shop, where it has one. */
  previewTheme: string | undefined
  /** A file of any length. @throws what the first part fails with */
  stream(parts: AsyncGenerator<Chunk, void>, headers: ResponseHeaders): Promise<Response>
}

export function visitOf(
  c: Context<AppEnv>,
  host: ConsoleHost,
  { claims, shop, logo, color, feed, undelivered = NOTHING, receipts }: SignedIn,
  form: Visit['form'],
): Visit {
  const { service } = host
  const language = languageOf(c)
  const siteId = claims.sub === OPERATOR ? '' : claims.sub
  const run = (operationId: keyof Values, given: OperationInput = {}) =>
    host.run({ c, claims, operationId, given })
  const toConsole = consoleOf(c)
  return {
    c,
    config: service.config,
    service,
    language,
    claims,
    siteId,
    root: `${toConsole}../`,
    console: toConsole,
    base: baseOf(c),
    sites: sitesOf(c, service.config),
    now: Math.floor(service.now() / 1000),
    newUid: () => `console-${service.random(8).toHex()}`,
    form,
    // A token that was made by hand can have scopes of the operator and of merchants: those of its `sub` count.
    may: (...scopes) =>
      grants(
        claims,
        scopes.filter((scope) => isOfOperator([scope]) === (siteId === '')),
      ),
    shop: shop ?? siteId,
    logo: logo && `${toConsole}../${logoPath(service.config.secrets, siteId, logo)}`,
    previewTheme: color && themeOf(color, '.preview'),
    stream: (parts, headers) => host.stream(c, parts, headers),
    feed: feed && feedCursorOf(feed),
    undelivered,
    receipts,
    // The operation with this id gives this value: Values is made of the same list.
    call: async <Id extends keyof Values>(id: Id, given?: OperationInput) =>
      (await run(id, given)).value as Values[Id],
    file: async (id, given) => (await run(id, given)).respond(),
    pageUrl: (code) => pageUrl(service.config, siteId, originOf(c), code),
  }
}

/** Makes the function that reads the form of a request, once. */
export function formOf(
  c: Context<AppEnv>,
  { service }: ConsoleHost,
  { maxForm = MAX_FORM }: Route,
): Visit['form'] {
  let fields: Promise<URLSearchParams> | undefined
  return () => {
    fields ??= readForm(c, service, maxForm)
    return fields
  }
}

/** What the operator's pages have, which are of no site. */
const NOTHING: Undelivered = { hasFailed: false, hasDelayed: false }

/** Who reads a site, who changes it, who sets it up, and who sees every site. `merchant:admin` includes `merchant`. */
export const READERS: readonly Scope[] = ['merchant', 'merchant:read']
/** Who sees a till. */
export const PEOPLE: readonly Scope[] = [...READERS, 'merchant:till']
/** Everybody who can sign in: each sees their own devices. */
export const EVERYBODY: readonly Scope[] = [...PEOPLE, ...OPERATOR_SCOPES]
/** Who sells at a till. */
export const SELLERS: readonly Scope[] = ['merchant', 'merchant:till']
export const WRITERS: readonly Scope[] = ['merchant']
/** Who imports and deletes files of banks. */
export const ACCOUNTANTS: readonly Scope[] = ['merchant:accounting', 'merchant:admin']
export const ADMINS: readonly Scope[] = ['merchant:admin']
export const OPERATORS: readonly Scope[] = ['operator']
export const OPERATOR_READERS: readonly Scope[] = ['operator', 'operator:read']

/** A page, or what a form does. */
export interface Route {
  method: 'get' | 'post'
  /** Below /console/sites/{siteId}: `/qr/:uid`; of the operator, below /console: `/operator/sites`. */
  path: string
  /** Any one of these is enough; otherwise the answer is 403. */
  scopes: readonly Scope[]
  /** Bytes of its form, by default 64 KiB. */
  maxForm?: number
  /** The form has a file, which the handler reads as it arrives; no confirmation is asked for. */
  hasFile?: true
  handle(visit: Visit): Promise<Response>
  /** What a person confirms by passkey where the act needs it. */
  confirms?(visit: Visit, fields: URLSearchParams): Confirmed | Promise<Confirmed>
}

/** Names and what they are, without those that are absent. */
export type Rows = readonly (readonly [name: string, content: Html | string | false | undefined])[]

/** What a form does, in plain words, and the values that matter. */
export interface Confirmed {
  title: string
  rows?: Rows
  /** The page to which somebody goes who changes nothing, below `base`. */
  back?: string
}
