// The context of the connector, the first parameter of most functions: the configuration in force, database, clock, network, log.
import { callsOf } from './banks/answers.ts'
import type { Bank, Code, CodeType, SiteBank } from './banks/bank.ts'
import type { Config } from './config/config.ts'
import { refuseOtherOwners } from './config/owners.ts'
import type { TokenEnd } from './config/token-ends.ts'
import type { Disk } from './disk/disk.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Platform } from './platform.ts'

export interface OpenBank {
  name: string
  bank: Bank
  /** Where its webhooks go. */
  webhookUrl: string
}

export interface OpenSite {
  siteId: string
  /** Shown to the payer where a bank demands a purpose. */
  name: string
  token: string
  bank: OpenBank
  account: SiteBank
}

/** A configuration with its banks and sites opened. It never changes: another one takes its place as a whole. */
export interface Configuration {
  readonly service: string
  readonly networkSecrets: readonly string[]
  readonly retentionDays: number | undefined
  readonly banks: ReadonlyMap<string, OpenBank>
  readonly sites: ReadonlyMap<string, OpenSite>
  readonly tokenEnds: readonly TokenEnd[]
}

interface Surroundings {
  readonly disk: Disk
  readonly platform: Platform
  readonly log: Log
  readonly metrics: Metrics
}

/** The fields of the configuration are asked for where they are used, and not kept: a reload replaces them. */
export interface Core extends Configuration, Surroundings {
  /** Of the file when it was last read. */
  configurationFaults: readonly string[]
  replace(configuration: Configuration): void
}

class RunningCore implements Core {
  readonly disk: Disk
  readonly platform: Platform
  readonly log: Log
  readonly metrics: Metrics
  configurationFaults: readonly string[] = []
  #configuration: Configuration

  constructor(configuration: Configuration, { disk, platform, log, metrics }: Surroundings) {
    this.#configuration = configuration
    this.disk = disk
    this.platform = platform
    this.log = log
    this.metrics = metrics
  }

  get service() {
    return this.#configuration.service
  }
  get networkSecrets() {
    return this.#configuration.networkSecrets
  }
  get retentionDays() {
    return this.#configuration.retentionDays
  }
  get banks() {
    return this.#configuration.banks
  }
  get sites() {
    return this.#configuration.sites
  }
  get tokenEnds() {
    return this.#configuration.tokenEnds
  }

  replace(configuration: Configuration): void {
    this.#configuration = configuration
  }
}

/** @throws ConfigFaults where a name of credentials is of another terminal or merchant than on the disk */
export const openCore = (config: Config, surroundings: Surroundings): Core =>
  new RunningCore(openConfiguration(config, surroundings), surroundings)

/** @throws ConfigFaults as `openCore` */
export function openConfiguration(
  config: Config,
  { disk, platform, metrics }: Pick<Surroundings, 'disk' | 'platform' | 'metrics'>,
): Configuration {
  const banks = new Map(
    config.banks.map(({ name, baseUrl, open }) => {
      const bank = open({ baseUrl, call: callsOf(name, platform, metrics), now: platform.now })
      return [name, { name, bank, webhookUrl: `${config.publicUrl}/webhooks/${name}` }]
    }),
  )
  const sites = new Map(
    config.sites.flatMap(({ siteId, name, token, bank: bankName, account }) => {
      const bank = banks.get(bankName)
      return bank
        ? [[siteId, { siteId, name, token, bank, account: bank.bank.forSite(account) }] as const]
        : []
    }),
  )
  refuseOtherOwners(banks, disk)
  const { service, networkSecrets, retentionDays, tokenEnds } = config
  return { service, networkSecrets, retentionDays, banks, sites, tokenEnds }
}

/**
 * A reference is the bank's name, a colon, and the suffix that the bank's adapter adds. Where an account is to be bound, or is
 * bound, the bank's id of that request follows behind `#`. The name is enough: its credentials can be gone.
 */
export const referenceOf = (bank: Pick<OpenBank, 'name'>, rest: string, request?: string): string =>
  `${bank.name}:${rest}${request === undefined ? '' : `#${request}`}`

/** What a reference says. */
interface Reference {
  name: string
  /** Undefined where its name is not configured. */
  bank: OpenBank | undefined
  rest: string
  /** The bank's id of the request to bind an account. */
  request: string | undefined
}

/** @returns undefined if the reference is missing */
export function bankOf(core: Core, reference: string | null | undefined): Reference | undefined {
  const [, name, rest, request] = /^([^:]+):([^#]*)(?:#(.*))?$/.exec(reference ?? '') ?? []
  if (name === undefined || rest === undefined) return
  return { name, rest, request, bank: core.banks.get(name) }
}

/** A code with its bank: of the disk, or learned from the service. */
export interface KnownCode {
  site: string
  bank: OpenBank
  code: Code
}

interface CodeFields {
  site: string
  type: CodeType
  qrcId: string | null
  reference: string | null | undefined
  amount: number | null | undefined
  createdAt: number
  expiresAt?: number | null | undefined
}

/** @returns undefined if the bank is not configured, or the code is not registered yet */
export function knownCodeOf(core: Core, fields: CodeFields): KnownCode | undefined {
  const found = bankOf(core, fields.reference)
  if (!found?.bank || fields.qrcId === null) return
  return {
    site: fields.site,
    bank: found.bank,
    code: {
      type: fields.type,
      qrcId: fields.qrcId,
      reference: found.rest,
      amount: fields.amount ?? undefined,
      createdAt: fields.createdAt,
      endsAt: fields.expiresAt ?? undefined,
    },
  }
}
