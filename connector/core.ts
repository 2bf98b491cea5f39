// The context of the connector, the first parameter of most functions: the configuration in force, database, clock, network, log.
import { callsOf } from './banks/answers.ts'
import type { Bank, Code, CodeType, SiteBank } from './banks/bank.ts'
import type { CashRegister } from './cash-registers/cash-register.ts'
import type { Config } from './config/config.ts'
import { refuseOtherOwners } from './config/owners.ts'
import type { TokenEnd } from './config/token-ends.ts'
import type { Disk } from './disk/disk.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Platform } from './platform.ts'
import { partsOf, type ReferenceParts } from './reference.ts'
import type { Authority } from './tls/authorities.ts'

export interface OpenBank {
  name: string
  /** As a report names it. */
  kind: string
  bank: Bank
  /** Where its webhooks go. */
  webhookUrl: string
  /** Trusted for it alone, besides the public ones. */
  authorities: readonly Authority[]
}

export interface OpenRegister {
  name: string
  /** As an instruction names it. */
  kind: string
  register: CashRegister
  /** As of a bank. */
  authorities: readonly Authority[]
}

export interface OpenSite {
  siteId: string
  /** Shown to the payer where a bank demands a purpose. */
  name: string
  token: string
  bank: OpenBank
  account: SiteBank
  cashRegister: OpenRegister | undefined
}

/** A configuration with its banks and sites opened. It never changes: another one takes its place as a whole. */
export interface Configuration {
  readonly service: string
  readonly networkSecrets: readonly string[]
  readonly retentionDays: number | undefined
  readonly banks: ReadonlyMap<string, OpenBank>
  readonly cashRegisters: ReadonlyMap<string, OpenRegister>
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
  get cashRegisters() {
    return this.#configuration.cashRegisters
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
  { disk, platform, log, metrics }: Surroundings,
): Configuration {
  const banks = new Map(
    config.banks.map(({ name, kind, baseUrl, authorities, open }) => {
      const noteTestPayment = (number: string) => {
        metrics.countTest()
        log('error', 'a bank states a payment of its test, which is not reported', { bank: name, number })
      }
      const noteTestCode = (qrcId: string) => {
        metrics.countTest()
        log('error', 'a bank has registered a code of its test, by which nobody can pay money', {
          bank: name,
          qrcId,
        })
      }
      const call = callsOf({ of: 'bank', name, authorities }, platform, metrics)
      const bank = open({ baseUrl, call, noteTestPayment, noteTestCode, now: platform.now })
      return [name, { name, kind, bank, authorities, webhookUrl: `${config.publicUrl}/webhooks/${name}` }]
    }),
  )
  const cashRegisters = new Map(
    config.cashRegisters.map(({ name, kind, baseUrl, authorities, open }) => {
      const call = callsOf({ of: 'register', name, authorities }, platform, metrics)
      const webhookUrl = `${config.publicUrl}/webhooks/receipts/${name}`
      const register = open({ baseUrl, call, webhookUrl, now: platform.now })
      return [name, { name, kind, register, authorities }]
    }),
  )
  const sites = new Map(
    config.sites.flatMap(({ siteId, name, token, bank: bankName, account, cashRegister: register }) => {
      const bank = banks.get(bankName)
      const cashRegister = register === undefined ? undefined : cashRegisters.get(register)
      return bank
        ? [
            [
              siteId,
              { siteId, name, token, bank, account: bank.bank.forSite(account), cashRegister },
            ] as const,
          ]
        : []
    }),
  )
  refuseOtherOwners({ banks, cashRegisters, sites }, disk)
  const { service, networkSecrets, retentionDays, tokenEnds } = config
  return { service, networkSecrets, retentionDays, banks, cashRegisters, sites, tokenEnds }
}

/** What a reference says. */
interface Reference extends ReferenceParts {
  /** Undefined where its name is not configured. */
  bank: OpenBank | undefined
}

/** @returns undefined if the reference is missing */
export function bankOf(core: Core, reference: string | null | undefined): Reference | undefined {
  const parts = partsOf(reference)
  return parts && { ...parts, bank: core.banks.get(parts.name) }
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
