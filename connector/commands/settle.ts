// `settle`: lists the refunds and charges that are held, and records the operator's decision on one of them.
import { chargePathOf, completeCharge, declineCharge } from '../charges.ts'
import type { Core } from '../core.ts'
import { addressOf } from '../disk/reports.ts'
import { roublesOf } from '../money.ts'
import { finishRefund, reportPathOf } from '../refunds.ts'
import { deliver } from '../reporter.ts'
import { allowOnly, type Options, openCoreFor, type Print, required } from './options.ts'

const RESULTS = { completed: 'COMPLETED', declined: 'DECLINED' } as const

/** @returns the exit code: 1 where something is held, or the report was not accepted yet */
export async function settle(options: Options, print: Print): Promise<number> {
  allowOnly('settle', options, ['site', 'payment', 'refund', 'charge', 'as', 'number', 'reason'])
  const core = openCoreFor(options)
  const { site } = options
  if (site === undefined) return list(core, print)
  const word = required(options, 'as', 'completed or declined')
  if (word !== 'completed' && word !== 'declined')
    throw new Error(`--as is ${word}, must be completed or declined`)
  const reason = options.reason ?? 'decided by the operator'
  const decision = { site, result: RESULTS[word], reason }
  const { uid, path } =
    options.charge === undefined
      ? settleRefund(core, options, decision)
      : settleCharge(core, { ...decision, paymentUid: options.charge, number: options.number })
  const report = core.disk.reports.get(addressOf(site, path))
  const { isDone, status, text } = report
    ? await deliver(core, report)
    : { isDone: false, status: 0, text: '' }
  print(
    `${uid}: ${RESULTS[word]}, ${isDone ? 'reported to the service' : `the service: ${status} ${text}; the running connector reports it again`}`,
  )
  return isDone ? 0 : 1
}

interface Decision {
  site: string
  result: 'COMPLETED' | 'DECLINED'
  reason: string
}

/** @returns the uid for the operator, and the path of the report */
function settleRefund(core: Core, options: Options, { site, result, reason }: Decision) {
  const paymentUid = required(options, 'payment', 'the paymentUid')
  const id = { site, paymentUid, refundUid: required(options, 'refund', 'the refundUid') }
  const refund = core.disk.refunds.get(id)
  if (!refund) throw new Error('there is no such refund')
  if (refund.state !== 'HELD' || !finishRefund(core, refund, result, reason)) {
    throw new Error(`the refund is ${core.disk.refunds.get(id)?.state}, only a held one can be settled`)
  }
  return { uid: id.refundUid, path: reportPathOf(id) }
}

/** @param number the bank's of the payment, by which it can be refunded: where the disk does not have it */
function settleCharge(
  core: Core,
  { site, paymentUid, result, reason, number }: Decision & { paymentUid: string; number: string | undefined },
) {
  const { disk, banks } = core
  const charge = disk.charges.get({ site, paymentUid })
  if (!charge) throw new Error('there is no such charge')
  const finish = () => {
    if (result === 'DECLINED') return declineCharge(core, charge, reason)
    // A bank that is given our order finds the payment by it.
    const isKnownByOrder = banks.get(charge.bank)?.bank.bindings?.open === undefined
    const reference = number ?? (charge.note || (isKnownByOrder ? charge.order : ''))
    if (reference === '') throw new Error('--number is missing, must be the bank’s number of the payment')
    return completeCharge(core, charge, { reference, amount: charge.amount })
  }
  if (charge.state !== 'HELD' || !finish()) {
    const state = disk.charges.get({ site, paymentUid })?.state
    throw new Error(`the charge is ${state}, only a held one can be settled`)
  }
  return { uid: paymentUid, path: chargePathOf(charge) }
}

function list({ disk }: Core, print: Print): number {
  const refunds = disk.refunds.held()
  for (const { site, paymentUid, refundUid, bank, qrcId, reference, amount, givenAt, reason } of refunds) {
    print(`--site ${site} --payment ${paymentUid} --refund ${refundUid}`)
    print(
      `  ${roublesOf(amount)} RUB, asked for ${new Date(givenAt).toISOString()}, ${bank} ${reference}, code ${qrcId}`,
    )
    print(`  held: ${reason}`)
  }
  const charges = disk.charges.held()
  for (const { site, paymentUid, bank, qrcId, order, note, amount, givenAt, reason } of charges) {
    print(`--site ${site} --charge ${paymentUid}`)
    print(
      `  ${roublesOf(amount)} RUB, asked for ${new Date(givenAt).toISOString()}, ${bank} order ${order}${note && `, payment ${note}`}, code ${qrcId}`,
    )
    print(`  held: ${reason}`)
  }
  const count = refunds.length + charges.length
  print(
    count === 0
      ? 'no refund and no charge is held'
      : `${count} held: settle each with --as completed or --as declined`,
  )
  return count === 0 ? 0 : 1
}
