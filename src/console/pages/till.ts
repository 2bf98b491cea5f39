// One till, a COUNTER code with its sales. It is armed from a phone.
import { html } from 'hono/html'
import type { Payment } from '../../contract/payment.ts'
import type { QrCode } from '../../contract/qr-code.ts'
import type { Sale } from '../../contract/sale.ts'
import { json, seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { METHOD_TEXTS } from '../../web/method-texts.ts'
import { money, receiptTime } from '../../web/payer/formats.ts'
import { currencySign, moneyOrStruck, typedValue, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  asked,
  badge,
  codeAddress,
  type FormError,
  field,
  formError,
  notice,
  pageCursor,
  pager,
  pathOf,
  paymentLink,
  purpose,
  saleName,
  table,
  textsOf,
} from '../parts.ts'
import { needsDecision, saleState } from '../states.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { TODAY_TEXTS } from '../texts-today.ts'
import { PEOPLE, READERS, type Route, SELLERS, type Visit } from '../visit.ts'
import { pictureCard } from './qr-code.ts'

export const TILL: readonly Route[] = [
  { method: 'get', path: '/tills/:uid', scopes: PEOPLE, handle: (visit) => till(visit) },
  { method: 'post', path: '/tills/:uid', scopes: SELLERS, handle: armOrCancel },
  { method: 'get', path: '/tills/:uid/changes', scopes: PEOPLE, handle: changes },
]

/** How many of the latest payments of a till are read: the API has no other filter for the payments of one code. */
const PAYMENTS_READ = '20'

interface Tried extends FormError {
  value: string
  /** The sale that the form asked for. */
  saleUid: string
}

const pathOfTill = (visit: Visit) => ({ qrCodeUid: pathOf(visit, '/tills/{uid}').uid ?? '' })

async function till(visit: Visit, tried?: Tried): Promise<Response> {
  const { base } = visit
  const path = pathOfTill(visit)
  const cursor = asked(visit, 'cursor')
  const listSales = (query: Record<string, string>) => visit.call('listSales', { path, query })
  const [{ qrCode: code }, { sales, next }, newest, { payments }] = await Promise.all([
    visit.call('getQrCode', { path }),
    listSales({ limit: '20', cursor }),
    cursor ? listSales({ limit: '1' }) : undefined,
    // A cashier sees no list of payments.
    visit.may(...READERS)
      ? visit.call('listPayments', { query: { ...path, limit: PAYMENTS_READ } })
      : { payments: [] },
  ])
  const texts = CODE_TEXTS[visit.language].tills
  // Whatever page of the sales is shown.
  const [latest] = (newest ?? { sales }).sales
  const active = latest?.status === 'ACTIVE' ? latest : undefined
  const isOwn = active !== undefined && active.saleUid === tried?.saleUid
  // The service was busy, and took the sale all the same.
  const refused = isOwn && tried?.status === 503 ? undefined : tried
  const main = html`<a class="back" href="${base}tills">← ${textsOf(visit).nav.tills}</a>
    <h1><bdi>${code.qrCodeUid}</bdi></h1>
    <div class="columns even"><div>
      ${notice(visit)}${
        active &&
        refused &&
        (refused.status === 409 && refused.saleUid
          ? html`<div class="alert" role="alert"><strong>${isOwn ? texts.otherAmount : texts.busy}</strong></div>`
          : refused.alert)
      }
      <div data-live>${undecided(payments.filter(needsDecision), code.qrCodeUid, visit)}</div>
      <div data-live role="status">${paidSale(latest, visit)}</div>
      <div data-live>${
        active
          ? activeSale(active, visit)
          : code.status === 'CREATED'
            ? armForm(visit, refused)
            : html`<p class="warn">${texts.closed}</p>`
      }</div>
      <section class="card" data-live><h2>${texts.sales}</h2>${salesTable(sales, visit)}</section>${pager(visit, pageCursor(next))}
    </div><div><details class="card"><summary>${texts.code}</summary>${pictureCard(code, visit)}
      ${visit.may(...READERS) && html`<p><a href="${codeAddress(base, code.qrCodeUid)}">${texts.codePage} →</a></p>`}</details></div></div>`
  return consolePage(visit, {
    title: code.qrCodeUid,
    main,
    active: 'tills',
    ...following(code, visit),
    status: refused?.status ?? 200,
    refresh: active ? 10 : false,
  })
}

/** Seconds that the script waits for a change. */
const WAIT = 40

/** How the page follows what happens: by the feed; for a cashier, who does not see it, by the versions of the code. */
const following = (
  { qrCodeUid, version }: QrCode,
  visit: Visit,
): { feed: string | undefined; poll?: string } =>
  visit.may(...READERS)
    ? { feed: visit.feed }
    : { feed: `${version}`, poll: `${codeAddress(visit.base, qrCodeUid, true)}/changes` }

/** The version of the code when it has another one than the page. */
async function changes(visit: Visit): Promise<Response> {
  const headers = { Prefer: `wait=${WAIT}`, 'If-None-Match': `"${asked(visit, 'after')}-"` }
  const path = { qrCodeUid: pathOf(visit, '/tills/{uid}/changes').uid ?? '' }
  const { qrCode } = await visit.call('getQrCode', { path, headers })
  return json(visit.c, { next: `${qrCode.version}` })
}

/** What the customer pays now. */
function activeSale({ saleUid, amount, paymentPurpose, expiresAt }: Sale, visit: Visit): Html {
  const texts = CODE_TEXTS[visit.language].tills
  return html`<section class="card till active" role="status">${badge('SALE_ACTIVE', visit)}<p class="amount">${money(amount, visit.language)}</p>
      ${paymentPurpose && html`<p><bdi>${paymentPurpose}</bdi></p>`}
      <p>${texts.waiting}</p><p class="hint">${texts.until} ${when(expiresAt, visit)}</p>
      ${
        visit.may(...SELLERS) &&
        html`<form method="post"><input type="hidden" name="cancel" value="${saleUid}"><button>${texts.cancelSale}</button></form>`
      }</section>`
}

/** What the customer has just paid, until the till is armed again. */
function paidSale(sale: Sale | undefined, visit: Visit): Html | '' {
  if (!sale?.payment || saleState(sale) !== 'PAYED') return ''
  const { paymentUid, amount, at, method } = sale.payment
  const { paid, operation, print } = CODE_TEXTS[visit.language].tills
  return html`<section class="done slip"><p class="amount"><strong>${paid} ${money(amount, visit.language)}</strong></p>
      <p class="screen">${when(at, visit)}</p><p class="paper">${receiptTime(at, visit.config.utcOffset, visit.language)}</p>
      <p>${operation}: ${visit.may(...READERS) ? paymentLink(visit.base, paymentUid) : html`<bdi>${paymentUid}</bdi>`}</p>${method && html`<p>${METHOD_TEXTS[visit.language][method]}</p>`}${sale.paymentPurpose && html`<p><bdi>${sale.paymentPurpose}</bdi></p>`}
      <button type="button" class="scripted small" data-print>${print}</button></section>`
}

/** The latest money that no sale took, and how to see the others. */
function undecided([first, ...others]: readonly Payment[], uid: string, visit: Visit): Html | '' {
  if (!first) return ''
  const { payments } = LIST_TEXTS[visit.language]
  const arrived = CODE_TEXTS[visit.language].tills.arrived(money(first.amount, visit.language))
  return html`<p class="warn">${paymentLink(visit.base, first.paymentUid, arrived)}. ${payments.why[first.notAppliedReason ?? '']}${
    others.length > 0 &&
    html`. <a href="${codeAddress(visit.base, uid)}">${TODAY_TEXTS[visit.language].attention}: ${others.length + 1}</a>`
  }</p>`
}

function armForm(visit: Visit, tried?: Tried): Html | '' {
  if (!visit.may(...SELLERS)) return ''
  const texts = CODE_TEXTS[visit.language].tills
  // Sent again, it asks for the same sale. After a 409 that identifier is of another one.
  const saleUid = (tried?.status !== 409 && tried?.saleUid) || visit.newUid()
  return html`<form class="card till" method="post">${tried?.alert}
      ${field({
        name: 'amount',
        label: `${texts.howMuch}, ${currencySign(visit.config.homeCurrency, visit.language)}`,
        value: tried?.value,
        isRequired: true,
        isAmount: true,
        maxLength: 20,
      })}
      <input type="hidden" name="saleUid" value="${saleUid}">
      <button class="primary">${texts.arm}</button></form>`
}

function salesTable(sales: readonly Sale[], visit: Visit): Html {
  const texts = CODE_TEXTS[visit.language].tills
  const shared = textsOf(visit)
  // A cashier sees their own sales alone.
  if (sales.length === 0)
    return html`<p class="hint">${visit.may(...READERS) ? texts.noSales : texts.noOwnSales}</p>`
  return table(
    [
      [texts.sale, 'name'],
      [shared.status, 'state'],
      [shared.time, 'when'],
      [shared.amount, 'sum'],
    ],
    sales.map((sale) => {
      const state = saleState(sale)
      return [
        html`${
          sale.payment && visit.may(...READERS)
            ? paymentLink(visit.base, sale.payment.paymentUid, saleName(sale, visit))
            : html`<bdi>${saleName(sale, visit)}</bdi>`
        }${purpose(sale.paymentPurpose)}`,
        badge(`SALE_${state}`, visit),
        when(sale.createdAt, visit),
        moneyOrStruck(sale.amount, state === 'REFUNDED', visit.language),
      ]
    }),
    texts.sales,
  )
}

async function armOrCancel(visit: Visit): Promise<Response> {
  const form = await visit.form()
  const path = pathOfTill(visit)
  const cancelled = form.get('cancel')
  const [amount, saleUid] = [form.get('amount') ?? '', form.get('saleUid') ?? '']
  try {
    if (cancelled) await visit.call('cancelSale', { path: { ...path, saleUid: cancelled } })
    else
      await visit.call('putSale', {
        path: { ...path, saleUid },
        body: {
          amount: { value: typedValue(amount), currency: visit.config.homeCurrency },
        },
      })
  } catch (error) {
    const own = { 'amount.value': CODE_TEXTS[visit.language].fresh.badAmount }
    return till(visit, { ...formError(error, visit, own), value: amount, saleUid })
  }
  return seeOther(visit.c, cancelled ? '?done=cancelled' : '?')
}
