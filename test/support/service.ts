// The service as its callers meet it: HTTP, with tokens that this deployment signs.
import { env, exports, waitUntil } from 'cloudflare:workers'
import { sign } from 'hono/jwt'
import { version } from '../../package.json'
import { createApp } from '../../src/api/app.ts'
import { DOCUMENT_FILE } from '../../src/api/document.ts'
import { operationsOf } from '../../src/api/operations.ts'
import { readConfig } from '../../src/config.ts'
import { ErrorAnswer } from '../../src/contract/error-answer.ts'
import type { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { AUDIT, REGISTRY } from '../../src/contract/site-id.ts'
import type { AuditStub, Platform, RegistryStub, SiteStub } from '../../src/gateway/context.ts'
import { within } from '../../src/gateway/within.ts'
import { openapiDocument } from '../../src/openapi/document.ts'
import { type Call, type Fetch, qrCodeIn, requestOf, type Send } from './client.ts'
import { strict } from './strict.ts'

export const ORIGIN = 'http://qr.test'

/** The headers with which a browser sends a form of the service's own page. */
export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: ORIGIN }
export const COLLECTION = '/payin/v1/sites/demo/sbp/qrCodes'

/** The settings of a connector. Whether it is called is what the rest of the deployment decides. */
export const CONNECTOR = {
  NETWORK_URL: 'https://connector.example/instructions',
  NETWORK_SECRET: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
}

/** Equal claims give equal tokens, so that those of a second are signed once. */
const signed = new Map<string, Promise<string>>()

/** A token of site demo, alive for an hour; the claims may differ. */
export function tokenOf(claims: Record<string, unknown> = {}, secret = env.TOKEN_SECRET): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const payload = { sub: 'demo', jti: 'test', iat: now, exp: now + 3600, scope: 'merchant', ...claims }
  const key = JSON.stringify([payload, secret])
  const token = signed.get(key) ?? sign(payload, secret, 'HS256')
  signed.set(key, token)
  return token
}

const deployed: Fetch = (request) => exports.default.fetch(request)

/** Sends a request to the deployed Worker, or to another fetch handler; by default with a token of site demo. */
export async function call(path: string, { token, ...rest }: Call = {}, fetch = deployed): Promise<Response> {
  const sent = token === undefined ? await tokenOf() : token
  return fetch(requestOf(ORIGIN + path, { ...rest, token: sent }))
}

const SCOPES = { merchant: 'merchant:admin', network: 'network' }

/** How the requests of a site reach the deployed Worker, or another fetch handler. */
export const inProcess =
  (siteId: string, fetch = deployed): Send =>
  async (actor, path, { token, ...rest }) => {
    const claims = { sub: siteId, jti: actor === 'merchant' ? 'admin' : actor, scope: SCOPES[actor] }
    return call(path, { ...rest, token: token ?? (await tokenOf(claims)) }, fetch)
  }

const StrictErrorAnswer = strict(ErrorAnswer)

/** Creates a QR code and reads the answer, which must have the contract's shape. */
export async function create(body: unknown, options: Call = {}, fetch = deployed): Promise<QrCodeAnswer> {
  return qrCodeIn(await call(COLLECTION, { body, ...options }, fetch))
}

/** Reads an error, which must have the contract's shape. */
export const errorOf = async (response: Response): Promise<ErrorAnswer> =>
  StrictErrorAnswer.parse(await response.json())

/** The status of a refusal and the code of its error. */
export const refusalIn = async (response: Response): Promise<[status: number, errorCode: string]> => [
  response.status,
  (await errorOf(response)).errorCode,
]

/** The document that the build puts among the static files. */
const WHOLE = openapiDocument(operationsOf({ currencies: ['RUB'], hasSandbox: true }), version)

/** A service like the deployed one but for what is given; settings are those of wrangler.toml. */
export function serviceWith({
  settings,
  sleep,
  ...parts
}: Partial<Platform> & { settings?: Record<string, unknown> }): Fetch {
  const read = readConfig({ ...env, ...settings })
  if (!read.ok) throw new Error(read.problems.join('; '))
  const app = createApp({
    config: read.config,
    site: (siteId) => env.SITES.getByName(siteId),
    registry: () => exports.Registry.getByName(REGISTRY),
    audit: () => exports.Audit.getByName(AUDIT),
    limiter: undefined,
    now: Date.now,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    sleep: sleep ?? ((milliseconds) => scheduler.wait(milliseconds)),
    within: sleep
      ? (milliseconds, work) => Promise.race([work, sleep(milliseconds).then(() => undefined)])
      : within,
    waitUntil,
    log: () => {},
    fetch: () => Promise.reject(new Error('a test gives no other host')),
    fetchConnector: () => Promise.reject(new Error('a test gives no connector')),
    asset: async (path) =>
      path === DOCUMENT_FILE ? Response.json(WHOLE) : new Response(null, { status: 404 }),
    ...parts,
  })
  return (request) => app.fetch(request)
}

/** The service with the sandbox bank as its network. */
export const sandbox = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })

/** A site of which every call does the same, but for those that are given. */
export const siteThat = (does: () => Promise<never>, given: Partial<SiteStub> = {}): SiteStub =>
  // The proxy has every method, which its type cannot say.
  new Proxy(given, { get: (target, name) => Reflect.get(target, name) ?? does }) as SiteStub

/** A registry of which every call does the same. */
export const registryThat = (does: () => Promise<never>): RegistryStub =>
  new Proxy({}, { get: () => does }) as RegistryStub

/** An audit of which every call does the same. */
export const auditThat = (does: () => Promise<never>): AuditStub =>
  new Proxy({}, { get: () => does }) as AuditStub

/** A site of which no other call is expected than those that are given. */
export const siteWith = (given: Partial<SiteStub>): SiteStub =>
  siteThat(() => Promise.reject(new Error('no other operation is expected')), given)
