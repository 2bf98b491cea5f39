// Reads and checks the configuration file (JSON) at the start; the error names every fault. Secrets come from other files.
import { readFileSync } from 'node:fs'
import { decodeJwt } from 'jose'
import * as z from 'zod'
import type { Bank } from '../banks/bank.ts'
import type { BankContext, BankKind } from '../banks/bank-kind.ts'
import { endOf, type TokenEnd } from './token-ends.ts'

interface BankConfig {
  name: string
  baseUrl: string
  open: (context: BankContext) => Bank
}

interface SiteConfig {
  siteId: string
  token: string
  name: string
  bank: string
  /** The site's fields of its bank. */
  account: unknown
}

export interface Config {
  /** Without a slash at the end. */
  service: string
  publicUrl: string
  networkSecrets: string[]
  /** For how many days payers' data stay; undefined: for ever. */
  retentionDays: number | undefined
  banks: BankConfig[]
  sites: SiteConfig[]
  tokenEnds: TokenEnd[]
}

/** Where secrets are read from. */
interface SecretSources {
  env: Record<string, string | undefined>
  readFile: (path: string) => string
}

export const SECRET_SOURCES: SecretSources = {
  env: process.env,
  readFile: (path) => readFileSync(path, 'utf8'),
}

/** Every fault of a configuration. */
export class ConfigFaults extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

const messageOfError = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

const Url = z.string('must be a URL').transform((text, context) => {
  const url = URL.parse(text)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url && isSafe && !url.username && !url.search && !url.hash) return text.replace(/\/+$/, '')
  context.addIssue('must be an https URL without user info, query and fragment; http only of this machine')
  return z.NEVER
})

/** The service may be on a private network. */
const ServiceUrl = z.string('must be a URL').transform((text, context) => {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search) return url.origin
  context.addIssue('must be the origin of the service, such as http://127.0.0.1:8787')
  return z.NEVER
})

const SECRET_RULE =
  'must be {"env": "NAME"} or {"file": "PATH"}: a secret does not belong into the configuration'

const secretFrom = ({ env, readFile }: SecretSources) =>
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

const RETENTION_RULE = 'must be a whole number from 30 to 3650'

const NetworkSecrets = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .pipe(z.array(z.string().regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and base64')).max(2))

/** A key whose token the merchant has. It is of no use here but for its end. */
const MerchantKey = z.strictObject({ id: z.string(), scope: z.string(), endsOn: z.iso.datetime() })

/** Entries by name. */
const named = (rule: RegExp, text: string) =>
  z
    .unknown()
    .superRefine((value, context) => {
      // A record leaves it out, and says nothing.
      if (value instanceof Object && Object.hasOwn(value, '__proto__'))
        context.addIssue({ code: 'custom', path: ['__proto__'], message: 'must be another name' })
    })
    .pipe(z.record(z.string().regex(rule, text), z.looseObject({})))

/**
 * Reads the configuration.
 * @param text of the file
 * @throws ConfigFaults
 */
export function readConfig(text: string, kinds: readonly BankKind[], sources: SecretSources): Config {
  const reader = new Reader(kinds, sources)
  const config = reader.read(jsonOf(text))
  if (reader.faults.length > 0 || !config) throw new ConfigFaults(reader.faults)
  return config
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ConfigFaults([
      // The runtime quotes the text, which can have a secret that somebody has written into it.
      `the configuration is not valid JSON: ${messageOfError(error).replace(/, (\.\.\.)?".*is not valid JSON$/s, '')}`,
    ])
  }
}

class Reader {
  readonly faults: string[] = []
  readonly #kinds: readonly BankKind[]
  readonly #secret: z.ZodType<string>
  readonly #tokenEnds: TokenEnd[] = []
  /** Undefined for a set of credentials that is invalid itself: a site that refers to it is not reported as well. */
  readonly #bankKinds = new Map<string, BankKind | undefined>()

  constructor(kinds: readonly BankKind[], sources: SecretSources) {
    this.#kinds = kinds
    this.#secret = secretFrom(sources)
  }

  read(value: unknown): Config | undefined {
    const schema = z.strictObject({
      service: ServiceUrl,
      publicUrl: Url,
      networkSecret: this.#secret.pipe(NetworkSecrets),
      retentionDays: z.int(RETENTION_RULE).min(30, RETENTION_RULE).max(3650, RETENTION_RULE).optional(),
      banks: named(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 of a-z 0-9 -'),
      sites: named(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 . _ -'),
    })
    const config = this.#take('', schema, value)
    // The parts are read even where the rest has faults, so that all are named at once.
    const parts = config ?? Parts.parse(value)
    const banks = Object.entries(parts.banks).flatMap(([name, each]) => this.#bank(name, each) ?? [])
    const sites = Object.entries(parts.sites).flatMap(([siteId, each]) => this.#site(siteId, each) ?? [])
    if (!config) return
    const { service, publicUrl, networkSecret: networkSecrets, retentionDays } = config
    return { service, publicUrl, networkSecrets, retentionDays, banks, sites, tokenEnds: this.#tokenEnds }
  }

  #bank(name: string, value: unknown): BankConfig | undefined {
    const path = `banks.${name}`
    const names = this.#kinds.map(({ kind }) => kind)
    const schema = z.looseObject({
      bank: z.enum(names, `must be one of ${names.join(', ')}`),
      baseUrl: Url.optional(),
    })
    const common = this.#take(path, schema, value)
    const kind = this.#kinds.find((each) => each.kind === common?.bank)
    this.#bankKinds.set(name, kind)
    if (!common || !kind) return
    const { bank: _, baseUrl = kind.baseUrl, ...own } = common
    const secret = this.#secret.transform((text) => {
      this.#noteEnd({ owner: path, what: 'a secret', endsAt: endOf(text) })
      return text
    })
    const open = this.#take(path, kind.credentials(secret), own)
    return open && { name, baseUrl, open }
  }

  #site(siteId: string, value: unknown): SiteConfig | undefined {
    const path = `sites.${siteId}`
    const schema = z.looseObject({
      token: this.#secret.superRefine((token, context) => checkToken(token, siteId, context)),
      bank: z.string('must be the name of one of banks'),
      name: z.string().min(1).max(60).default(siteId),
      merchantKeys: z.array(MerchantKey).default([]),
    })
    const common = this.#take(path, schema, value)
    if (!common) return
    const { token, bank, name, merchantKeys, ...own } = common
    this.#noteEnd({ owner: path, what: 'the token', endsAt: endOf(token) })
    for (const { id, endsOn } of merchantKeys) {
      this.#noteEnd({ owner: path, what: `the merchant’s key ${id}`, endsAt: Date.parse(endsOn) })
    }
    if (!this.#bankKinds.has(bank)) this.faults.push(`${path}.bank: ${bank} is not one of banks`)
    const kind = this.#bankKinds.get(bank)
    const account = kind && this.#take(path, kind.site, own)
    return { siteId, token, bank, name, account }
  }

  #noteEnd({ owner, what, endsAt }: Omit<TokenEnd, 'endsAt'> & { endsAt: number | undefined }): void {
    if (endsAt !== undefined) this.#tokenEnds.push({ owner, what, endsAt })
  }

  #take<T>(path: string, schema: z.ZodType<T>, value: unknown): T | undefined {
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues) {
      const at = [...(path ? [path] : []), ...issue.path.map(String)].join('.')
      this.faults.push(`${at || 'the configuration'}: ${messageOf(issue)}`)
    }
  }
}

const Entries = z.record(z.string(), z.unknown()).catch({})
const Parts = z.object({ banks: Entries, sites: Entries }).catch({ banks: {}, sites: {} })

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `${issue.keys.join(', ')} is unknown`
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  return issue.message
}

function checkToken(token: string, siteId: string, context: z.RefinementCtx): void {
  try {
    const { sub, scope } = decodeJwt(token)
    if (sub !== siteId) context.addIssue(`is an access token of ${sub}, must be of ${siteId}`)
    else if (!String(scope).split(' ').includes('network')) context.addIssue('must have the scope network')
  } catch {
    context.addIssue('must be an access token: npm run -s token -- <siteId> --scope network')
  }
}
