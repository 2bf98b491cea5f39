// Parts of HTML that several pages of the console share.
import { html } from 'hono/html'
import { formatDateTime } from '../contract/date-time.ts'
import { cursorOf } from '../contract/query.ts'
import type { Refund } from '../contract/refund.ts'
import type { Sale } from '../contract/sale.ts'
import { ApiError, ERRORS } from '../errors.ts'
import { pathDecoder } from '../http/path.ts'
import type { Html } from '../web/layout.ts'
import { CONSOLE_TEXTS, type ConsoleTexts, STATES } from './texts.ts'
import { CODE_TEXTS } from './texts-codes.ts'
import { LIST_TEXTS } from './texts-lists.ts'
import type { Visit } from './visit.ts'

type Content = Html | string | false | undefined

export const textsOf = ({ language }: Pick<Visit, 'language'>): ConsoleTexts => CONSOLE_TEXTS[language]

/** The name of a status. @param state a name of STATES */
export const stateName = (state: string, { language }: Pick<Visit, 'language'>): string =>
  STATES[state]?.[language === 'ru' ? 1 : 2] ?? state

/** A status: its sign and its name say what its colour says. */
export const badge = (state: string, visit: Pick<Visit, 'language'>): Html =>
  html`<span class="badge ${STATES[state]?.[0] ?? ''}">${stateName(state, visit)}</span>`

/** A column of a table: its label, and the place of its cells on a phone. */
type Column = readonly [label: string, place?: 'name' | 'sum' | 'figure' | 'state' | 'when']

/** A table whose rows are cards on a phone. The roles are those that the style sheet takes away there. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Content[])[],
  label: string,
): Html {
  return html`<table class="rows" role="table" aria-label="${label}"><thead role="rowgroup"><tr role="row">${columns.map(
    ([name, place]) => html`<th role="columnheader" scope="col" class="${place ?? ''}">${name}</th>`,
  )}</tr></thead><tbody role="rowgroup">${rows.map(
    (cells) =>
      html`<tr role="row">${cells.map((cell, i) => {
        const [name, place] = columns[i] ?? ['']
        return html`<td role="cell" class="${place ?? ''}" data-label="${name}">${cell || ''}</td>`
      })}</tr>`,
  )}</tbody></table>`
}

/** Names and what they are, without those that are absent. */
export const facts = (rows: readonly (readonly [string, Content])[]): Html =>
  html`<dl class="facts">${rows.map(
    ([term, content]) => content && html`<div><dt>${term}</dt><dd><bdi>${content}</bdi></dd></div>`,
  )}</dl>`

/** What is paid for, below the identifier of a row. */
export const purpose = (text: string | undefined): Html | '' =>
  text ? html` <small><bdi>${text}</bdi></small>` : ''

/** The text of an empty list: what would be here, and how it comes. */
export const empty = (title: string, advice: Content, action?: Content): Html =>
  html`<div class="empty"><h2>${title}</h2><p>${advice}</p>${action}</div>`

/** The text in place of a list that is empty by its filters. @param isRefused whether a filter is wrong */
export function nothingFound(visit: Visit, isRefused: boolean): Html {
  const { refused, faults, nothingFound: none, widen } = textsOf(visit)
  return isRefused ? empty(refused, faults['validation.error']) : empty(none, widen)
}

interface Option {
  value: string
  text: string
}

/** A choice of a filter or a form. */
export const select = (name: string, label: string, options: readonly Option[], chosen: string): Html =>
  html`<label>${label}<select name="${name}">${options.map(
    ({ value, text }) =>
      html`<option value="${value}"${value === chosen ? html` selected` : ''}>${text}</option>`,
  )}</select></label>`

/** The statuses of a filter, any first. */
export const states = (names: readonly string[], visit: Visit): Option[] => [
  { value: '', text: textsOf(visit).any },
  ...names.map((value) => ({ value, text: stateName(value, visit) })),
]

interface Field {
  name: string
  label: string
  value?: string | undefined
  type?: 'text' | 'search' | 'date' | 'url' | 'number'
  hint?: Content
  isRequired?: boolean
  isAmount?: boolean
  maxLength?: number
  /** What is wrong with it. */
  fault?: string | undefined
}

/** A field with its label. */
export function field({
  name,
  label,
  value,
  type = 'text',
  hint,
  isRequired,
  isAmount,
  maxLength,
  fault,
}: Field): Html {
  const described = fault || hint ? `${name}-hint` : ''
  const attributes = [
    isRequired && html` required`,
    isAmount && html` inputmode="decimal"`,
    maxLength && html` maxlength="${maxLength}"`,
    fault && html` aria-invalid="true"`,
    described && html` aria-describedby="${described}"`,
  ]
  const input = html`<input name="${name}" type="${type}" value="${value ?? ''}" autocomplete="off"${attributes}>`
  return html`<label>${label}${input}${described && html`<small id="${described}">${fault ?? hint}</small>`}</label>`
}

/** The filters of a list, and what they are. @param unset the address of the list without them */
export const filters = (visit: Visit, fields: readonly Content[], isSet: boolean, unset = '?'): Html => {
  const texts = textsOf(visit)
  return html`<form class="filters">${fields}<div class="actions"><button>${texts.apply}</button>${
    isSet && html`<a href="${unset}">${texts.reset}</a>`
  }</div></form>`
}

/** The value of a parameter of the query, `''` without one. */
export const asked = ({ c }: Visit, name: string): string => c.req.query(name) ?? ''

/** The parameter of the next page, where there is one. */
export const pageCursor = (next: number | undefined): string | undefined =>
  next === undefined ? undefined : cursorOf(next)

/** Ways to the first page and to the next one. @param name the parameter that has the cursor */
export function pager(
  visit: Visit,
  next: string | undefined,
  { name = 'cursor', first = textsOf(visit).first, more = textsOf(visit).next } = {},
): Html | '' {
  const others = new URLSearchParams(visit.c.req.query())
  const isFirst = !others.has(name)
  others.delete(name)
  others.delete('done')
  if (isFirst && next === undefined) return ''
  const query = others.size > 0 ? `&${others}` : ''
  const link = (address: string, text: string) => html`<a class="button" href="?${address}">${text}</a>`
  return html`<nav class="pager" aria-label="${more}">${!isFirst && link(`${others}`, first)}${
    next !== undefined && link(`${name}=${encodeURIComponent(next)}${query}`, more)
  }</nav>`
}

/** `done` stands for a success: what was cancelled has not the green of what was paid. */
const NOTICE_CLASSES: Readonly<Record<string, string>> = { failed: 'alert', cancelled: 'over' }

/** The notice of what the form before did; the address has a key of the known texts. */
export function notice(visit: Visit, done: Record<string, string> = textsOf(visit).done): Html | '' {
  const said = Object.entries(done).find(([name]) => name === asked(visit, 'done'))
  return said
    ? html`<p class="${NOTICE_CLASSES[said[0]] ?? 'done'}" role="status"><strong>${said[1]}</strong></p>`
    : ''
}

/** A form that was refused: the status of the page, what it says, and the rule of each field. */
export interface FormError {
  status: number
  alert: Html
  fields: Record<string, string>
}

/**
 * The error of a form that the API refused.
 * @param own the rules of its fields in the page's language, by their names of the API, and what a code means for the form; any
 * other is told as the API does
 * @throws the error itself, where the API did not refuse
 */
export function formError(error: unknown, visit: Visit, own: Record<string, string> = {}): FormError {
  if (!(error instanceof ApiError) || (ERRORS[error.code].status >= 500 && error.code === 'internal.error'))
    throw error
  // The page that asks for it is the same for every form.
  if (error.code === 'confirmation.required') throw error
  const { faults, refused } = textsOf(visit)
  const { code, fields = {} } = error
  const known = own[code] ?? Object.entries(faults).find(([name]) => name === code)?.[1]
  // In which fields an earlier request differs is for a program.
  const broken = code === 'validation.error' ? fields : {}
  const lines = Object.entries(broken).map(([name, rules]) => [name, own[name] ?? rules.join(', ')] as const)
  return {
    status: ERRORS[code].status,
    fields: Object.fromEntries(lines),
    alert: html`<div class="alert" role="alert"><strong>${known ?? refused}</strong>${
      lines.length > 0
        ? html`<ul>${lines.map(([name, rule]) => (own[name] ? html`<li>${rule}</li>` : html`<li lang="en"><code>${name}</code> ${rule}</li>`))}</ul>`
        : !known || code === 'network.refused'
          ? html`<p lang="en">${error.message}</p>`
          : ''
    }</div>`,
  }
}

/** The parameters of the page's path. @throws ApiError 404 for an escape that is not UTF-8 */
export function pathOf(visit: Visit, template: string): Record<string, string> {
  const { values, issues } = pathDecoder(template)(visit.c)
  if (Object.keys(issues).length === 0) return values
  throw new ApiError('http.url.not.found', 'the path is not percent-encoded UTF-8')
}

/** A button that copies a text; without script it is not there. */
export const copyButton = (text: string, visit: Visit): Html => {
  const { copy, copied } = textsOf(visit)
  return html`<button type="button" class="scripted small" data-copy="${text}" data-copied="${copied}">${copy}</button>`
}

/** A secret that is shown once: it is on no other page, and a browser keeps no copy of this one. */
export const secret = (label: string, text: string, visit: Visit): Html =>
  html`<label>${label}<textarea class="secret" rows="4" readonly spellcheck="false" autocomplete="off">${text}</textarea></label>${copyButton(
    text,
    visit,
  )}`

/** The address of a QR code's page. @param base from the page to /console/ */
export const codeAddress = (base: string, uid: string, isTill = false): string =>
  `${base}${isTill ? 'tills' : 'qr'}/${encodeURIComponent(uid)}`

export const codeLink = (base: string, uid: string | undefined): Html | '' =>
  uid === undefined ? '' : html`<a href="${codeAddress(base, uid)}">${uid}</a>`

/** An identifier that a person or a program gave: that which the console itself made says nothing to a person. */
export const givenUid = (uid = ''): string => (/^console-[0-9a-f]{16}$/.test(uid) ? '' : uid)

type Named = Pick<Visit, 'config' | 'language'>

/** A sale or a refund by its identifier; by its time, where nobody gave it one. */
const nameOf = (uid: string, what: string, createdAt: number, { config }: Named): string =>
  givenUid(uid) || `${what} ${formatDateTime(createdAt, config.utcOffset).slice(11, 16)}`

export const saleName = ({ saleUid, createdAt }: Pick<Sale, 'saleUid' | 'createdAt'>, visit: Named): string =>
  nameOf(saleUid, CODE_TEXTS[visit.language].tills.sale, createdAt, visit)

export const refundName = ({ refundUid, createdAt }: Refund, visit: Named): string =>
  nameOf(refundUid, LIST_TEXTS[visit.language].payments.refund, createdAt, visit)

export const paymentAddress = (base: string, uid: string): string =>
  `${base}payments/${encodeURIComponent(uid)}`

export const paymentLink = (base: string, uid: string, text = uid): Html =>
  html`<a href="${paymentAddress(base, uid)}"><bdi>${text}</bdi></a>`
