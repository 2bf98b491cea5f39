// The options of `npm run settlement`: it prints a file, or imports it into the sites of a configuration.
import { BANKS, FORMATS, type SettlementBank, type SettlementFormat } from '../../src/settlement/sources.ts'
import { UsageError } from '../command.ts'
import { parseOptions } from '../options.ts'
import { reasonOf } from '../system-error.ts'

export interface Printing {
  file: string
  bank: SettlementBank
  format: SettlementFormat
  payoutAccounts: readonly string[]
  config?: undefined
}

export interface Importing {
  file: string
  /** The name of the credentials in the configuration. */
  bank: string
  format: SettlementFormat
  config: string
  envFile: string | undefined
  siteOfTerminal: ReadonlyMap<string, string>
}

/** @throws UsageError naming the option and its rule */
export function readOptions(): Printing | Importing {
  try {
    const { values, positionals } = parseOptions({
      allowPositionals: true,
      options: {
        ...{ bank: { type: 'string' }, format: { type: 'string' } },
        'payout-account': { type: 'string', multiple: true },
        ...{ config: { type: 'string' }, 'env-file': { type: 'string' } },
        'site-of': { type: 'string', multiple: true },
      },
    })
    const [file, ...rest] = positionals
    if (file === undefined || rest.length > 0) throw new Error('exactly one FILE is required: see --help')
    const { bank, format, config } = values
    const accounts = values['payout-account'] ?? []
    if (config === undefined) {
      for (const name of ['env-file', 'site-of'] as const)
        if (values[name] !== undefined)
          throw new Error(`--${name} is for an import: --config FILE is missing`)
      return printing(file, { bank, format, accounts })
    }
    if (bank === undefined)
      throw new Error('--bank is not given, must be the name of one of banks in the configuration')
    if (accounts.length > 0)
      throw new Error('--payout-account is not for an import: the settings of the site have its accounts')
    return {
      ...{ file, bank, config, envFile: values['env-file'] },
      format: oneOf('--format', format ?? 'registry', FORMATS),
      siteOfTerminal: terminalsIn(values['site-of'] ?? []),
    }
  } catch (error) {
    throw new UsageError(reasonOf(error))
  }
}

function printing(
  file: string,
  given: { bank: string | undefined; format: string | undefined; accounts: readonly string[] },
): Printing {
  const bank = oneOf('--bank', given.bank, BANKS)
  const format = oneOf('--format', given.format, FORMATS)
  for (const account of given.accounts) {
    if (format !== 'statement') throw new Error('--payout-account is of --format statement alone')
    if (!/^\d{20}$/.test(account)) throw new Error(`--payout-account is ${account}, must have 20 digits`)
  }
  return { file, bank, format, payoutAccounts: given.accounts }
}

/** A terminal is of one site. */
function terminalsIn(texts: readonly string[]): Map<string, string> {
  const sites = new Map<string, string>()
  for (const text of texts) {
    const [, terminal, site] = /^([^=]+)=([^=]+)$/.exec(text) ?? []
    if (terminal === undefined || site === undefined)
      throw new Error(`--site-of is ${text}, must be a terminal, = and a site, such as 25001234=tea`)
    if (sites.has(terminal))
      throw new Error(`--site-of names the terminal ${terminal} twice, must name it once`)
    sites.set(terminal, site)
  }
  return sites
}

function oneOf<Name extends string>(option: string, value: string | undefined, names: readonly Name[]): Name {
  const found = names.find((name) => name === value)
  if (found !== undefined) return found
  throw new Error(`${option} is ${value ?? 'not given'}, must be one of ${names.join(', ')}`)
}
