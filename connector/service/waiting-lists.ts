// Takes refunds and charges that wait at the service, where another disk may have sent them: they are held (contract, section 14).
import { roublesOf } from '../amounts.ts'
import type { Core, OpenSite } from '../core.ts'
import { ageOf, type Given, recordRead, type WaitingList } from '../disk/disk-age.ts'
import { messageOf } from '../log.ts'
import { takeCharge } from '../money/charge/charges.ts'
import { takeRefund } from '../money/refund/refunds.ts'
import { listCharges, listRefunds } from './service.ts'

interface Waiting {
  qrcId: string
  paymentUid: string
  refundUid?: string
  /** Unix milliseconds. */
  createdOn: number
}

export const learnRefunds = (core: Core, site: OpenSite): Promise<void> =>
  takeOld(core, site, 'refunds', {
    listed: listRefunds(core, site),
    take: ({ createdOn: _, amount, ...refund }, given) => {
      const value = { value: roublesOf(amount.kopecks), currency: amount.currency }
      return takeRefund(core, { ...refund, siteId: site.siteId, amount: value }, given)
    },
  })

export const learnCharges = (core: Core, site: OpenSite): Promise<void> =>
  takeOld(core, site, 'charges', {
    listed: listCharges(core, site),
    take: ({ createdOn: _, ...charge }, given) => takeCharge(core, { ...charge, siteId: site.siteId }, given),
  })

interface Source<Item> {
  listed: AsyncIterable<Item>
  /** @returns why it cannot be taken now, or undefined */
  take: (item: Item, given: Pick<Given, 'givenAt' | 'isListed'>) => string | undefined
}

/** The others arrive as instructions. */
async function takeOld<Item extends Waiting>(
  core: Core,
  { siteId }: OpenSite,
  list: WaitingList,
  { listed, take }: Source<Item>,
): Promise<void> {
  let isTaken = true
  for await (const item of listed) {
    const { qrcId, paymentUid, refundUid } = item
    const given = { givenAt: item.createdOn, isListed: true }
    const problem = tried(() =>
      ageOf(core, list, { siteId, qrcId, ...given }) === 'OLD' ? take(item, given) : undefined,
    )
    if (problem === undefined) continue
    // Until it is taken, instructions of its site that are not decided are not taken either.
    isTaken = false
    core.log('error', 'what waits at the service cannot be taken', {
      site: siteId,
      paymentUid,
      ...(refundUid && { refundUid }),
      problem,
    })
  }
  if (isTaken) recordRead(core, list, siteId)
}

/** An instruction that the disk does not take keeps no other from being taken. @returns why it cannot be taken */
function tried(take: () => string | undefined): string | undefined {
  try {
    return take()
  } catch (error) {
    return messageOf(error)
  }
}
