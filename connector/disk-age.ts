// Whether this disk can lack something that the connector has done: it was created later, or restored from a backup.
import type { Core } from './core.ts'

/** The service states times in whole seconds. */
export const secondOf = (time: number): number => Math.floor(time / 1000)

/**
 * Whether an instruction that the disk does not have may have been carried out already.
 * @param givenAt the instruction's timestamp in Unix milliseconds
 * @param isOnDisk whether what the instruction is about is on this disk: one of the second in which the disk was made is younger only then
 */
export function isOlderThanDisk({ disk }: Core, givenAt: number, isOnDisk: () => boolean): boolean {
  const difference = secondOf(givenAt) - secondOf(disk.meta.createdAt)
  if (difference < 0 || (difference === 0 && !isOnDisk())) return true
  return disk.heldPeriods.includes(givenAt)
}

/**
 * Whether the disk may lack refunds of a code: it is younger than the code, or older than a restore. Not the payment's time
 * decides: a payment that was found after the restore can have been refunded before it.
 */
export const mayLackRefunds = ({ disk }: Core, { createdAt }: { createdAt: number }): boolean =>
  createdAt < disk.meta.createdAt || disk.heldPeriods.hasEndedSince(createdAt)
