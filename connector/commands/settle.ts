// `settle`: lists the refunds that are held, and records the operator's decision on one of them.
import { addressOf } from '../disk/reports.ts'
import { roublesOf } from '../money.ts'
import { finishRefund, reportPathOf } from '../refunds.ts'
import { deliver } from '../reporter.ts'
import { allowOnly, type Options, openCoreFor, type Print, required } from './options.ts'

const RESULTS = { completed: 'COMPLETED', declined: 'DECLINED' } as const

/** @returns the exit code: 1 where refunds are held, or the report was not accepted yet */
export async function settle(options: Options, print: Print): Promise<number> {
  allowOnly('settle', options, ['site', 'payment', 'refund', 'as', 'reason'])
  const core = openCoreFor(options)
  if (options.site === undefined) return list(core, print)
  const id = {
    site: options.site,
    paymentUid: required(options, 'payment', 'the paymentUid'),
    refundUid: required(options, 'refund', 'the refundUid'),
  }
  const word = required(options, 'as', 'completed or declined')
  if (word !== 'completed' && word !== 'declined')
    throw new Error(`--as is ${word}, must be completed or declined`)
  const { disk } = core
  const refund = disk.refunds.get(id)
  if (!refund) throw new Error('there is no such refund')
  const reason = options.reason ?? 'decided by the operator'
  if (refund.state !== 'HELD' || !finishRefund(core, refund, RESULTS[word], reason)) {
    throw new Error(`the refund is ${disk.refunds.get(id)?.state}, only a held one can be settled`)
  }
  const report = disk.reports.get(addressOf(id.site, reportPathOf(id)))
  const { isDone, status, text } = report
    ? await deliver(core, report)
    : { isDone: false, status: 0, text: '' }
  print(
    `${id.refundUid}: ${RESULTS[word]}, ${isDone ? 'reported to the service' : `the service: ${status} ${text}; the running connector reports it again`}`,
  )
  return isDone ? 0 : 1
}

function list({ disk }: ReturnType<typeof openCoreFor>, print: Print): number {
  const held = disk.refunds.held()
  for (const { site, paymentUid, refundUid, bank, qrcId, reference, amount, givenAt, reason } of held) {
    print(`--site ${site} --payment ${paymentUid} --refund ${refundUid}`)
    print(
      `  ${roublesOf(amount)} RUB, asked for ${new Date(givenAt).toISOString()}, ${bank} ${reference}, code ${qrcId}`,
    )
    print(`  held: ${reason}`)
  }
  print(
    held.length === 0
      ? 'no refund is held'
      : `${held.length} held: settle each with --as completed or --as declined`,
  )
  return held.length === 0 ? 0 : 1
}
