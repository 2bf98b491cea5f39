// `settle --receipt`: the operator has looked at the cash register, and says whether it has the document.
import { roublesOf } from '../amounts.ts'
import type { Fiscal } from '../cash-registers/cash-register.ts'
import { hasEnded, type ReceiptRow, receiptText } from '../cash-registers/receipt-row.ts'
import { finishReceipt } from '../cash-registers/receipts.ts'
import { receiptPathOf } from '../cash-registers/reports.ts'
import { withoutContact } from '../cash-registers/without-contact.ts'
import type { Core } from '../core.ts'
import { deliver } from '../outbox/reporter.ts'
import { addressOf } from '../outbox/rows.ts'
import { DAY_MS } from '../work/schedule.ts'
import { confirmed, type TypedLine } from './confirmation.ts'
import { deciderOf, type Options, type Print, required } from './options.ts'

const RESULTS = { registered: 'REGISTERED', failed: 'FAILED' } as const

/** Documents that the operator can decide: those that are held, or have had no result for a day. */
export const receiptsToSettle = ({ disk, platform }: Core): ReceiptRow[] => [
  ...disk.receipts.held(),
  ...disk.receipts.openSince(platform.now() - DAY_MS).filter(({ state }) => state !== 'HELD'),
]

export const whyUndecided = ({ state, reason }: ReceiptRow): string =>
  `${state === 'HELD' ? 'held' : `no result for a day, ${state}`}${reason && `: ${reason}`}`

/** @throws Error where there is no such document, it is not for the operator to decide, or the decision is not confirmed */
export async function settleReceipt(
  core: Core,
  options: Options,
  print: Print,
  typedLine: TypedLine,
): Promise<number> {
  const { disk, platform } = core
  const site = required(options, 'site', 'the siteId')
  const receiptUid = required(options, 'receipt', 'the receiptUid that settle prints')
  const result = resultOf(options)
  const by = deciderOf(options)
  const reason = withoutContact(options.reason ?? 'decided by the operator')
  const receipt = toSettle(core, { site, receiptUid })
  const { paymentUid, amount, state } = receipt
  const { rides = [] } = core.cashRegisters.get(receipt.register)?.register ?? {}
  // Without a hold, a request of the connector that runs can be on its way. A part of a bank's call has none of its own.
  const canRetry = state === 'HELD' && !rides.includes(receipt.kind)
  print(`${receiptText(receipt)}, at ${receipt.register}`)
  print(whyUndecided(receipt))
  print(`your decision: ${result}, for good: it is never sent again`)
  print(
    result === 'REGISTERED'
      ? 'the merchant is told: REGISTERED'
      : `the merchant is told: FAILED, ${reason}; it can ${canRetry ? '' : 'not '}be retried`,
  )
  if (!options.yes) await confirmed('the amount', roublesOf(amount), print, typedLine)
  disk.transaction(() => {
    const isDone = finishReceipt(
      core,
      toSettle(core, receipt),
      result === 'REGISTERED'
        ? { state: result, fiscal: fiscalOf(options) }
        : { state: result, reason, canRetry },
    )
    if (!isDone) throw new Error('the document has changed meanwhile: see settle')
    const decision = { site, paymentUid, refundUid: null, receiptUid, result, amount, reason, by }
    disk.decisions.insert({ ...decision, decidedAt: platform.now() })
  })
  const report = disk.reports.get(addressOf(site, receiptPathOf({ site, receiptUid })))
  const { isDone, status, text } = report
    ? await deliver(core, report)
    : { isDone: false, status: 0, text: '' }
  print(
    `${receiptUid}: ${result}, ${isDone ? 'reported to the service' : `the service: ${status} ${text}; the running connector reports it again`}`,
  )
  return isDone ? 0 : 1
}

/** @throws Error where it is not for the operator to decide, or not any more */
function toSettle(core: Core, id: Pick<ReceiptRow, 'site' | 'receiptUid'>): ReceiptRow {
  const receipt = core.disk.receipts.get(id)
  if (!receipt) throw new Error('there is no such document')
  const isOld = core.platform.now() - receipt.createdAt >= DAY_MS
  if (receipt.state === 'HELD' || (isOld && !hasEnded(receipt))) return receipt
  throw new Error(
    `the document is ${receipt.state}, only a held one can be settled, or one that has had no result for a day`,
  )
}

function resultOf(options: Options): 'REGISTERED' | 'FAILED' {
  const word = required(options, 'as', 'registered or failed')
  if (word !== 'registered' && word !== 'failed')
    throw new Error(`--as is ${word}, must be registered or failed`)
  if (word === 'failed' && (options.fn ?? options.fd ?? options.fpd) !== undefined)
    throw new Error('--fn, --fd and --fpd are of a document that is registered')
  return RESULTS[word]
}

/** What the operator has read at the register. @throws Error naming the option */
function fiscalOf(options: Options): Fiscal {
  const fiscal: Fiscal = {}
  for (const name of ['fn', 'fd', 'fpd'] as const) {
    const value = options[name]
    if (value === undefined) continue
    if (!/^\d{1,20}$/.test(value)) throw new Error(`--${name} is ${value}, must be 1 to 20 digits`)
    fiscal[name] = value
  }
  return fiscal
}
