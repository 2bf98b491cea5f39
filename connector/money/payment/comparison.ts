// Compares the payments on this disk with the codes that the service lists as unpaid.
import { roublesOf } from '../../amounts.ts'
import type { Core, OpenSite } from '../../core.ts'
import { deliver } from '../../outbox/reporter.ts'
import { addressOf } from '../../outbox/rows.ts'
import { type ListedCode, listCodes } from '../../service/service.ts'
import { paymentPathOf } from './payments.ts'
import type { PaymentRow } from './rows.ts'

/**
 * Reports each payment of such a code again: the answer says whether the service has it. Times are Unix milliseconds.
 * @param from codes that ended before are not compared
 * @param notes gets a line for each payment that the service has, and did not apply: no difference
 * @returns a line for each payment that the service did not have, or does not take
 */
export async function* comparePayments(
  core: Core,
  site: OpenSite,
  from: number,
  notes: string[],
): AsyncGenerator<string> {
  for await (const code of listCodes(core, site, from)) {
    if (code.type !== 'DYNAMIC') continue
    for (const payment of core.disk.payments.ofCode(site.siteId, code.qrcId)) {
      if (payment.status !== 'COMPLETED') continue
      const name = `${site.siteId} ${code.qrcId}: paid, ${roublesOf(payment.amount)} RUB`
      const report = core.disk.reports.get(addressOf(payment.site, paymentPathOf(payment)))
      const answer = report && (await deliver(core, report))
      if (!answer?.isTaken)
        yield `${name}, the service has it as ${code.status}, and has not taken the payment (${answer?.status ?? 'no report'}): see replay`
      else if (!answer.isReplayed)
        yield `${name}, the service did not have the payment: it has it now, see replay`
      // The running connector can have reported it since the list was read.
      else if (answer.codeStatus !== 'PAYED')
        notes.push(`${name}, not applied: ${whyNotApplied(code, payment)}`)
    }
  }
}

const whyNotApplied = ({ amount: price }: ListedCode, { amount }: PaymentRow): string =>
  price === undefined || price.kopecks === amount
    ? 'the code could not take it'
    : `amount, the code is of ${roublesOf(price.kopecks)} RUB`
