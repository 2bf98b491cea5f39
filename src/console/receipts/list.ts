// The receipts of a site: what failed first, with what to do; then what waits; then all.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import { DOCUMENT_KINDS, DOCUMENT_STATES, type ReceiptDocument } from '../../contract/receipts/document.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { dayBound, dayFaults, dayFields } from '../days.ts'
import { when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  asked,
  badge,
  empty,
  filters,
  nothingFound,
  notice,
  pageCursor,
  pager,
  paymentAddress,
  select,
  stateName,
  table,
  textsOf,
} from '../parts.ts'
import { RECEIPT_TEXTS } from '../texts-receipts.ts'
import { ADMINS, type Visit, WRITERS } from '../visit.ts'
import { adviceOf, canRetry, lateAdviceOf, receiptState } from './advice.ts'

type Page = Values['listReceipts']
/** What the filters ask for. */
interface ReceiptsFilter {
  state: string
  kind: string
}

/** Documents that a section above the list shows. */
const SHOWN = '20'
/** What has no result yet. */
const OPEN = 'WAITING,SENT'
const STATES = [...DOCUMENT_STATES, OPEN] as const

export const filterOf = (visit: Visit): ReceiptsFilter => ({
  state: STATES.find((each) => each === asked(visit, 'state')) ?? '',
  kind: DOCUMENT_KINDS.find((each) => each === asked(visit, 'kind')) ?? '',
})

/** A page of what the filters ask for. */
export function foundReceipts(
  visit: Visit,
  page: { cursor: string | undefined; limit?: string },
): Promise<Page> {
  const { state, kind } = filterOf(visit)
  return visit.call('listReceipts', {
    query: {
      ...page,
      ...(state && { state }),
      // What has waited longest comes first.
      ...(state === OPEN && { order: 'asc' }),
      ...(kind && { kind }),
      from: dayBound(visit, 'from'),
      to: dayBound(visit, 'to'),
    },
  })
}

/** The page. */
export async function list(visit: Visit): Promise<Response> {
  const texts = RECEIPT_TEXTS[visit.language]
  const { state, kind } = filterOf(visit)
  const cursor = asked(visit, 'cursor')
  const isRefused = dayFaults(visit) !== undefined
  const isFiltered = Boolean(state || kind || asked(visit, 'from') || asked(visit, 'to'))
  const isFirst = !isFiltered && !cursor
  const of = (query: { state: string; latest?: 'true'; order?: 'asc' }) =>
    visit.call('listReceipts', { query: { ...query, limit: SHOWN } })
  const none: Page = { documents: [] }
  const [all, failed, waiting] = await Promise.all([
    isRefused ? none : foundReceipts(visit, { cursor }),
    isFirst ? of({ state: 'FAILED', latest: 'true' }) : none,
    isFirst ? of({ state: OPEN, order: 'asc' }) : none,
  ])
  const hasAbove = failed.documents.length > 0 || waiting.documents.length > 0
  const main = html`<div class="head"><h1>${texts.title}</h1>${
    visit.may(...ADMINS) &&
    html`<a class="button" href="${visit.base}receipts/settings">${texts.settings}</a>`
  }</div>${notice(visit, texts.done)}
    ${filters(visit, [...filterFields(visit), ...dayFields(visit)], isFiltered)}
    ${!isRefused && html`<p><a href="receipts.csv?${queryOf(visit)}">${texts.file}</a> <small>${texts.fileHint}</small></p>`}
    <div class="stack" data-live>${failed.documents.length > 0 && failedSection(failed, visit)}${
      waiting.documents.length > 0 && waitingSection(waiting, visit)
    }</div>
    <section class="card" data-live>${hasAbove && html`<h2>${texts.all}</h2>`}${
      all.documents.length > 0
        ? receiptsTable(all.documents, visit)
        : isFiltered
          ? nothingFound(visit, isRefused)
          : empty(
              texts.none,
              visit.receipts?.isOfAll ? texts.noneAdvice : texts.noSettings,
              toSettings(visit),
            )
    }</section>${pager(visit, pageCursor(all.next))}`
  return consolePage(visit, {
    title: texts.title,
    main,
    active: 'receipts',
    status: isRefused ? 400 : 200,
    ...(!cursor && { feed: visit.feed }),
  })
}

const toSettings = (visit: Visit): Html | false =>
  visit.may(...ADMINS) &&
  html`<a class="button" href="${visit.base}receipts/settings">${RECEIPT_TEXTS[visit.language].settings}</a>`

function filterFields(visit: Visit): Html[] {
  const { state, kind } = filterOf(visit)
  const texts = RECEIPT_TEXTS[visit.language]
  const any = { value: '', text: textsOf(visit).any }
  return [
    select(
      'state',
      textsOf(visit).status,
      [
        any,
        { value: OPEN, text: texts.noResult },
        ...DOCUMENT_STATES.map((value) => ({ value, text: stateName(`RECEIPT_${value}`, visit) })),
      ],
      state,
    ),
    select(
      'kind',
      texts.kind,
      [any, ...DOCUMENT_KINDS.map((value) => ({ value, text: texts.kinds[value] }))],
      kind,
    ),
  ]
}

/** Those that failed, by what is to be done: each cause once. */
function failedSection({ documents, next }: Page, visit: Visit): Html {
  const texts = RECEIPT_TEXTS[visit.language]
  const groups = Map.groupBy(
    documents,
    (document) => `${lateAdviceOf(document, visit.now)} ${adviceOf(document)} ${document.error?.text ?? ''}`,
  )
  return html`<section class="card"><h2>${texts.failed}</h2>${Array.from(groups.values(), (group) => cause(group, visit))}${
    next !== undefined && html`<p><a href="?state=FAILED">${texts.allFailed}</a></p>`
  }</section>`
}

/** Those without a result, oldest first: of what has waited for more than a day it is said what to do. */
function waitingSection({ documents, next }: Page, visit: Visit): Html {
  const texts = RECEIPT_TEXTS[visit.language]
  return html`<section class="card"><h2>${texts.waiting}</h2>${
    documents.some((document) => lateAdviceOf(document, visit.now)) &&
    html`<p class="warn">${texts.lateMany}</p>`
  }${receiptsTable(documents, visit)}${
    next !== undefined && html`<p><a href="?state=${OPEN}">${texts.allWaiting}</a></p>`
  }</section>`
}

function cause(documents: readonly ReceiptDocument[], visit: Visit): Html {
  const texts = RECEIPT_TEXTS[visit.language]
  const [first] = documents
  const name = first && adviceOf(first)
  if (!first || !name) return html``
  const { happens, todo } = texts.advice[name]
  const late = lateAdviceOf(first, visit.now)
  const isOfSettings = name === 'vatRate' || name === 'refused'
  return html`<div class="cause"><p><strong>${happens}</strong></p>${
    first.error?.text && html`<p>${texts.words}: <q lang="ru"><bdi>${first.error.text}</bdi></q></p>`
  }${
    late
      ? html`<p class="warn">${texts.late[late]}</p>`
      : html`<p>${todo}${isOfSettings && visit.may(...ADMINS) && html`. <a href="${visit.base}receipts/settings">${texts.settings}</a>`}</p>`
  }
    ${receiptsTable(documents, visit, true)}</div>`
}

/** @param isFailed whether they are shown with what is to be done, so that only the way to it is beside each */
function receiptsTable(documents: readonly ReceiptDocument[], visit: Visit, isFailed = false): Html {
  const texts = RECEIPT_TEXTS[visit.language]
  const shared = textsOf(visit)
  const hasAction = isFailed && documents.some((document) => retryLink(document, visit))
  return table(
    [
      [texts.of, 'name'],
      [shared.status, 'state'],
      [shared.time, 'when'],
      [shared.amount, 'sum'],
      ...(hasAction ? [[texts.action] as const] : []),
    ],
    documents.map((document) => [
      html`<a href="${paymentAddress(visit.base, document.paymentUid)}#receipts"><bdi>${
        document.qrCodeUid ?? document.paymentUid
      }</bdi></a> <small>${texts.kinds[document.kind]}</small>`,
      html`${badge(receiptState(document), visit)}${!isFailed && reason(document, visit)}`,
      when(document.createdAt, visit),
      money(document.amount, visit.language),
      ...(hasAction ? [retryLink(document, visit)] : []),
    ]),
    texts.title,
  )
}

/** Why a document is not registered, in a few words. */
function reason(document: ReceiptDocument, visit: Visit): Html | false {
  const name = adviceOf(document)
  return (
    name !== undefined &&
    !document.isReplaced &&
    html` <small>${RECEIPT_TEXTS[visit.language].advice[name].happens}</small>`
  )
}

/** The way to another attempt, where there can be one. */
export const retryLink = (document: ReceiptDocument, visit: Visit): Html | false =>
  canRetry(document, visit.now) &&
  visit.may(...WRITERS) &&
  html`<a class="button small" href="${visit.base}receipts/${document.receiptUid}/retry">${RECEIPT_TEXTS[visit.language].retry}</a>`

const FILTERS = ['state', 'kind', 'from', 'to']

/** The filters as a query. */
export const queryOf = (visit: Visit): URLSearchParams =>
  new URLSearchParams(FILTERS.map((name) => [name, asked(visit, name)]).filter(([, value]) => value))
