// What the one search field of the console finds.
import { html } from 'hono/html'
import type { Values } from '../../api/operations.ts'
import { searchCursorOf } from '../../contract/search.ts'
import { ApiError } from '../../errors.ts'
import type { Html } from '../../web/layout.ts'
import { moneyOrStruck, when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  asked,
  badge,
  codeAddress,
  empty,
  pager,
  paymentAddress,
  purpose,
  refundName,
  saleName,
  table,
  textsOf,
} from '../parts.ts'
import { codeState, paymentState, saleState } from '../states.ts'
import { SEARCH_TEXTS } from '../texts-search.ts'
import { READERS, type Route, type Visit } from '../visit.ts'

export const SEARCH: Route = { method: 'get', path: '/search', scopes: READERS, handle: search }

type Result = Values['search']['results'][number]

async function search(visit: Visit): Promise<Response> {
  const texts = SEARCH_TEXTS[visit.language]
  const q = asked(visit, 'q').trim()
  const page = await found(visit, q)
  const { results = [], searchedFrom, next } = page ?? {}
  const title = q ? `${texts.title}: ${q}` : texts.title
  const main = html`<h1>${texts.title}${q && html` <small><bdi>${q}</bdi></small>`}</h1>
    ${
      !page
        ? html`<p class="warn">${texts.short}</p>`
        : results.length > 0
          ? html`<section class="card" data-live>${resultsTable(results, visit)}</section>`
          : empty(texts.none, texts.noneAdvice)
    }
    ${searchedFrom !== undefined && html`<p class="hint">${texts.since} ${when(searchedFrom, visit)}</p>`}
    ${pager(visit, next && searchCursorOf(next), {
      ...(searchedFrom !== undefined && { more: texts.earlier }),
    })}`
  return consolePage(visit, { title, main, active: 'search', status: page ? 200 : 400 })
}

/** A page of results; undefined for a text that the API refuses. */
async function found(visit: Visit, q: string): Promise<Values['search'] | undefined> {
  try {
    return await visit.call('search', { query: { q, cursor: asked(visit, 'cursor') } })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation.error') return undefined
    throw error
  }
}

function resultsTable(results: readonly Result[], visit: Visit): Html {
  const texts = SEARCH_TEXTS[visit.language]
  const shared = textsOf(visit)
  return table(
    [
      [texts.what, 'name'],
      [shared.status, 'state'],
      [texts.kind],
      [shared.time, 'when'],
      [shared.amount, 'sum'],
    ],
    results.map((result) => {
      const { address, name, about, state, at, amount } = rowOf(result, visit)
      const isReturned = result.kind !== 'refund' && /REFUNDED$/.test(state)
      return [
        html`<a href="${address}"><bdi>${name}</bdi></a>${purpose(about)}`,
        badge(state, visit),
        texts.kinds[result.kind],
        when(at, visit),
        amount && moneyOrStruck(amount, isReturned, visit.language),
      ]
    }),
    texts.title,
  )
}

/** Where a result leads, and what is said of it: of a refund its payment has the page, of a sale its till. */
function rowOf(result: Result, visit: Visit) {
  const { base } = visit
  switch (result.kind) {
    case 'qrCode': {
      const { qrCode } = result
      return {
        address: codeAddress(base, qrCode.qrCodeUid),
        name: qrCode.qrCodeUid,
        about: qrCode.paymentPurpose,
        state: codeState(qrCode),
        at: qrCode.createdAt,
        amount: qrCode.amount ?? qrCode.payment?.amount,
      }
    }
    case 'payment': {
      const { payment } = result
      return {
        address: paymentAddress(base, payment.paymentUid),
        name: payment.qrCodeUid ?? payment.paymentUid,
        about: payment.paymentPurpose,
        state: paymentState(payment),
        at: payment.createdAt,
        amount: payment.amount,
      }
    }
    case 'refund': {
      const { refund, qrCodeUid } = result
      return {
        address: paymentAddress(base, refund.paymentUid),
        name: refundName(refund, visit),
        about: refund.comment ?? qrCodeUid,
        state: refund.status,
        at: refund.createdAt,
        amount: refund.amount,
      }
    }
    case 'sale': {
      const { sale, qrCodeUid } = result
      return {
        address: sale.payment
          ? paymentAddress(base, sale.payment.paymentUid)
          : codeAddress(base, qrCodeUid, true),
        name: saleName(sale, visit),
        about: sale.paymentPurpose ?? qrCodeUid,
        state: `SALE_${saleState(sale)}`,
        at: sale.createdAt,
        amount: sale.amount,
      }
    }
  }
}
