// What became of the file that was uploaded just now, above its month.
import { html } from 'hono/html'
import { ApiError } from '../../errors.ts'
import type { Html } from '../../web/layout.ts'
import { asked, notice } from '../parts.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import type { Visit } from '../visit.ts'
import { fileAddress, shortName } from './file-address.ts'
import { countsOfFiles, fileCounts } from './file-states.ts'

/** The notice; with the counts of the file and the way to it, as long as it is there. */
export async function uploadNotice(visit: Visit): Promise<Html | ''> {
  const { done } = SETTLEMENT_TEXTS[visit.language]
  const settlementUid = asked(visit, 'file')
  const said = asked(visit, 'done')
  if (!settlementUid || (said !== 'imported' && said !== 'same')) return notice(visit, done)
  try {
    const file = await visit.call('getSettlement', { path: { settlementUid } })
    const counts = (await countsOfFiles([file], visit)).get(settlementUid)
    return html`<p class="done" role="status"><strong>${done[said]}</strong> <a href="${fileAddress(visit.base, settlementUid)}"><bdi title="${settlementUid}">${shortName(settlementUid)}</bdi></a>. ${fileCounts(counts, visit)}</p>`
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return notice(visit, done)
  }
}
