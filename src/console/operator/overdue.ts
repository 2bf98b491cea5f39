// The instructions of a site that the network has not answered for an hour, on the operator's page of the site.
import { html } from 'hono/html'
import type { Instruction } from '../../contract/instruction.ts'
import type { SiteHealth } from '../../contract/site.ts'
import type { Html } from '../../web/layout.ts'
import { seconds, when } from '../formats.ts'
import { table, textsOf } from '../parts.ts'
import { OPERATOR_TEXTS } from '../texts-operator.ts'
import { OPERATORS, type Visit } from '../visit.ts'
import { siteAddress } from './sites.ts'

/** The list, each with the button that sends it now. */
export function overdueOf({ siteId, instructions }: SiteHealth, visit: Visit): Html {
  const texts = OPERATOR_TEXTS[visit.language]
  const sending = (id: string) => `${siteAddress(visit, siteId)}/instructions/${encodeURIComponent(id)}/send`
  const rows = instructions.overdue.map(({ id, instruction, since, isTaken }) => [
    html`${typeName(instruction.type, visit)} <code class="uid">${id}</code>`,
    html`<bdi>${subjectOf(instruction)}</bdi>`,
    isTaken ? texts.yes : texts.no,
    when(seconds(since), visit),
    visit.may(...OPERATORS) &&
      html`<form method="post" action="${sending(id)}"><button>${texts.send}</button></form>`,
  ])
  return html`<section class="card"><h2>${texts.overdue}</h2>${table(
    [
      [texts.instruction, 'name'],
      [texts.about],
      [texts.taken, 'state'],
      [texts.since, 'when'],
      [texts.action],
    ],
    rows,
    texts.overdue,
  )}</section>`
}

/** The name of a type: that of a receipt is the name of its section. */
function typeName(type: string, visit: Visit): string {
  const { types } = OPERATOR_TEXTS[visit.language]
  return type === 'receipt.register' ? textsOf(visit).nav.receipts : (types[type] ?? type)
}

/** What an instruction is about. */
function subjectOf(instruction: Instruction): string {
  if ('refundUid' in instruction) return instruction.refundUid
  if ('paymentUid' in instruction) return instruction.paymentUid
  if ('receiptUid' in instruction) return instruction.receiptUid
  return 'bindingUid' in instruction ? instruction.bindingUid : instruction.linkId
}
