// The upload of a file of a bank: its form, and what is wrong with a file that is refused.
import { html } from 'hono/html'
import type { Settlement } from '../../contract/settlement.ts'
import { MAX_FILE } from '../../contract/settlements/file.ts'
import { ApiError, ERRORS } from '../../errors.ts'
import { FileBody, openFile } from '../../http/file-body.ts'
import { type Upload, uploadOf } from '../../http/multipart.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { consolePage } from '../page.ts'
import { formError, select, textsOf } from '../parts.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import type { Visit } from '../visit.ts'
import { faultsTable } from './faults.ts'
import { fileAddress } from './file-address.ts'
import { guideLink } from './guide.ts'
import { monthAddress, presentMonth } from './month-of.ts'

/** The file of an import, and the fields of the form. */
const LIMITS = { maxSize: MAX_FILE + 64 * 1024, seconds: 300 }
/** Of the name of a file, so that the identifier is no longer than one can be. */
const MAX_NAME = 120

interface Tried {
  status: number
  alert: Html
  bank: string
  format: string
}

/** The form; it has the bank and the format of the latest file. */
export const uploadForm = (visit: Visit): Promise<Response> => show(visit)

async function show(visit: Visit, tried?: Tried): Promise<Response> {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const { settlements } = await visit.call('listSettlements', { query: { limit: '1' } })
  const { bank = 'tbank', format = 'registry' } = tried ?? settlements[0] ?? {}
  const options = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([value, text]) => ({ value, text }))
  const main = html`<a class="back" href="${visit.base}settlement">← ${texts.title}</a>
    <h1>${texts.uploadTitle}</h1>${tried?.alert}
    <form method="post" enctype="multipart/form-data">
      <input type="hidden" name="uid" value="${visit.newUid()}">
      ${select('bank', texts.bank, options(texts.banks), bank)}
      ${select('format', texts.format, options(texts.formats), format)}
      <label>${texts.file}<input type="file" class="drop" name="file" required accept=".csv,.txt,.json,.zip" aria-describedby="file-hint">
        <small id="file-hint">${texts.fileHint}. ${guideLink(visit)}</small></label>
      <p class="hint">${texts.uploadHint}</p>
      <div class="actions"><button class="primary">${texts.send}</button><a href="${visit.base}settlement">${textsOf(visit).back}</a></div></form>`
  return consolePage(visit, {
    title: texts.uploadTitle,
    main,
    active: 'settlement',
    isNarrow: !tried,
    status: tried?.status ?? 200,
  })
}

/** Imports the file of the form, as it arrives. */
export async function upload(visit: Visit): Promise<Response> {
  const { c, service } = visit
  const { file, discard } = await openFile(c, service, LIMITS)
  try {
    const form = await uploadOf(c.req.header('Content-Type'), file.bytes)
    return await importFile(visit, form)
  } finally {
    await discard()
  }
}

async function importFile(visit: Visit, { fields, file }: Upload): Promise<Response> {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const [bank = '', format = '', uid = ''] = ['bank', 'format', 'uid'].map((name) => fields.get(name) ?? '')
  const refused = (status: number, alert: Html) => show(visit, { status, alert, bank, format })
  if (!file?.name)
    return refused(400, html`<p class="alert" role="alert"><strong>${texts.chooseFile}</strong></p>`)
  const settlementUid = uidOf(file.name, uid)
  try {
    const { settlement, isReplayed } = await visit.call('importSettlement', {
      path: { settlementUid },
      query: { bank, format },
      body: new FileBody(mediaTypeOf(file), file.bytes),
    })
    return seeOther(visit.c, imported(settlement, isReplayed, visit))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return refused(ERRORS[error.code].status, refusal(error, visit))
  }
}

/** The month that the file ends in: what does not match is the first there. */
const imported = ({ settlementUid, to }: Settlement, isReplayed: boolean, visit: Visit): string =>
  `${monthAddress(visit.base, to?.slice(0, 7) ?? presentMonth(visit))}&done=${isReplayed ? 'same' : 'imported'}&file=${encodeURIComponent(settlementUid)}`

/** The name of the file, and what makes it unique: the same form that is sent twice is one file. */
function uidOf(name: string, formUid: string): string {
  const shown = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
  const mark = /^console-[0-9a-f]{16}$/.test(formUid) ? formUid.slice(-6) : ''
  return [Array.from(shown).slice(0, MAX_NAME).join(''), mark].filter(Boolean).join(' · ') || 'file'
}

const mediaTypeOf = ({ name, mediaType }: { name: string; mediaType: string }): string =>
  /\.zip$/i.test(name) || mediaType.includes('zip') ? 'application/zip' : 'text/plain'

/** Why the file was refused, and what to do. */
function refusal(error: ApiError, visit: Visit): Html {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const { code, fields = {} } = error
  if (code === 'settlement.unreadable')
    return html`<div class="alert" role="alert"><strong>${texts.notUploaded}</strong><p>${texts.unreadable}</p></div>
      <section class="card">${faultsTable(fields, visit)}<p class="hint">${texts.unreadableAdvice}</p></section>`
  if (code === 'settlement.contradicts')
    return html`<div class="alert" role="alert"><strong>${texts.notUploaded}</strong><p>${texts.contradicts}</p>${earlierFile(error, visit)}</div>
      <section class="card">${faultsTable(fields, visit)}</section>`
  if (code === 'payin.resource.already.exists')
    return html`<div class="alert" role="alert"><strong>${texts.isThere}</strong>${earlierFile(error, visit)}</div>`
  return formError(error, visit, {
    'settlement.in.progress': texts.inProgress,
    'http.message.too.large': texts.tooLarge,
    'http.message.conversion.failed': texts.broken,
  }).alert
}

/** The way to the earlier file; of a refusal that does not name it, what it says. */
const earlierFile = ({ message, settlementUid }: ApiError, visit: Visit): Html =>
  settlementUid === undefined
    ? html`<p lang="en">${message}</p>`
    : html`<p>${SETTLEMENT_TEXTS[visit.language].earlierFile}: <a href="${fileAddress(visit.base, settlementUid)}"><bdi>${settlementUid}</bdi></a></p>`
