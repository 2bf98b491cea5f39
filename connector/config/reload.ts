// Reads the configuration again while the connector runs. All of it takes effect at once; with a fault, nothing does.
import { type Core, openConfiguration } from '../core.ts'
import { messageOf } from '../log.ts'
import { type Config, ConfigFaults } from './config.ts'
import { keepOwners } from './owners.ts'

/**
 * Nothing in it waits, so no request sees a part of two configurations.
 * @param read the file @throws ConfigFaults, or Error where it cannot be read
 * @returns the faults; none where the configuration is in force
 */
export function reload(core: Core, read: () => Config): readonly string[] {
  const { log } = core
  try {
    const { banks, cashRegisters, sites } = core
    const next = openConfiguration(read(), core)
    const left = Array.from(banks.keys()).filter((bank) => !next.banks.has(bank) && core.disk.hasRowsOf(bank))
    const leftRegisters = Array.from(cashRegisters.keys()).filter(
      (name) => !next.cashRegisters.has(name) && core.disk.receipts.hasOpenOf(name),
    )
    keepOwners(next, core.disk)
    // The last step that can fail is done: from here on it is in force.
    core.replace(next)
    const [appeared, gone] = [differenceOf(next.sites, sites), differenceOf(sites, next.sites)]
    log('info', 'the configuration was read again', { sites: next.sites.size, appeared, gone })
    for (const bank of left)
      log('warning', 'credentials are gone, and codes or payments of them remain', { bank })
    for (const register of leftRegisters)
      log('warning', 'a cash register is gone, and documents of it have no result', { register })
    core.configurationFaults = []
    return []
  } catch (error) {
    const faults = error instanceof ConfigFaults ? error.faults : [messageOf(error)]
    core.configurationFaults = faults
    for (const fault of faults) log('error', 'the configuration has a fault, and was not changed', { fault })
    return faults
  }
}

/** Names that one has and the other has not, at most 20 of them. */
function differenceOf(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): string {
  const names = Array.from(one.keys()).filter((name) => !other.has(name))
  const more = names.length > 20 ? ` and ${names.length - 20} more` : ''
  return names.slice(0, 20).join(' ') + more
}
