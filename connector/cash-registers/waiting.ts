// Takes the documents that wait at the service, where this disk may lack them, and lets a restored disk go on with the right ones.
import type { Core, OpenSite } from '../core.ts'
import { ageOf, beginOf, isRead, recordRead } from '../disk/disk-age.ts'
import { messageOf } from '../log.ts'
import { listReceipts } from '../service/service.ts'
import { takeReceipt } from './receipts.ts'

/** Reads the list of a site; what arrives as an instruction is not taken here. */
export async function learnReceipts(core: Core, site: OpenSite): Promise<void> {
  const { log } = core
  const { siteId, cashRegister } = site
  if (!cashRegister) return
  const listed = new Set<string>()
  let isTaken = true
  for await (const data of listReceipts(core, site)) {
    const { receiptUid, qrcId } = data
    const given = { givenAt: Date.parse(data.dateTime), isListed: true }
    listed.add(receiptUid)
    const problem = tried(() =>
      ageOf(core, 'receipts', { siteId, qrcId, ...given }) === 'OLD'
        ? takeReceipt(core, { ...data, siteId }, given)
        : undefined,
    )
    if (problem === undefined) continue
    isTaken = false
    log('error', 'a document that waits at the service cannot be taken', {
      site: siteId,
      receiptUid,
      problem,
    })
  }
  if (!isTaken) return
  if (!isRead(core, 'receipts', siteId)) leaveOthers(core, siteId, listed)
  recordRead(core, 'receipts', siteId)
}

/**
 * What a restored disk does not know the result of, and the service does not list, has its result there: it is never sent again,
 * because the merchant may have had another attempt made since the backup.
 */
function leaveOthers({ disk, log }: Core, siteId: string, listed: ReadonlySet<string>): void {
  for (const receipt of disk.receipts.unsure(siteId, beginOf(disk))) {
    const { receiptUid, state } = receipt
    if (listed.has(receiptUid)) continue
    if (disk.receipts.change(receipt, { state: 'OVER' }))
      log('info', 'the service has the result of a document', { site: siteId, receiptUid, before: state })
  }
}

function tried(take: () => string | undefined): string | undefined {
  try {
    return take()
  } catch (error) {
    return messageOf(error)
  }
}
