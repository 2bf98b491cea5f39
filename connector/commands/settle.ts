// `settle`: lists the refunds, charges and documents that are held, or could not be sent, and amounts that differ; records the operator's decision on one, or on a webhook.
import { roublesOf } from '../amounts.ts'
import { receiptText } from '../cash-registers/receipt-row.ts'
import type { Core } from '../core.ts'
import { differenceText } from '../money/payment/amount-differences.ts'
import { deliver } from '../outbox/reporter.ts'
import { addressOf } from '../outbox/rows.ts'
import { closeDifference } from './close-difference.ts'
import { closeWebhook } from './close-webhook.ts'
import { confirmed, type TypedLine } from './confirmation.ts'
import { chargeToSettle, type Decision, refundToSettle, unsentRefunds, whyOpen } from './held.ts'
import { allowOnly, deciderOf, type Options, openCoreFor, type Print, required } from './options.ts'
import { receiptsToSettle, settleReceipt, whyUndecided } from './settle-receipt.ts'

const RESULTS = { completed: 'COMPLETED', declined: 'DECLINED' } as const

/**
 * @param typedLine what the operator types, where the decision is to be confirmed
 * @returns the exit code: 1 where something is listed, or the report was not accepted yet
 */
export async function settle(options: Options, print: Print, typedLine: TypedLine): Promise<number> {
  if (options.webhook !== undefined || options.bank !== undefined) {
    allowOnly('settle --webhook', options, ['bank', 'webhook', 'reason', 'by', 'yes'])
    return closeWebhook(openCoreFor(options), options, print, typedLine)
  }
  if (options.difference !== undefined) {
    allowOnly('settle --difference', options, ['site', 'difference', 'reason', 'by', 'yes'])
    return closeDifference(openCoreFor(options), options, print, typedLine)
  }
  if (options.receipt !== undefined) {
    const names = ['site', 'receipt', 'as', 'fn', 'fd', 'fpd', 'reason', 'by', 'yes'] as const
    allowOnly('settle --receipt', options, names)
    return settleReceipt(openCoreFor(options), options, print, typedLine)
  }
  allowOnly('settle', options, [
    ...(['site', 'payment', 'refund', 'charge', 'as', 'number', 'reason', 'by', 'yes'] as const),
  ])
  const core = openCoreFor(options)
  const { site } = options
  if (site === undefined) return list(core, print)
  const decision = decisionOf(options, site)
  const held =
    options.charge === undefined
      ? refundToSettle(core, options, decision)
      : chargeToSettle(core, { ...decision, paymentUid: options.charge, number: options.number })
  for (const line of held.lines) print(line)
  if (!options.yes) await confirmed('the amount', roublesOf(held.amount), print, typedLine)
  const { result, reason, by } = decision
  core.disk.transaction(() => {
    held.finish()
    const { paymentUid, refundUid, amount } = held
    const fields = { site, paymentUid, refundUid, receiptUid: null, result, amount, reason, by }
    core.disk.decisions.insert({ ...fields, decidedAt: core.platform.now() })
  })
  const report = core.disk.reports.get(addressOf(site, held.path))
  const { isDone, status, text } = report
    ? await deliver(core, report)
    : { isDone: false, status: 0, text: '' }
  print(
    `${held.refundUid ?? held.paymentUid}: ${result}, ${isDone ? 'reported to the service' : `the service: ${status} ${text}; the running connector reports it again`}`,
  )
  return isDone ? 0 : 1
}

function decisionOf(options: Options, site: string): Decision {
  const word = required(options, 'as', 'completed or declined')
  if (word !== 'completed' && word !== 'declined')
    throw new Error(`--as is ${word}, must be completed or declined`)
  return {
    site,
    result: RESULTS[word],
    reason: options.reason ?? 'decided by the operator',
    by: deciderOf(options),
  }
}

function list(core: Core, print: Print): number {
  const { disk } = core
  const refunds = [...disk.refunds.held(), ...unsentRefunds(core)]
  for (const refund of refunds) {
    const { site, paymentUid, refundUid, bank, qrcId, reference, amount, givenAt } = refund
    print(`--site ${site} --payment ${paymentUid} --refund ${refundUid}`)
    print(
      `  ${roublesOf(amount)} RUB, asked for ${new Date(givenAt).toISOString()}, ${bank} ${reference}, code ${qrcId}`,
    )
    print(`  ${whyOpen(refund)}`)
  }
  const charges = disk.charges.held()
  for (const { site, paymentUid, bank, qrcId, order, note, amount, givenAt, reason } of charges) {
    print(`--site ${site} --charge ${paymentUid}`)
    print(
      `  ${roublesOf(amount)} RUB, asked for ${new Date(givenAt).toISOString()}, ${bank} order ${order}${note && `, payment ${note}`}, code ${qrcId}`,
    )
    print(`  held: ${reason}`)
  }
  const receipts = receiptsToSettle(core)
  for (const receipt of receipts) {
    print(`--site ${receipt.site} --receipt ${receipt.receiptUid}`)
    print(`  ${receiptText(receipt)}, at ${receipt.register}`)
    print(`  ${whyUndecided(receipt)}`)
  }
  const differences = disk.amountDifferences.open()
  for (const difference of differences) {
    print(`--site ${difference.site} --difference ${difference.paymentUid}`)
    print(`  ${differenceText(difference)}`)
  }
  const count = refunds.length + charges.length
  if (count > 0)
    print(`${count} held or not sent: settle each with --as completed or --as declined, and --by your name`)
  if (receipts.length > 0)
    print(
      `${receipts.length} documents without a result: settle each with --as registered or --as failed, and --by your name`,
    )
  if (differences.length > 0)
    print(`${differences.length} amounts differ: close each with --by your name and --reason`)
  const all = count + receipts.length + differences.length
  if (all === 0) print('nothing is held, no amount differs, and nothing has been unsent for 72 hours')
  return all === 0 ? 0 : 1
}
