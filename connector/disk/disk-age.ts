// Whether this disk can lack something that the connector has done: it was created later, or restored from a backup.
import type { Core } from '../core.ts'
import { isLearned } from '../links/codes/lookup.ts'
import type { Disk } from './disk.ts'

/** By how much the clocks of service and connector can differ: a signature is good for five minutes, and a call takes a while. */
const MAX_SKEW_MS = 6 * 60_000

/** Why an instruction that is not decided is not taken: the service sends it again. */
export const UNREAD = 'what waited before this disk began has not been read from the service'

/** The lists of the service with the instructions that have no result. */
export type WaitingList = 'refunds' | 'charges' | 'receipts'

/** An instruction of the service that is not on disk. */
export interface Given {
  siteId: string
  qrcId: string
  /** By the service's clock, in Unix milliseconds. */
  givenAt: number
  /** Whether the first reading of the list had it. */
  isListed?: boolean
}

/** `OLD`: another disk, or this one before it was restored, may have carried it out. */
type InstructionAge = 'OLD' | 'NEW' | 'UNDECIDED'

/**
 * How old an instruction is. Times decide where they differ by more than clocks can. Otherwise the service does: what waits
 * there since before the disk began was in its list, and is on disk since the list was read.
 */
export function ageOf(core: Core, list: WaitingList, given: Given): InstructionAge {
  const { disk } = core
  const { siteId, qrcId, givenAt, isListed = false } = given
  const begin = beginOf(disk)
  if (isRegisteredSince(disk, siteId, qrcId) || givenAt >= begin + MAX_SKEW_MS) return 'NEW'
  if (givenAt < begin - MAX_SKEW_MS) return 'OLD'
  if (isRead(core, list, siteId)) return 'NEW'
  return isListed ? 'OLD' : 'UNDECIDED'
}

/** Whether every old instruction in the list of a site is on disk. */
export const isRead = ({ disk }: Core, list: WaitingList, siteId: string): boolean =>
  disk.meta.get(readKey(list, siteId)) === String(beginOf(disk))

/** Records that every old instruction in the list of a site is on disk. */
export const recordRead = ({ disk }: Core, list: WaitingList, siteId: string): void =>
  disk.meta.set(readKey(list, siteId), String(beginOf(disk)))

const readKey = (list: WaitingList, siteId: string): string => `waitingRead:${list}:${siteId}`

/** When the disk was made, or restored for the last time. */
export const beginOf = ({ meta, heldPeriods }: Disk): number =>
  Math.max(meta.createdAt, heldPeriods.lastEnd())

/** Whether all that was done with the code was done on this disk. A backup can be of a machine with another clock. */
function isRegisteredSince({ codes, heldPeriods }: Disk, siteId: string, qrcId: string): boolean {
  const code = codes.ofSite(siteId, qrcId)
  return code !== undefined && !isLearned(code) && code.createdAt >= heldPeriods.lastEnd() + MAX_SKEW_MS
}

/**
 * Whether the disk may lack refunds of a code, or of its charge that was given then. Not the payment's time decides: a
 * payment that was found after the restore can have been refunded before it.
 */
export const mayLackRefunds = (
  { disk }: Core,
  { site, qrcId, chargedAt = 0 }: { site: string; qrcId: string; chargedAt?: number | undefined },
): boolean => !isRegisteredSince(disk, site, qrcId) && chargedAt < beginOf(disk) + MAX_SKEW_MS
