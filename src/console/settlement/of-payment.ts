// What the files of banks have of a payment and its refunds, on the payment's page.
import { html } from 'hono/html'
import type { Payment } from '../../contract/payment.ts'
import type { SettlementEntry } from '../../contract/settlement.ts'
import { entryCursorOf } from '../../contract/settlements/entries.ts'
import type { Html } from '../../web/layout.ts'
import { dayText } from '../formats.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import type { Visit } from '../visit.ts'
import { entriesTable, foundEntries } from './entries.ts'

/** The part of the page; nothing of a site that has imported nothing. */
export async function entriesOf(payment: Payment, visit: Visit): Promise<Html | ''> {
  const texts = SETTLEMENT_TEXTS[visit.language]
  const { entries } = await visit.call('listPaymentEntries', { path: { paymentId: payment.paymentUid } })
  if (entries.length > 0) return html`<h2>${texts.ofPayment}</h2>${entriesTable(entries, visit)}`
  if (payment.status !== 'COMPLETED') return ''
  const { settlements } = await visit.call('listSettlements', { query: { limit: '1' } })
  if (settlements.length === 0) return ''
  const missing = await missingOf(payment, visit)
  return html`<h2>${texts.ofPayment}</h2>${
    missing
      ? html`<p>${texts.advice.EXPECTED.todo(visit.config.settlementDays)}</p>${entriesTable([missing], visit, { isShort: true })}`
      : html`<p class="hint">${texts.noneOfPayment(visit.config.settlementDays)}</p>`
  }`
}

/** The payment among what is EXPECTED: those of its second come behind all entries of files of that second. */
async function missingOf(
  { paymentUid, changedAt }: Payment,
  visit: Visit,
): Promise<SettlementEntry | undefined> {
  const month = dayText(changedAt, visit).slice(0, 7)
  const cursor = entryCursorOf({ at: changedAt, source: 0, number: Number.MAX_SAFE_INTEGER })
  const { entries } = await foundEntries(visit, month, { state: 'EXPECTED', kind: 'payment' }, { cursor })
  return entries.find((entry) => entry.paymentUid === paymentUid)
}
