// The context of the connector, the first parameter of most functions: banks, sites, database, clock, network, log.
import { callsOf } from './answers.ts'
import type { Bank, Code, CodeType, SiteBank } from './bank.ts'
import type { Config } from './config.ts'
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

export interface Core {
  service: string
  networkSecrets: readonly string[]
  banks: ReadonlyMap<string, OpenBank>
  sites: ReadonlyMap<string, OpenSite>
  disk: Disk
  platform: Platform
  log: Log
  metrics: Metrics
}

type Surroundings = Pick<Core, 'disk' | 'platform' | 'log' | 'metrics'>

export function openCore(config: Config, surroundings: Surroundings): Core {
  const { platform, metrics } = surroundings
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
  return { ...surroundings, service: config.service, networkSecrets: config.networkSecrets, banks, sites }
}

/**
 * A reference is the bank's name, a colon, and the suffix that the bank's adapter adds. Where an account is to be bound, or is
 * bound, the bank's id of that request follows behind `#`.
 */
export const referenceOf = (bank: OpenBank, rest: string, request?: string): string =>
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
