// A name of credentials stays with its terminal or merchant as long as rows on the disk have the name: they say nothing else of it.
import type { Bank } from '../banks/bank.ts'
import type { CashRegister } from '../cash-registers/cash-register.ts'
import type { Disk } from '../disk/disk.ts'
import { ConfigFaults } from './config.ts'

interface Owned {
  name: string
  bank: Pick<Bank, 'identity'>
}

/** The credentials of a configuration, each by its name. */
interface Credentials {
  banks: ReadonlyMap<string, Owned>
  cashRegisters: ReadonlyMap<string, OwnedRegister>
}

interface OwnedRegister {
  name: string
  register: Pick<CashRegister, 'identity' | 'rides'>
}

interface Sites {
  sites: ReadonlyMap<string, { siteId: string; bank: Owned; cashRegister: OwnedRegister | undefined }>
}

const keyOf = (name: string): string => `ownerOf:${name}`
const registerKeyOf = (name: string): string => `ownerOfRegister:${name}`

/**
 * @throws ConfigFaults naming each name that is pointed at another owner, and each site whose cash register rides on the calls of
 * another terminal than its bank's
 */
export function refuseOtherOwners({ banks, cashRegisters, sites }: Credentials & Sites, disk: Disk): void {
  const faults = Array.from(banks.values()).flatMap(({ name, bank: { identity } }) => {
    const before = disk.meta.get(keyOf(name))
    if (before === undefined || before === identity || !disk.hasRowsOf(name)) return []
    return [
      `banks.${name}: is ${identity}, and was ${before}, of which codes or payments remain: must be another name`,
    ]
  })
  for (const { name, register } of cashRegisters.values()) {
    const before = disk.meta.get(registerKeyOf(name))
    if (before === undefined || before === register.identity || !disk.receipts.hasOpenOf(name)) continue
    faults.push(
      `cashRegisters.${name}: is ${register.identity}, and was ${before}, of which documents have no result: must be another name`,
    )
  }
  for (const { siteId, bank, cashRegister } of sites.values()) {
    const { identity = '', rides = [] } = cashRegister?.register ?? {}
    if (rides.length === 0 || identity === bank.bank.identity) continue
    faults.push(
      `sites.${siteId}.cashRegister: ${cashRegister?.name} is ${identity}, must be ${bank.bank.identity}`,
    )
  }
  if (faults.length > 0) throw new ConfigFaults(faults)
}

/** Whether the name is still of this terminal or merchant: a reload can have pointed it at another. */
export const isOwner = ({ name, bank: { identity } }: Owned, disk: Disk): boolean =>
  disk.meta.get(keyOf(name)) === identity

/** Keeps whose each name is. */
export function keepOwners({ banks, cashRegisters }: Credentials, disk: Disk): void {
  disk.transaction(() => {
    for (const { name, bank } of banks.values()) {
      if (!isOwner({ name, bank }, disk)) disk.meta.set(keyOf(name), bank.identity)
    }
    for (const { name, register } of cashRegisters.values()) {
      const key = registerKeyOf(name)
      if (disk.meta.get(key) !== register.identity) disk.meta.set(key, register.identity)
    }
  })
}
