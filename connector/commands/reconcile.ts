// `reconcile`: compares a period on three sides, the bank, this disk and the service, and prints every difference.
import { roublesOf } from '../amounts.ts'
import type { CodeState } from '../banks/bank.ts'
import { compareReceipts } from '../cash-registers/comparison.ts'
import { type Core, type KnownCode, knownCodeOf, type OpenBank, type OpenSite } from '../core.ts'
import { subjectText } from '../links/codes/late-asks.ts'
import { findInLists, findOnDisk } from '../links/codes/lookup.ts'
import type { CodeRow } from '../links/codes/rows.ts'
import type { SaleRow } from '../links/sales/rows.ts'
import { codeOfSale } from '../links/sales/sales.ts'
import { messageOf } from '../log.ts'
import { compareCharges, compareWaitingCharges } from '../money/charge/comparison.ts'
import { differenceText } from '../money/payment/amount-differences.ts'
import { comparePayments } from '../money/payment/comparison.ts'
import { isSamePaymentOf, recordPayment, recordState } from '../money/payment/payments.ts'
import { compareRefunds } from '../money/refund/comparison.ts'
import { DAY_MS, isLate } from '../work/schedule.ts'
import { allowOnly, type Options, openCoreFor, type Print, required, timeOf } from './options.ts'

/** @returns the exit code: 1 where there is a difference */
export async function reconcile(options: Options, print: Print): Promise<number> {
  allowOnly('reconcile', options, ['from', 'to'])
  const from = timeOf('from', required(options, 'from', 'a date'))
  const toText = required(options, 'to', 'a date')
  const to = timeOf('to', toText) + (toText.length === 10 ? DAY_MS : 0)
  if (to <= from) throw new Error(`--to is ${toText}, must not be before --from`)
  const core = openCoreFor(options)
  // Before payments are compared: that records what was refunded at a bank.
  const refunds = await compareRefunds(core, from, to)
  const { isCompared, differences: others, notes } = await compare(core, from, to)
  const differences = [
    ...refunds.filter(({ kind }) => kind !== 'NOT_COMPARABLE').map(({ text }) => text),
    ...others,
  ]
  for (const difference of differences) print(difference)
  for (const { kind, text } of refunds) if (kind === 'NOT_COMPARABLE') print(text)
  for (const note of notes) print(note)
  print(`${isCompared} codes compared, ${differences.length} differences`)
  return differences.length === 0 ? 0 : 1
}

/** What was paid at the bank and is not on this disk is recorded: it is a fact, and the running connector reports it. */
async function compare(core: Core, from: number, to: number) {
  const differences = await compareCharges(core, from, to)
  const rows = core.disk.codes.payableWithin(from, to)
  for (const row of rows)
    differences.push(...(await shownBy(`${row.site} ${row.qrcId}`, compareCode(core, row))))
  for (const sale of core.disk.sales.armedWithin(from, to))
    differences.push(...(await compareSale(core, sale)))
  // Two sets of credentials of one owner have one list.
  const banks = new Map(Array.from(core.banks.values(), (bank) => [bank.bank.identity, bank]))
  for (const bank of banks.values()) {
    differences.push(...(await shownBy(bank.name, compareList(core, bank, from, to))))
  }
  const notes = Array.from(banks.values())
    .filter(({ bank }) => !bank.payments)
    .map(
      ({ name }) =>
        `note: ${name} has no list of its payments: those of a code that nobody here knows are not found`,
    )
  for (const site of core.sites.values()) {
    differences.push(...(await shownBy(site.siteId, compareService(core, site, from, notes))))
    differences.push(...(await shownBy(site.siteId, compareReceipts(core, site, { from, to, notes }))))
  }
  differences.push(
    ...core.disk.lateAsks
      .unresolved()
      .map((subject) => `${subjectText(subject)}: the bank does not state whether it was paid`),
  )
  differences.push(
    ...core.disk.amountDifferences.open().map((difference) => `${differenceText(difference)}: see settle`),
  )
  const held = core.disk.refunds.held().filter(({ givenAt }) => givenAt >= from && givenAt < to)
  differences.push(
    ...held.map(
      ({ site, paymentUid, refundUid, amount }) =>
        `${site} refund ${refundUid} of ${paymentUid}, ${roublesOf(amount)} RUB: held, see settle`,
    ),
  )
  return { isCompared: rows.length, differences, notes }
}

async function* compareCode(core: Core, row: CodeRow): AsyncGenerator<string> {
  const known = knownCodeOf(core, row)
  const name = `${row.site} ${row.qrcId}`
  if (!known) {
    yield `${name}: the bank ${row.bank} is not configured`
    return
  }
  // A cashbox code itself has no payment: its sales are compared. One that binds an account has none either.
  if (row.type === 'COUNTER' || row.type === 'TOKEN') return
  const state = await known.bank.bank.state(known.code)
  const before = core.disk.payments.ofCode(row.site, known.code.qrcId)
  recordState(core, known, state)
  endLate(core, row, state)
  const paid = state.payments.filter(({ status }) => status === 'COMPLETED')
  const isSame = isSamePaymentOf(known.bank)
  for (const payment of paid) {
    const { number, amount } = payment
    const ours = before.find((each) => each.status === 'COMPLETED' && isSame(each, payment))
    if (!ours)
      yield `${name}: paid at the bank (${number}, ${roublesOf(amount)} RUB), was not reported: it is now`
  }
  for (const ours of before) {
    const isStated = ours.status !== 'COMPLETED' || paid.some((payment) => isSame(ours, payment))
    if (!isStated && !state.isPartial)
      yield `${name}: reported as paid (${ours.number}), the bank does not state it`
  }
  yield* unreported(core, known)
}

async function compareSale(core: Core, sale: SaleRow): Promise<string[]> {
  const known = codeOfSale(core, sale)
  const name = `${sale.site} ${sale.qrcId} sale ${sale.saleUid}`
  if (!known) return [`${name}: the bank ${sale.bank} is not configured`]
  try {
    const state = await known.bank.bank.state(known.code)
    const { payments } = state
    endLate(core, sale, state)
    const isNew = payments.map((payment) => recordPayment(core, known, payment, sale)).includes(true)
    const isLost = sale.state === 'PAID' && payments.length === 0
    if (isLost) return [`${name}: reported as paid, the bank does not state it`]
    return isNew ? [`${name}: paid at the bank, was not reported: it is now`] : []
  } catch (error) {
    return [`${name}: ${messageOf(error)}`]
  }
}

/** A code or sale that the running connector has stopped asking about: now the bank states that it is over. */
function endLate({ disk, platform }: Core, row: CodeRow | SaleRow, { isOver = false }: CodeState): void {
  const now = platform.now()
  if (!isOver || row.qrcId === null || !isLate(now, row.expiresAt ?? undefined)) return
  const saleUid = 'saleUid' in row ? row.saleUid : ''
  disk.lateAsks.clear({ site: row.site, qrcId: row.qrcId, saleUid })
}

/** Where the bank has a list of payments, it shows codes that neither disk nor service knows. */
async function* compareList(core: Core, bank: OpenBank, from: number, to: number): AsyncGenerator<string> {
  const counters = new Map<string, { site: string; paid: number }>()
  for (const { qrcId, number } of (await bank.bank.payments?.(new Date(from), new Date(to - 1))) ?? []) {
    if (core.disk.payments.has(bank.bank.identity, number)) continue
    const wanted = { bank, qrcId }
    const found = findOnDisk(core, wanted) ?? (await findInLists(core, wanted))
    // The bank's list does not name the sale; sales were compared above.
    if (found?.known.code.type === 'COUNTER') {
      const { site } = found.known
      counters.set(qrcId, { site, paid: (counters.get(qrcId)?.paid ?? 0) + 1 })
      continue
    }
    yield found
      ? `${found.known.site} ${qrcId}: paid at ${bank.name} (${number}), was not reported`
      : `${qrcId}: paid at ${bank.name} (${number}), no site has this code`
    if (found) recordState(core, found.known, await bank.bank.state(found.known.code))
  }
  for (const [qrcId, { site, paid }] of counters) {
    const reported = core.disk.payments.countCompleted(site, qrcId, from)
    if (paid > reported)
      yield `${site} ${qrcId}: ${bank.name} has ${paid} payments, ${reported} were reported: find the others in its console`
  }
}

async function* compareService(
  core: Core,
  site: OpenSite,
  from: number,
  notes: string[],
): AsyncGenerator<string> {
  yield* comparePayments(core, site, from, notes)
  yield* compareWaitingCharges(core, site)
}

/** What one side shows; where it does not answer, that is the difference. */
async function shownBy(name: string, lines: AsyncGenerator<string>): Promise<string[]> {
  const shown: string[] = []
  try {
    for await (const line of lines) shown.push(line)
  } catch (error) {
    shown.push(`${name}: ${messageOf(error)}`)
  }
  return shown
}

function unreported(core: Core, { site, code }: KnownCode): string[] {
  return core.disk.reports
    .notAccepted()
    .filter((report) => report.site === site && report.path.includes(`/qrCodes/${code.qrcId}/`))
    .filter(({ attempts }) => attempts > 0)
    .map(({ path, answer }) => `${path}: not accepted: ${answer}`)
}
