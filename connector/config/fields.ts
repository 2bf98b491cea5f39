// The fields of the configuration that have a rule of their own: addresses, certificates, secrets, tokens, names.
import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { decodeJwt } from 'jose'
import * as z from 'zod'
import { authoritiesOf } from '../tls/authorities.ts'

/** Where secrets and certificates are read from, and when. */
export interface Sources {
  env: Record<string, string | undefined>
  readFile: (path: string) => string
  /** Unix milliseconds. */
  now: () => number
}

export const SOURCES: Sources = {
  env: process.env,
  readFile: (path) => readFileSync(path, 'utf8'),
  now: Date.now,
}

/** What the runtime takes from the environment for all connections, whatever the configuration says. */
export const environmentFaults = ({ env }: Pick<Sources, 'env'>): string[] =>
  env.NODE_TLS_REJECT_UNAUTHORIZED === '0'
    ? [
        'NODE_TLS_REJECT_UNAUTHORIZED is 0 in the environment, must not be set: no certificate would be verified',
      ]
    : []

export const messageOfError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

export const Url = z.string('must be a URL').transform((text, context) => {
  const url = URL.parse(text)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url && isSafe && !url.username && !url.search && !url.hash) return text.replace(/\/+$/, '')
  context.addIssue('must be an https URL without user info, query and fragment; http only of this machine')
  return z.NEVER
})

/** The service may be on a private network. */
export const ServiceUrl = z.string('must be a URL').transform((text, context) => {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search) return url.origin
  context.addIssue('must be the origin of the service, such as http://127.0.0.1:8787')
  return z.NEVER
})

const SECRET_RULE =
  'must be {"env": "NAME"} or {"file": "PATH"}: a secret does not belong into the configuration'

export const secretFrom = ({ env, readFile }: Sources) =>
  z
    .union([z.strictObject({ env: z.string() }), z.strictObject({ file: z.string() })], SECRET_RULE)
    .transform((source, context) => {
      try {
        const text = 'env' in source ? env[source.env] : readFile(source.file)
        if (text?.trim()) return text.trim()
        context.addIssue(
          'env' in source ? `${source.env} is not set in the environment` : 'the file is empty',
        )
      } catch (error) {
        context.addIssue(`the file cannot be read: ${messageOfError(error)}`)
      }
      return z.NEVER
    })

const PATH_RULE = 'must be the absolute path of a file of certificates'

const authoritiesFrom = ({ readFile, now }: Sources) =>
  z
    .string(PATH_RULE)
    .refine(isAbsolute, PATH_RULE)
    .transform((path, context) => tried(context, 'the file cannot be read: ', () => readFile(path)))
    .transform((text, context) => tried(context, '', () => authoritiesOf(text, now())))

function tried<T>(context: z.RefinementCtx, prefix: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    context.addIssue(prefix + messageOfError(error))
    return z.NEVER
  }
}

/** How a bank or a cash register is reached. */
export const reachedFrom = (sources: Sources) =>
  z.looseObject({ baseUrl: Url.optional(), ca: authoritiesFrom(sources).optional() })
export type Reached = z.output<ReturnType<typeof reachedFrom>>

const RETENTION_RULE = 'must be a whole number from 30 to 3650'
export const RetentionDays = z.int(RETENTION_RULE).min(30, RETENTION_RULE).max(3650, RETENTION_RULE)

export const NetworkSecrets = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .pipe(z.array(z.string().regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and base64')).max(2))

/** The token by which the connector reports for a site. */
export function checkToken(token: string, siteId: string, context: z.RefinementCtx): void {
  try {
    const { sub, scope } = decodeJwt(token)
    if (sub !== siteId) context.addIssue(`is an access token of ${sub}, must be of ${siteId}`)
    else if (!String(scope).split(' ').includes('network')) context.addIssue('must have the scope network')
  } catch {
    context.addIssue('must be an access token: npm run -s token -- <siteId> --scope network')
  }
}

/** A key whose token the merchant has. It is of no use here but for its end. */
export const MerchantKey = z.strictObject({ id: z.string(), scope: z.string(), endsOn: z.iso.datetime() })

/** Entries by name. */
export const named = (rule: RegExp, text: string) =>
  z
    .unknown()
    .superRefine((value, context) => {
      // A record leaves it out, and says nothing.
      if (value instanceof Object && Object.hasOwn(value, '__proto__'))
        context.addIssue({ code: 'custom', path: ['__proto__'], message: 'must be another name' })
    })
    .pipe(z.record(z.string().regex(rule, text), z.looseObject({})))
