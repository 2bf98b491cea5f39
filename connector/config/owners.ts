// A name of credentials stays with its terminal or merchant as long as rows on the disk have the name: they say nothing else of it.
import type { Bank } from '../banks/bank.ts'
import type { Disk } from '../disk/disk.ts'
import { ConfigFaults } from './config.ts'

interface Owned {
  name: string
  bank: Pick<Bank, 'identity'>
}

/** The banks of a configuration, each by its name. */
type Banks = ReadonlyMap<string, Owned>

const keyOf = (name: string): string => `ownerOf:${name}`

/** @throws ConfigFaults naming each name that is pointed at another owner */
export function refuseOtherOwners(banks: Banks, disk: Disk): void {
  const faults = Array.from(banks.values()).flatMap(({ name, bank: { identity } }) => {
    const before = disk.meta.get(keyOf(name))
    if (before === undefined || before === identity || !disk.hasRowsOf(name)) return []
    return [
      `banks.${name}: is ${identity}, and was ${before}, of which codes or payments remain: must be another name`,
    ]
  })
  if (faults.length > 0) throw new ConfigFaults(faults)
}

/** Whether the name is still of this terminal or merchant: a reload can have pointed it at another. */
export const isOwner = ({ name, bank: { identity } }: Owned, disk: Disk): boolean =>
  disk.meta.get(keyOf(name)) === identity

/** Keeps whose each name is. */
export function keepOwners({ banks }: { banks: Banks }, disk: Disk): void {
  disk.transaction(() => {
    for (const { name, bank } of banks.values()) {
      if (!isOwner({ name, bank }, disk)) disk.meta.set(keyOf(name), bank.identity)
    }
  })
}
