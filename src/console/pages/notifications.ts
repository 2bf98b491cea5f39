// Notifications: those that failed first; one with its body and its attempts, delivered again; a test.
import { html } from 'hono/html'
import { type Callback, DEFAULT_CALLBACK } from '../../contract/callback.ts'
import { type DeliveryResult, isAccepted } from '../../contract/delivery.ts'
import { type Notification, notificationCursorOf } from '../../contract/notifications/log.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { seconds, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  asked,
  badge,
  codeLink,
  copyButton,
  empty,
  type FormError,
  facts,
  filters,
  formError,
  givenUid,
  notice,
  pager,
  pathOf,
  paymentLink,
  select,
  states,
  table,
  textsOf,
} from '../parts.ts'
import { notificationState } from '../states.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { ADMINS, READERS, type Route, type Visit, WRITERS } from '../visit.ts'
import { testNow, testResult } from './tests.ts'
import { undelivered } from './undelivered.ts'

export const NOTIFICATIONS: readonly Route[] = [
  { method: 'get', path: '/notifications', scopes: READERS, handle: (visit) => notifications(visit) },
  { method: 'post', path: '/notifications', scopes: WRITERS, handle: sendTest },
  { method: 'get', path: '/notifications/:id', scopes: READERS, handle: (visit) => notification(visit) },
  { method: 'post', path: '/notifications/:id', scopes: WRITERS, handle: redeliver },
]

async function notifications(visit: Visit, tried?: FormError): Promise<Response> {
  const { language } = visit
  const texts = LIST_TEXTS[language].notifications
  const shared = textsOf(visit)
  const [status, callback, cursor] = [
    asked(visit, 'status'),
    asked(visit, 'callback'),
    asked(visit, 'cursor'),
  ]
  const isFirst = !status && !callback && !cursor
  const list = (query: Record<string, string>) => visit.call('listNotifications', { query })
  const [page, failed, causes, addresses] = await Promise.all([
    list({ status, callback, cursor }),
    isFirst ? list({ status: 'FAILED' }) : { notifications: [] },
    isFirst ? undelivered(visit) : '',
    addressesOf(visit),
  ])
  const title = shared.nav.notifications
  const filter = addressFilter(visit, addresses, callback)
  const main = html`<div class="head"><h1>${title}</h1>${
    visit.may(...WRITERS) && html`<form method="post" class="inline"><button>${texts.test}</button></form>`
  }</div>${tried?.alert ?? testResult(visit)}
    ${filters(
      visit,
      [select('status', shared.status, states(['FAILED', 'PENDING', 'DELIVERED'], visit), status), filter],
      status !== '' || callback !== '',
    )}
    <div class="stack" data-live>${causes}${
      failed.notifications.length > 0 &&
      html`<section class="card"><h2>${texts.failed}</h2><p class="warn">${texts.failedAdvice}</p>${notificationsTable(
        failed.notifications,
        visit,
      )}</section>`
    }</div>
    <section class="card" data-live>${isFirst && failed.notifications.length > 0 && html`<h2>${texts.all}</h2>`}${
      page.notifications.length > 0
        ? notificationsTable(page.notifications, visit)
        : status || callback
          ? empty(shared.nothingFound, shared.widen)
          : none(visit, addresses)
    }</section>${pager(visit, page.next && notificationCursorOf(page.next))}`
  return consolePage(visit, {
    title,
    main,
    active: 'notifications',
    ...(!cursor && { feed: visit.feed }),
    status: tried?.status ?? 200,
  })
}

/** The addresses, for administrators alone. */
const addressesOf = async (visit: Visit): Promise<readonly Callback[] | undefined> =>
  visit.may(...ADMINS) ? (await visit.call('listCallbacks')).callbacks : undefined

/** The filter by address, where there are several. */
function addressFilter(visit: Visit, addresses: readonly Callback[] = [], chosen: string): Html | '' {
  if (addresses.length < 2 && chosen === '') return ''
  const options = addresses.map(({ id, label, url }) => ({ value: id, text: label ?? new URL(url).host }))
  const any = { value: '', text: textsOf(visit).any }
  return select('callback', LIST_TEXTS[visit.language].notifications.server, [any, ...options], chosen)
}

/** What is said where there was none: an administrator without an address is told to set one. */
function none(visit: Visit, addresses: readonly Callback[] | undefined): Html {
  const texts = LIST_TEXTS[visit.language].notifications
  return addresses?.length === 0
    ? empty(
        texts.none,
        texts.noAddress,
        html`<a class="button" href="${visit.base}settings">${textsOf(visit).nav.settings}</a>`,
      )
    : empty(texts.none, texts.noneAdvice)
}

/** The address of a notification, unless it is that of the settings. */
const callbackName = (callback: string): Html | '' =>
  callback === DEFAULT_CALLBACK ? '' : html` <small><code>${callback}</code></small>`

export function notificationsTable(notifications: readonly Notification[], visit: Visit): Html {
  const { language, base } = visit
  const texts = LIST_TEXTS[language].notifications
  const shared = textsOf(visit)
  return table(
    [
      [texts.notification, 'name'],
      [shared.status, 'state'],
      [texts.of],
      [texts.answer],
      [shared.time, 'when'],
    ],
    notifications.map(
      ({ id, callback, type, status, qrCodeUid, paymentUid, settlementUid, attempts, createdAt }) => [
        html`<a href="${base}notifications/${id}">${texts.types[type]}</a>${callbackName(callback)}`,
        badge(notificationState({ status, attempts }), visit),
        qrCodeUid ? codeLink(base, qrCodeUid) : paymentUid ? paymentLink(base, paymentUid) : settlementUid,
        resultOf(attempts.at(-1), visit),
        when(seconds(createdAt), visit),
      ],
    ),
    shared.nav.notifications,
  )
}

/** What the merchant's server answered, or why it did not. */
function resultOf({ httpStatus, error = '' }: Partial<DeliveryResult> = {}, { language }: Visit): string {
  return `${httpStatus ?? LIST_TEXTS[language].notifications.errors[error] ?? error}`
}

const idOf = (visit: Visit) => ({ notificationId: pathOf(visit, '/notifications/{id}').id ?? '' })

async function notification(visit: Visit, tried?: FormError): Promise<Response> {
  const { language, base } = visit
  const texts = LIST_TEXTS[language].notifications
  const shared = textsOf(visit)
  const { notification: found, body } = await visit.call('getNotification', { path: idOf(visit) })
  const { id, type, status, qrCodeUid, paymentUid, refundUid, attempts } = found
  const title = `${texts.notification}: ${texts.types[type]}`
  const main = html`<a class="back" href="${base}notifications">← ${shared.nav.notifications}</a>
    ${notice(visit)}${tried?.alert}
    <div class="head"><h1>${title}</h1><span data-live>${badge(notificationState({ status, attempts }), visit)}</span>${
      visit.may(...WRITERS) &&
      html`<form method="post" class="inline"><button class="primary">${texts.redeliver}</button></form>`
    }</div>
    <section class="card" data-live>${facts([
      [texts.id, html`<code>${id}</code>`],
      [texts.server, callbackName(found.callback)],
      [CODE_TEXTS[language].codes.code, codeLink(base, qrCodeUid)],
      [LIST_TEXTS[language].payments.payment, paymentUid && paymentLink(base, paymentUid)],
      [LIST_TEXTS[language].payments.refund, givenUid(refundUid)],
      [shared.time, when(seconds(found.createdAt), visit)],
      [texts.next, when(seconds(found.nextAttemptAt), visit)],
    ])}</section>
    <section class="card" data-live><h2>${texts.attempts}</h2>${
      attempts.length === 0
        ? html`<p class="hint">${texts.noAttempts}</p>`
        : table(
            [[texts.answer, 'name'], [texts.server], [texts.took], [shared.time, 'when']],
            attempts
              .toReversed()
              .map((each) => [
                resultOf(each, visit),
                each.origin,
                `${each.ms} ${texts.ms}`,
                when(seconds(each.at), visit),
              ]),
            texts.attempts,
          )
    }</section>
    <section class="card"><div class="head"><h2>${texts.body}</h2>${copyButton(body, visit)}</div>
      <pre tabindex="0"><code>${indented(body)}</code></pre></section>`
  return consolePage(visit, {
    title,
    main,
    active: 'notifications',
    feed: visit.feed,
    status: tried?.status ?? 200,
  })
}

/** The body with line breaks; its numbers are written as it has them. */
const indented = (body: string): string =>
  JSON.stringify(
    JSON.parse(body, (_, value, { source }) =>
      typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value,
    ),
    null,
    2,
  )

async function redeliver(visit: Visit): Promise<Response> {
  try {
    const result = await visit.call('redeliverNotification', { path: idOf(visit) })
    return seeOther(visit.c, `?done=${isAccepted(result) ? 'delivered' : 'failed'}`)
  } catch (error) {
    return notification(visit, formError(error, visit))
  }
}

async function sendTest(visit: Visit): Promise<Response> {
  try {
    return seeOther(visit.c, `?done=${await testNow(visit, DEFAULT_CALLBACK)}`)
  } catch (error) {
    return notifications(visit, formError(error, visit))
  }
}
