// The files of banks that the site has imported, newest first.
import { html } from 'hono/html'
import type { Settlement } from '../../contract/settlement.ts'
import type { Html } from '../../web/layout.ts'
import { daysName, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import { asked, empty, notice, pageCursor, pager, table, textsOf } from '../parts.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import { ACCOUNTANTS, type Visit } from '../visit.ts'
import { fileAddress, shortName } from './file-address.ts'
import { countsOfFiles, type FileCounts, fileState } from './file-states.ts'
import { guideLink } from './guide.ts'

/** Files of a page. */
const PAGE = 50

/** The page. */
export async function files(visit: Visit): Promise<Response> {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const cursor = asked(visit, 'cursor')
  const { settlements, next } = await visit.call('listSettlements', { query: { cursor, limit: `${PAGE}` } })
  const counts = await countsOfFiles(settlements, visit)
  const upload =
    visit.may(...ACCOUNTANTS) &&
    html`<a class="button primary" href="${visit.base}settlement/upload">${texts.upload}</a>`
  const main = html`<a class="back" href="${visit.base}settlement">← ${texts.title}</a>
    <div class="head"><h1>${texts.files}</h1>${upload}</div>${notice(visit, texts.done)}
    <section class="card" data-live>${
      settlements.length > 0
        ? filesTable(settlements, counts, visit)
        : empty(texts.noFiles, texts.noFilesAdvice, guideLink(visit))
    }</section>${pager(visit, pageCursor(next))}`
  return consolePage(visit, {
    title: texts.files,
    main,
    active: 'settlement',
    ...(!cursor && { feed: visit.feed }),
  })
}

function filesTable(
  settlements: readonly Settlement[],
  counts: ReadonlyMap<string, FileCounts>,
  visit: Visit,
): Html {
  const texts = SETTLEMENT_TEXTS[visit.language]
  return table(
    [
      [texts.file, 'name'],
      [textsOf(visit).status, 'state'],
      [texts.days],
      [texts.importedAt, 'when'],
      [texts.entriesOf, 'sum'],
    ],
    settlements.map((file) => [
      html`<a href="${fileAddress(visit.base, file.settlementUid)}"><bdi title="${file.settlementUid}">${shortName(file.settlementUid)}</bdi></a> <small>${texts.banks[file.bank]}, ${texts.formats[file.format]}</small>`,
      fileState(counts.get(file.settlementUid), visit),
      fileDays(file, visit),
      when(file.importedAt, visit),
      `${file.entries}`,
    ]),
    texts.files,
  )
}

export const fileDays = ({ from, to }: Settlement, { language }: Visit): string =>
  from === undefined || to === undefined ? SETTLEMENT_TEXTS[language].emptyFile : daysName(from, to, language)
