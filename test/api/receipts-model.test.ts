// Documents against a model: whatever is paid, refunded, declined, closed, failed, retried and reported, in whatever order, each payment
// and refund has one document that goes on, and its sums hold to the kopeck.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ReceiptAnswer } from '../../src/contract/receipts/document.ts'
import { brokenRules } from '../support/broken-rules.ts'
import { FISCAL, type FiscalSite, fiscalSite } from '../support/fiscal-site.ts'
import { receipt, receiptIn } from '../support/receipts.ts'

const RATES = ['none', '10', '22'] as const
const METHODS = ['fullPayment', 'fullPrepayment'] as const

const kopecks = (value: string) => Math.round(Number(value) * 100)
const decimal = (value: number) => (value / 100).toFixed(2)
const sumOf = (items: readonly { amount: string }[]) =>
  items.reduce((sum, { amount }) => sum + kopecks(amount), 0)

interface Refund {
  payment: number
  amount: number
  status: 'WAITING' | 'COMPLETED' | 'DECLINED'
  /** What its document has: less, where the network completed one that it had declined, and others had taken the rest. */
  documented: number
}

/** What happened, told without the code under test. */
interface Model {
  /** The kopecks of each payment. */
  payments: number[]
  refunds: Map<string, Refund>
  closings: Set<string>
  /** The documents that were reported, by their keys. */
  reported: Map<string, 'REGISTERED' | 'FAILED'>
}

type Documents = readonly (readonly ReceiptAnswer[])[]

interface Run {
  site: FiscalSite
  model: Model
  uids: string[]
  linkId: string
  /** The documents as they stand. */
  read(): Promise<Documents>
}

/** One of a list, by a number. */
const pick = <T>(list: readonly T[], number: number): T | undefined => list[number % Math.max(list.length, 1)]
const accepted = ({ refunds }: Model, payment: number) =>
  [...refunds.values()]
    .filter((each) => each.payment === payment && each.status !== 'DECLINED')
    .reduce((sum, { amount }) => sum + amount, 0)

const documentedOf = ({ refunds }: Model, payment: number) =>
  [...refunds.values()]
    .filter((each) => each.payment === payment && each.status !== 'DECLINED')
    .reduce((sum, { documented }) => sum + documented, 0)

/** What can happen, each chosen by numbers. */
const ACTIONS: Record<string, (run: Run, a: number, b: number) => Promise<void>> = {
  async pay({ site, model, uids, linkId }) {
    if (uids.length === 2) return
    const amount = model.payments[0] ?? 0
    const uid = `p${uids.length}`
    await site.pay(linkId, { amount: { value: decimal(amount) } }, uid)
    model.payments[uids.length] = amount
    uids.push(uid)
  },
  async refund({ site, model, uids }, a, b) {
    const payment = a % Math.max(uids.length, 1)
    const left = (model.payments[payment] ?? 0) - accepted(model, payment)
    if (uids.length === 0 || left <= 0) return
    const amount = b % 4 === 0 ? left : 1 + (b % left)
    const uid = `r${model.refunds.size}`
    const response = await site.refund(uids[payment] ?? '', decimal(amount), uid)
    expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([200, ''])
    model.refunds.set(uid, { payment, amount, status: 'WAITING', documented: amount })
  },
  /** A refund that states one of an item; it is refused where that is not left. */
  async refundItem({ site, model, uids, read }, a, b) {
    const payment = a % Math.max(uids.length, 1)
    const sale = (await read())[payment]?.filter(({ kind }) => kind === 'sale').at(-1)
    const item = pick(sale?.items ?? [], b)
    if (!item) return
    const amount = kopecks(item.price)
    const uid = `r${model.refunds.size}`
    const stated = { receipt: { items: [{ name: item.name, price: item.price }] } }
    const { status } = await site.refund(uids[payment] ?? '', decimal(amount), uid, stated)
    expect([200, 400]).toContain(status)
    if (status === 200) model.refunds.set(uid, { payment, amount, status: 'WAITING', documented: amount })
  },
  /** The network's result of a refund; one that was declined can be completed. */
  async result({ site, model, uids }, a, b) {
    const [uid, refund] =
      pick(
        [...model.refunds].filter(([, { status }]) => status !== 'COMPLETED'),
        a,
      ) ?? []
    if (uid === undefined || !refund) return
    const status = b % 3 === 0 && refund.status === 'WAITING' ? 'DECLINED' : 'COMPLETED'
    const { status: answered } = await site.reportRefund(uids[refund.payment] ?? '', uid, { status })
    expect(answered).toBe(200)
    const left = (model.payments[refund.payment] ?? 0) - documentedOf(model, refund.payment)
    const documented = refund.status === 'DECLINED' ? Math.min(refund.amount, left) : refund.documented
    model.refunds.set(uid, { ...refund, status, documented })
  },
  async close({ site, model, uids }, a) {
    const payment = a % Math.max(uids.length, 1)
    const closingUid = `c${model.closings.size}`
    if (uids.length === 0) return
    const response = await site.close(uids[payment] ?? '', closingUid)
    expect([200, 409]).toContain(response.status)
    if (response.status === 200) model.closings.add(closingUid)
  },
  /** A report of a document that the connector has, perhaps late, perhaps again. */
  async report({ site, model, read }, a, b) {
    const sent = (await read())
      .flat()
      .filter(
        ({ receiptUid, waitsFor, error }) =>
          waitsFor === undefined && (model.reported.has(receiptUid) || !error),
      )
    const document = pick(sent, a)
    if (!document) return
    const { receiptUid } = document
    const state = (['REGISTERED', 'FAILED', 'SENT', 'REGISTERED'] as const)[b % 4] ?? 'SENT'
    const before = model.reported.get(receiptUid)
    const body =
      state === 'REGISTERED'
        ? { state, fiscal: { ...FISCAL, fd: receiptUid.slice(0, 9) } }
        : { state, canRetry: true }
    const { status } = await site.reportReceipt(receiptUid, body)
    expect(status).toBe(before === 'REGISTERED' && state === 'FAILED' ? 409 : 200)
    if (state === 'REGISTERED' || (state === 'FAILED' && before !== 'REGISTERED'))
      model.reported.set(receiptUid, state)
  },
  async retry({ site, read }, a) {
    const all = (await read()).flat()
    const failed = all.filter((each) => each.state === 'FAILED' && each.error?.canRetry)
    const document = pick(failed, a)
    if (!document) return
    const isLatest = all.filter((each) => isSame(each, document)).at(-1)?.receiptUid === document.receiptUid
    const response = await site.retry(document.receiptUid)
    expect(response.status).toBe(isLatest ? 202 : 409)
    if (isLatest) expect((await receiptIn(response)).amount).toEqual(document.amount)
  },
}

/** Whether two documents are attempts of one. */
const isSame = (a: ReceiptAnswer, b: ReceiptAnswer) =>
  a.paymentId === b.paymentId &&
  a.kind === b.kind &&
  a.refundId === b.refundId &&
  a.closingUid === b.closingUid

/** What holds at every time. */
async function check({ site, model, uids, read }: Run): Promise<void> {
  const documents = await read()
  for (const [payment, all] of documents.entries()) {
    const latest = all.filter((each, index) => !all.slice(index + 1).some((later) => isSame(each, later)))
    const [sale] = latest.filter(({ kind }) => kind === 'sale')
    const refunds = latest.filter(({ kind }) => kind === 'refund')
    expect(latest.filter(({ kind }) => kind === 'sale')).toHaveLength(1)
    expect(sumOf(sale?.items ?? [])).toBe(model.payments[payment])
    // Each completed refund has one document, of its amount, and no other refund has one.
    const completed = [...model.refunds].filter(
      ([, each]) => each.payment === payment && each.status === 'COMPLETED' && each.documented > 0,
    )
    const amounts = (pairs: readonly (readonly [string | undefined, number])[]) => new Map(pairs)
    expect(amounts(refunds.map(({ refundId, items }) => [refundId, sumOf(items)]))).toEqual(
      amounts(completed.map(([uid, { documented }]) => [uid, documented])),
    )
    for (const { items } of all)
      for (const { amount, price } of items)
        expect([kopecks(amount) > 0, kopecks(price) > 0]).toEqual([true, true])
    if (latest.every(({ kind }) => kind !== 'closing')) {
      const sold = linesOf(sale?.items ?? [])
      for (const [name, amount] of linesOf(refunds.flatMap(({ items }) => items)))
        expect(amount).toBeLessThanOrEqual(sold.get(name) ?? 0)
    }
    // Nothing that follows a sale is sent before the sale is registered.
    for (const each of latest.filter(({ kind, state }) => kind !== 'sale' && state === 'WAITING')) {
      expect(each.waitsFor).toBe(
        sale?.state === 'REGISTERED' ? undefined : sale?.state === 'FAILED' ? 'failedSale' : 'sale',
      )
    }
    if (
      documentedOf(model, payment) === model.payments[payment] &&
      completed.length > 0 &&
      latest.every(({ kind }) => kind !== 'closing')
    ) {
      const waiting = [...model.refunds.values()].some(
        (each) => each.payment === payment && each.status === 'WAITING',
      )
      if (!waiting) expect(linesOf(refunds.flatMap(({ items }) => items))).toEqual(linesOf(sale?.items ?? []))
    }
  }
  const all = documents.flat()
  for (const [uid, state] of model.reported)
    expect([uid, all.find(({ receiptUid }) => receiptUid === uid)?.state]).toEqual([uid, state])
  // The connector is told of what is to be registered, and of nothing else.
  const open = all.filter(
    ({ state, waitsFor }) => (state === 'WAITING' && waitsFor === undefined) || state === 'SENT',
  )
  expect((await site.instructed()).map(({ receiptUid }) => receiptUid).sort()).toEqual(
    open.map(({ receiptUid }) => receiptUid).sort(),
  )
  expect(new Set(all.map(({ receiptUid }) => receiptUid)).size).toBe(all.length)
  expect(uids.length).toBe(documents.length)
}

/** The sum of each name. */
function linesOf(items: readonly { name: string; amount: string }[]): Map<string, number> {
  const lines = new Map<string, number>()
  for (const { name, amount } of items) lines.set(name, (lines.get(name) ?? 0) + kopecks(amount))
  return new Map([...lines].sort())
}

it('holds for every order of what happens', { timeout: 300_000 }, async () => {
  const line = fc.record({
    price: fc.integer({ min: 1, max: 999_99 }),
    quantity: fc.constantFrom('1', '1', '2', '0.333', '47.8'),
    vat: fc.constantFrom(...RATES),
    method: fc.constantFrom(...METHODS),
  })
  const names = Object.keys(ACTIONS)
  const action = fc.tuple(
    fc.constantFrom(
      'pay',
      'refund',
      'refundItem',
      'refundItem',
      'result',
      'result',
      'report',
      'report',
      'report',
      ...names,
    ),
    fc.noBias(fc.nat(1000)),
    fc.noBias(fc.nat(1_000_000)),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 4 }),
      fc.array(action, { minLength: 20, maxLength: 30 }),
      async (lines, actions) => {
        const site = await fiscalSite()
        const items = lines
          .map(({ price, ...rest }, index) => ({ name: `Item ${index}`, price: decimal(price), ...rest }))
          .filter(({ price, quantity }) => Math.round(kopecks(price) * Number(quantity)) > 0)
        const amount = sumOf(
          items.map(({ price, quantity }) => ({
            amount: decimal(
              Number(
                (BigInt(kopecks(price)) * BigInt(Math.round(Number(quantity) * 1000)) * 2n + 1000n) / 2000n,
              ),
            ),
          })),
        )
        if (amount === 0) return
        const { linkId } = await site.make(
          { amount: { value: decimal(amount) }, receipt: receipt({ items }) },
          { type: 'STATIC' },
        )
        const uids: string[] = []
        const run: Run = {
          site,
          linkId,
          uids,
          model: { payments: [], refunds: new Map(), closings: new Set(), reported: new Map() },
          read: () => Promise.all(uids.map((uid) => site.receiptsOf(uid))),
        }
        run.model.payments[0] = amount
        for (const [name, a, b] of [['pay', 0, 0] as const, ...actions]) {
          await ACTIONS[name]?.(run, a, b)
          await check(run)
        }
        expect(await brokenRules(site)).toEqual([])
      },
    ),
    { numRuns: 15, endOnFailure: true },
  )
})
