// Saved accounts: all of them, or those of a customer with their charges; one is ended here.
import { html } from 'hono/html'
import { cursorOf } from '../../contract/query.ts'
import { type ListedToken, last4Of } from '../../contract/token.ts'
import { ApiError } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  asked,
  badge,
  codeLink,
  empty,
  type FormError,
  facts,
  field,
  filters,
  formError,
  nothingFound,
  notice,
  pageCursor,
  pager,
  table,
  textsOf,
} from '../parts.ts'
import { tokenState } from '../states.ts'
import { ACCOUNT_TEXTS } from '../texts-accounts.ts'
import { type Route, type Visit, WRITERS } from '../visit.ts'
import { paymentsTable } from './payments.ts'

/** The list of tokens has their values, with which an account is charged: the scope `merchant:read` does not allow it. */
export const ACCOUNTS: readonly Route[] = [
  { method: 'get', path: '/accounts', scopes: WRITERS, handle: (visit) => accounts(visit) },
  { method: 'post', path: '/accounts', scopes: WRITERS, handle: end },
]

/** Accounts of a page of a customer, and charges of each: every account is read with its code and its charges. */
const CARDS = '20'
const CHARGES = '20'

async function accounts(visit: Visit, tried?: FormError): Promise<Response> {
  const texts = ACCOUNT_TEXTS[visit.language]
  const customer = customerIn(visit)
  const title = textsOf(visit).nav.accounts
  const { tokens, next } = await listed(visit, {
    ...(customer === undefined ? { account: 'any' } : { tokenizationAccount: customer, limit: CARDS }),
    cursor: asked(visit, 'cursor'),
  })
  const main = html`<h1>${title}</h1><p class="hint">${texts.lead}</p>
    ${notice(visit, { ended: texts.ended })}${tried?.alert}
    ${filters(
      visit,
      [field({ name: 'customer', label: texts.customer, value: customer, type: 'search', maxLength: 64 })],
      customer !== undefined,
    )}
    ${
      tokens.length === 0
        ? html`<section class="card">${customer === undefined ? empty(texts.none, texts.noneAdvice) : nothingFound(visit, false)}</section>`
        : customer === undefined
          ? html`<section class="card">${accountsTable(tokens, visit)}</section>`
          : await Promise.all(tokens.map((token) => accountCard(token, visit)))
    }
    ${pager(visit, pageCursor(next))}`
  return consolePage(visit, { title, main, active: 'accounts', status: tried?.status ?? 200 })
}

/** The customer whose accounts are shown; `''`: those without an identifier; undefined: all. */
const customerIn = (visit: Visit): string | undefined =>
  asked(visit, 'unnamed') ? '' : asked(visit, 'customer').trim() || undefined

const addressOf = (customer: string): string =>
  customer === '' ? '?unnamed=1' : `?customer=${encodeURIComponent(customer)}`

/** The accounts that a query names; none by a name that no customer can have. */
async function listed(visit: Visit, query: Record<string, string>): ReturnType<typeof listTokens> {
  try {
    return await listTokens(visit, query)
  } catch (error) {
    if (error instanceof ApiError && error.fields?.tokenizationAccount) return { tokens: [] }
    throw error
  }
}

const listTokens = (visit: Visit, query: Record<string, string>) => visit.call('listTokens', { query })

function accountsTable(tokens: readonly ListedToken[], visit: Visit): Html {
  const texts = ACCOUNT_TEXTS[visit.language]
  return table(
    [[texts.customer, 'name'], [textsOf(visit).status, 'state'], [texts.account], [texts.until, 'when']],
    tokens.map((token) => [
      customerLink(token, visit),
      stateOf(token, visit),
      html`<code>…${endOf(token)}</code>`,
      token.ended ? '' : when(token.expiresAt, visit),
    ]),
    textsOf(visit).nav.accounts,
  )
}

const customerLink = ({ account }: ListedToken, visit: Visit): Html =>
  html`<a href="${addressOf(account)}"><bdi>${account || ACCOUNT_TEXTS[visit.language].unnamed}</bdi></a>`

/** What it is now; of one that has ended, who ended it. */
const stateOf = ({ status, ended }: ListedToken, visit: Visit): Html =>
  html`${badge(tokenState(status), visit)}${ended && html` <small>${ACCOUNT_TEXTS[visit.language].endedBy[ended.by]}, ${when(ended.at, visit)}</small>`}`

async function accountCard(token: ListedToken, visit: Visit): Promise<Html> {
  const texts = ACCOUNT_TEXTS[visit.language]
  const { qrCodeUid, bankMemberId, expiresAt, ended } = token
  const [charges, code] = qrCodeUid
    ? await Promise.all([
        visit.call('listPayments', { query: { boundBy: qrCodeUid, limit: CHARGES } }),
        visit.call('getQrCode', { path: { qrCodeUid } }),
      ])
    : [{ payments: [] }]
  return html`<section class="card"><div class="head"><h2>${texts.account} <code>…${endOf(token)}</code></h2>${stateOf(token, visit)}</div>
    ${facts([
      [texts.until, ended ? '' : when(expiresAt, visit)],
      [texts.endedOn, when(ended?.at, visit)],
      [texts.bank, bankMemberId && html`<code>${bankMemberId}</code>`],
      [texts.code, qrCodeUid && codeLink(visit.base, qrCodeUid)],
      [texts.page, code && html`<a href="${visit.pageUrl(code.qrCode)}">${texts.open}</a>`],
    ])}
    ${code && !ended && html`<p class="hint">${texts.pageHint}</p>`}
    <h3>${texts.charges}</h3>${
      charges.payments.length > 0
        ? paymentsTable(charges.payments, visit)
        : html`<p class="hint">${texts.noCharges}</p>`
    }${ended ? '' : endForm(token, visit)}</section>`
}

/** People distinguish accounts by the end of the value: the value itself is in no page. */
const endOf = ({ value, last4 = '' }: ListedToken): string => (value === undefined ? last4 : last4Of(value))

function endForm(token: ListedToken, visit: Visit): Html {
  const texts = ACCOUNT_TEXTS[visit.language]
  return html`<details><summary>${texts.end}</summary><p class="hint">${texts.endAdvice}</p>
      <form method="post"><input type="hidden" name="code" value="${token.qrCodeUid ?? ''}"><input type="hidden" name="last4" value="${endOf(token)}"><button class="danger">${texts.doEnd}</button></form></details>`
}

async function end(visit: Visit): Promise<Response> {
  const customer = customerIn(visit) ?? ''
  const form = await visit.form()
  const account = { tokenizationAccount: customer }
  const isNamed = (token: ListedToken) =>
    endOf(token) === form.get('last4') && (token.qrCodeUid ?? '') === form.get('code')
  let page = await listTokens(visit, account)
  while (!page.tokens.some(isNamed) && page.next !== undefined)
    page = await listTokens(visit, { ...account, cursor: cursorOf(page.next) })
  const token = page.tokens.find(isNamed)?.value
  // A second press, or an end that came meanwhile: the page shows what stands.
  if (token === undefined) return seeOther(visit.c, addressOf(customer))
  try {
    await visit.call('deleteToken', { body: { ...account, token } })
  } catch (error) {
    return accounts(visit, formError(error, visit))
  }
  return seeOther(visit.c, `${addressOf(customer)}&done=ended`)
}
