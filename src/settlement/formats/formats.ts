// The formats of settlement files that can be read, by bank.
import type { SettlementBank, SettlementFormat } from '../sources.ts'
import type { Parse } from './entry.ts'
import { raiffeisenRegistry } from './raiffeisen-registry.ts'
import { statement1c } from './statement-1c.ts'
import { tbankRegistry } from './tbank-registry.ts'
import { tochkaPayRegistry } from './tochka-pay-registry.ts'
import { tochkaRegistry } from './tochka-registry.ts'

/** What the site sets for its files. */
export interface ParseOptions {
  /** Accounts of 20 digits, from which the bank pays out: a statement's credits from them are payouts. */
  payoutAccounts: readonly string[]
}

const REGISTRIES: Readonly<Record<SettlementBank, Parse>> = {
  tbank: tbankRegistry,
  raiffeisen: raiffeisenRegistry,
  tochka: tochkaRegistry,
  'tochka-pay': tochkaPayRegistry,
}

/** The parser of a bank's format. A zip is unpacked before, by `unzipped`. */
export function parserOf(
  bank: SettlementBank,
  format: SettlementFormat,
  { payoutAccounts }: ParseOptions,
): Parse {
  if (format === 'registry') return REGISTRIES[bank]
  return (bytes) => statement1c(bytes, { payoutAccounts, isRaiffeisen: bank === 'raiffeisen' })
}
