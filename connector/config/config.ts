// Reads and checks the configuration file (JSON) at the start; the error names every fault. Secrets come from other files.
import * as z from 'zod'
import type { Bank } from '../banks/bank.ts'
import type { BankContext, BankKind } from '../banks/bank-kind.ts'
import type { CashRegister } from '../cash-registers/cash-register.ts'
import type { RegisterContext, RegisterKind } from '../cash-registers/register-kind.ts'
import { REGISTERS } from '../cash-registers/registers.ts'
import type { Authority } from '../tls/authorities.ts'
import {
  checkToken,
  environmentFaults,
  MerchantKey,
  messageOfError,
  NetworkSecrets,
  named,
  type Reached,
  RetentionDays,
  reachedFrom,
  ServiceUrl,
  type Sources,
  secretFrom,
  Url,
} from './fields.ts'
import { endOf, type TokenEnd } from './token-ends.ts'

/** Credentials that can be opened in a context. */
interface Openable<T> {
  name: string
  kind: string
  baseUrl: string
  /** Trusted for these credentials, besides the public ones. */
  authorities: readonly Authority[]
  open: T
}

type BankConfig = Openable<(context: BankContext) => Bank>

type RegisterConfig = Openable<(context: RegisterContext) => CashRegister>

interface SiteConfig {
  siteId: string
  token: string
  name: string
  bank: string
  /** The site's fields of its bank. */
  account: unknown
  /** The name of its cash register. */
  cashRegister: string | undefined
}

export interface Config {
  /** Without a slash at the end. */
  service: string
  publicUrl: string
  networkSecrets: string[]
  /** For how many days payers' data stay; undefined: for ever. */
  retentionDays: number | undefined
  banks: BankConfig[]
  cashRegisters: RegisterConfig[]
  sites: SiteConfig[]
  tokenEnds: TokenEnd[]
}

/** Every fault of a configuration. */
export class ConfigFaults extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

/**
 * Reads the configuration.
 * @param text of the file
 * @throws ConfigFaults
 */
export function readConfig(
  text: string,
  kinds: readonly BankKind[],
  sources: Sources,
  registers: readonly RegisterKind[] = REGISTERS,
): Config {
  const reader = new Reader(kinds, registers, sources)
  const config = reader.read(jsonOf(text))
  const faults = [...environmentFaults(sources), ...reader.faults]
  if (faults.length > 0 || !config) throw new ConfigFaults(faults)
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

/** The rule of a name of credentials. */
const CREDENTIALS = [/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 of a-z 0-9 -'] as const

class Reader {
  readonly faults: string[] = []
  readonly #kinds: readonly BankKind[]
  readonly #registers: readonly RegisterKind[]
  readonly #secret: z.ZodType<string>
  readonly #reached: ReturnType<typeof reachedFrom>
  readonly #tokenEnds: TokenEnd[] = []
  /** Undefined for a set of credentials that is invalid itself: a site that refers to it is not reported as well. */
  readonly #bankKinds = new Map<string, BankKind | undefined>()
  readonly #registerKinds = new Map<string, RegisterKind | undefined>()

  constructor(kinds: readonly BankKind[], registers: readonly RegisterKind[], sources: Sources) {
    this.#kinds = kinds
    this.#registers = registers
    this.#secret = secretFrom(sources)
    this.#reached = reachedFrom(sources)
  }

  read(value: unknown): Config | undefined {
    const schema = z.strictObject({
      service: ServiceUrl,
      publicUrl: Url,
      networkSecret: this.#secret.pipe(NetworkSecrets),
      retentionDays: RetentionDays.optional(),
      banks: named(...CREDENTIALS),
      cashRegisters: named(...CREDENTIALS).default({}),
      sites: named(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 of A-Z a-z 0-9 . _ -'),
    })
    const config = this.#take('', schema, value)
    // The parts are read even where the rest has faults, so that all are named at once.
    const parts = config ?? Parts.parse(value)
    const banks = Object.entries(parts.banks).flatMap(([name, each]) => this.#bank(name, each) ?? [])
    const cashRegisters = Object.entries(parts.cashRegisters).flatMap(
      ([name, each]) => this.#register(name, each) ?? [],
    )
    const sites = Object.entries(parts.sites).flatMap(([siteId, each]) => this.#site(siteId, each) ?? [])
    if (!config) return
    const { service, publicUrl, networkSecret: networkSecrets, retentionDays } = config
    const common = { service, publicUrl, networkSecrets, retentionDays, tokenEnds: this.#tokenEnds }
    return { ...common, banks, cashRegisters, sites }
  }

  #bank(name: string, value: unknown): BankConfig | undefined {
    const path = `banks.${name}`
    const names = this.#kinds.map(({ kind }) => kind)
    const schema = this.#reached.extend({ bank: z.enum(names, `must be one of ${names.join(', ')}`) })
    const common = this.#take(path, schema, value)
    const kind = this.#kinds.find((each) => each.kind === common?.bank)
    this.#bankKinds.set(name, kind)
    if (!common || !kind) return
    const { bank: _, ...rest } = common
    return this.#openable(path, name, kind, rest)
  }

  #register(name: string, value: unknown): RegisterConfig | undefined {
    const path = `cashRegisters.${name}`
    const names = this.#registers.map(({ kind }) => kind)
    const schema = this.#reached.extend({ kind: z.enum(names, `must be one of ${names.join(', ')}`) })
    const common = this.#take(path, schema, value)
    const kind = this.#registers.find((each) => each.kind === common?.kind)
    this.#registerKinds.set(name, kind)
    if (!common || !kind) return
    const { kind: _, ...rest } = common
    return this.#openable(path, name, kind, rest)
  }

  #openable<T>(
    path: string,
    name: string,
    kind: { kind: string; baseUrl: string; credentials: (secret: z.ZodType<string>) => z.ZodType<T> },
    { baseUrl = kind.baseUrl, ca: authorities = [], ...own }: Reached,
  ): Openable<T> | undefined {
    if (authorities.length > 0 && !baseUrl.startsWith('https:'))
      this.faults.push(`${path}.ca: must be left out: baseUrl is not https`)
    for (const { name: what, endsAt } of authorities)
      this.#noteEnd({ owner: path, what: `the certificate ${what} of ca`, endsAt })
    const open = this.#take(path, kind.credentials(this.#secretOf(path)), own)
    return open && { name, kind: kind.kind, baseUrl, authorities, open }
  }

  /** A secret of credentials, which can say when it ends. */
  #secretOf(owner: string): z.ZodType<string> {
    return this.#secret.transform((text) => {
      this.#noteEnd({ owner, what: 'a secret', endsAt: endOf(text) })
      return text
    })
  }

  #site(siteId: string, value: unknown): SiteConfig | undefined {
    const path = `sites.${siteId}`
    const schema = z.looseObject({
      token: this.#secret.superRefine((token, context) => checkToken(token, siteId, context)),
      bank: z.string('must be the name of one of banks'),
      cashRegister: z.string('must be the name of one of cashRegisters').optional(),
      name: z.string().min(1).max(60).default(siteId),
      merchantKeys: z.array(MerchantKey).default([]),
    })
    const common = this.#take(path, schema, value)
    if (!common) return
    const { token, bank, name, merchantKeys, cashRegister, ...own } = common
    this.#noteEnd({ owner: path, what: 'the token', endsAt: endOf(token) })
    for (const { id, endsOn } of merchantKeys) {
      this.#noteEnd({ owner: path, what: `the merchant’s key ${id}`, endsAt: Date.parse(endsOn) })
    }
    if (!this.#bankKinds.has(bank)) this.faults.push(`${path}.bank: ${bank} is not one of banks`)
    const kind = this.#bankKinds.get(bank)
    const account = kind && this.#take(path, kind.site, own)
    if (cashRegister !== undefined) this.#checkRegister(path, cashRegister, kind)
    return { siteId, token, bank, name, account, cashRegister }
  }

  #checkRegister(path: string, name: string, bank: BankKind | undefined): void {
    if (!this.#registerKinds.has(name))
      this.faults.push(`${path}.cashRegister: ${name} is not one of cashRegisters`)
    const rides = this.#registerKinds.get(name)?.bank
    if (rides !== undefined && bank && bank.kind !== rides)
      this.faults.push(`${path}.cashRegister: ${name} needs a bank of the kind ${rides}`)
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
const Parts = z
  .object({ banks: Entries, cashRegisters: Entries.default({}), sites: Entries })
  .catch({ banks: {}, cashRegisters: {}, sites: {} })

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `${issue.keys.join(', ')} is unknown`
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  return issue.message
}
