// `settle --difference`: the operator has dealt with a payment of which the bank states another amount than was reported.
import { roublesOf } from '../amounts.ts'
import type { Core } from '../core.ts'
import { differenceText } from '../money/payment/amount-differences.ts'
import { confirmed, type TypedLine } from './confirmation.ts'
import { deciderOf, type Options, type Print, reasonOf, required } from './options.ts'

/**
 * Closes all amounts that the bank has stated of the payment. An amount that it states later opens it again.
 * @returns the exit code
 * @throws Error where nothing is open of the payment, or the decision is not confirmed
 */
export async function closeDifference(
  { disk, platform }: Core,
  options: Options,
  print: Print,
  typedLine: TypedLine,
): Promise<number> {
  const site = required(options, 'site', 'the siteId')
  const paymentUid = required(options, 'difference', 'the paymentUid that check prints')
  const reason = reasonOf(options, 'what was done about the payment')
  const by = deciderOf(options)
  const open = disk.amountDifferences
    .open()
    .filter((each) => each.site === site && each.paymentUid === paymentUid)
  const [first] = open
  if (!first) throw new Error(`no amount of the payment ${paymentUid} of ${site} is open`)
  for (const difference of open) print(differenceText(difference))
  print('your decision: closed; what was reported to the service stays')
  if (!options.yes) await confirmed('the reported amount', roublesOf(first.reported), print, typedLine)
  disk.transaction(() => {
    for (const difference of open)
      disk.amountDifferences.close(difference, { at: platform.now(), by, reason })
  })
  print(`${paymentUid}: closed; another amount that the bank states is listed again`)
  return 0
}
