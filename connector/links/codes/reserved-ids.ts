// Registers a COUNTER code under one of the ids that the bank has reserved for the site: it is assigned on disk before the call.
import type { Link, NewCode } from '../../banks/bank.ts'
import { QrcIdTaken, Refused, Unavailable } from '../../banks/bank-errors.ts'
import type { Core, OpenSite } from '../../core.ts'

/** @throws Refused also where no id is free; Unavailable */
export async function registerReserved(
  { disk, platform, log }: Core,
  { siteId: site, bank: { name, bank }, account }: OpenSite,
  { ids, code, signal }: { ids: readonly string[]; code: NewCode; signal: AbortSignal },
): Promise<Link> {
  const { key, order } = code
  const { identity } = bank
  for (;;) {
    const assigned = disk.reservedIds.assign({ identity, site, key, order }, ids, platform.now())
    if (!assigned)
      throw new Refused(`${bank.title}: none of the ${ids.length} cashRegisterQrcIds of ${site} is free`)
    const { reserved, isRepeat } = assigned
    const { qrcId } = reserved
    try {
      return await account.register({ ...code, order: reserved.order, qrcId }, signal)
    } catch (error) {
      const isTaken = error instanceof QrcIdTaken
      // A bank that does not answer must not use up the ids.
      const wasNotSent = error instanceof Unavailable && !error.isInDoubt && !isRepeat
      if (isTaken) disk.reservedIds.change(reserved, 'TAKEN', platform.now())
      else if (error instanceof Refused || wasNotSent)
        disk.reservedIds.change(reserved, 'FREE', platform.now())
      if (!isTaken) throw error
      log('warning', 'the bank has registered this reserved id for another code', { site, bank: name, qrcId })
    }
  }
}
