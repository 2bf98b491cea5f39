// The page of a file of a bank, and its deletion, which a question comes before.
import { html } from 'hono/html'
import type { Settlement } from '../../contract/settlement.ts'
import { ApiError } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { when } from '../formats.ts'
import { consolePage } from '../page.ts'
import { type FormError, facts, formError, notice, pathOf, stateName } from '../parts.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import { ACCOUNTANTS, type Visit } from '../visit.ts'
import { fileAddress } from './file-address.ts'
import { COUNTED, countsOfFiles, fileState } from './file-states.ts'
import { fileDays } from './files.ts'
import { monthAddress } from './month-of.ts'

const PATH = '/settlement/files/{id}'

const pathOfFile = (visit: Visit, template: string) => ({ settlementUid: pathOf(visit, template).id ?? '' })

/** The page. */
export async function file(visit: Visit): Promise<Response> {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const found = await visit.call('getSettlement', { path: pathOfFile(visit, PATH) })
  const address = fileAddress(visit.base, found.settlementUid)
  const counts = (await countsOfFiles([found], visit)).get(found.settlementUid)
  const main = html`<a class="back" href="${visit.base}settlement/files">← ${texts.files}</a>${notice(visit, texts.done)}
    <div class="head"><h1><bdi>${found.settlementUid}</bdi></h1><span>${fileState(counts, visit)}</span></div>
    <section class="card">${facts([
      ...aboutFile(found, visit),
      [texts.lines, `${found.lines}`],
      [texts.entriesOf, `${found.entries}`],
      ...COUNTED.map((state): [string, string | false] => [
        stateName(`SETTLEMENT_${state}`, visit),
        counts !== undefined && counts[state] > 0 && `${counts[state]}`,
      ]),
      [texts.repeated, found.repeated > 0 && `${found.repeated}`],
      [texts.skipped, found.skipped > 0 && `${found.skipped}`],
      [texts.sha256, html`<code class="whole">${found.sha256}</code>`],
    ])}</section>
    <div class="actions">${
      found.to !== undefined &&
      html`<a class="button" href="${monthAddress(visit.base, found.to.slice(0, 7))}">${texts.toMonth}</a>`
    }${visit.may(...ACCOUNTANTS) && html`<a class="button danger" href="${address}/delete">${texts.remove}</a>`}</div>`
  return consolePage(visit, { title: found.settlementUid, main, active: 'settlement', isNarrow: true })
}

const aboutFile = (found: Settlement, visit: Visit) => {
  const texts = SETTLEMENT_TEXTS[visit.language]
  return [
    [texts.bank, texts.banks[found.bank]],
    [texts.format, texts.formats[found.format]],
    [texts.days, fileDays(found, visit)],
    [texts.importedAt, when(found.importedAt, visit)],
  ] as const
}

/** The question. */
export const removal = (visit: Visit): Promise<Response> => question(visit)

async function question(visit: Visit, refused?: FormError): Promise<Response> {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const found = await visit.call('getSettlement', { path: pathOfFile(visit, `${PATH}/delete`) })
  const address = fileAddress(visit.base, found.settlementUid)
  const main: Html = html`<a class="back" href="${address}">←&nbsp;<bdi>${found.settlementUid}</bdi></a>
    <h1>${texts.removeTitle}</h1>
    <section class="card">${facts([[texts.file, found.settlementUid], ...aboutFile(found, visit), [texts.entriesOf, `${found.entries}`]])}</section>
    <form method="post">${refused?.alert}<p>${texts.removeLead}</p>
      <div class="actions"><button class="danger">${texts.removeConfirm}</button><a href="${address}">${texts.keep}</a></div></form>`
  return consolePage(visit, {
    title: texts.removeTitle,
    main,
    active: 'settlement',
    isNarrow: true,
    status: refused?.status ?? 200,
  })
}

/** Deletes the file. @throws ApiError 404 of one that the site does not have, which the API takes for deleted */
export async function remove(visit: Visit): Promise<Response> {
  const path = pathOfFile(visit, `${PATH}/delete`)
  await visit.call('getSettlement', { path })
  try {
    await visit.call('deleteSettlement', { path })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { inProgress } = SETTLEMENT_TEXTS[visit.language]
    return question(visit, formError(error, visit, { 'settlement.in.progress': inProgress }))
  }
  return seeOther(visit.c, `${visit.base}settlement/files?done=removed`)
}
