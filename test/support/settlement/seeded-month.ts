// A site with some payments, and T-Bank's registry of them with three faults: for tests of what people see.
import { moscowDay } from '../../../src/settlement/formats/dates.ts'
import { roubles } from '../../../src/settlement/formats/money.ts'
import type { SiteClient } from '../client.ts'
import { encode } from './files.ts'
import { type Cells, tbankCard, tbankLine, tbankText } from './tbank.ts'

/** Amounts in kopecks, as the registry has them; one of MISMATCHED is another one than ours. */
export const SEEDED = {
  /** Of the payments that the registry has. */
  gross: 100_00 + 250_50 + 310_00 + 75_25 + 990_00,
  refunded: -50_00,
  fee: -(70 + 175 + 217 + 53 + 693),
  operations: 6,
  expected: { order: 'order-1005', amount: 640_00 },
  mismatched: { order: 'order-1003', ours: 300_00, theirs: 310_00 },
  unknown: { paymentId: '700000099', amount: 990_00 },
} as const

/** The purpose of the first payment, which no spreadsheet may run. */
export const FORMULA = '=HYPERLINK("http://evil.example";"Чай")'

/** Our payments: their orders, amounts in kopecks, and fees. */
const OURS = [
  ['order-1001', 100_00, 70],
  ['order-1002', 250_50, 175],
  ['order-1003', 300_00, 217],
  ['order-1004', 75_25, 53],
  ['order-1005', 640_00, 448],
] as const

export interface SeededMonth {
  /** The month of the payments, in Moscow: `2026-11`. */
  month: string
  /** The registry, with the faults. */
  file: Uint8Array<ArrayBuffer>
  /** paymentUids by their orders. */
  payments: Readonly<Record<string, string>>
}

/** Makes the payments and the refund, now; the registry has them by T-Bank's numbers. */
export async function seededMonth(
  site: Pick<SiteClient, 'make' | 'report' | 'reportRefund'>,
  now = Date.now(),
): Promise<SeededMonth> {
  const payments: Record<string, string> = {}
  for (const [index, [order, kopecks]] of OURS.entries()) {
    const amount = { value: kopecks / 100 }
    const paymentPurpose = index === 0 ? FORMULA : `Заказ ${order}`
    const { linkId } = await site.make({ qrCodeUid: order, amount, paymentPurpose })
    payments[order] = crypto.randomUUID()
    await good(
      await site.report(linkId, payments[order], { amount, networkUid: paymentIdOf(index), bank: 'tbank' }),
    )
  }
  const refunded = { status: 'COMPLETED', amount: { value: 50, currency: 'RUB' } }
  await good(await site.reportRefund(payments['order-1002'] ?? '', crypto.randomUUID(), refunded))
  const seconds = Math.floor(now / 1000)
  const month = moscowDay(seconds).slice(0, 7)
  return { month, payments, file: new Uint8Array(encode(tbankText(linesAt(seconds)), 'windows-1251')) }
}

const paymentIdOf = (index: number): string => `70000000${index}`

/** What the bank has: another amount of one, one that is not ours, and not the last of ours. */
function linesAt(seconds: number): Cells[] {
  const [year, month, date] = moscowDay(seconds).split('-')
  const day = `${date}.${month}.${year}`
  const time = new Date((seconds + 3 * 3600) * 1000).toISOString().slice(11, 19)
  const dated = { date: day, time, processedOn: day, paidOn: day }
  const payment = (paymentId: string, order: string, kopecks: number, fee: number) =>
    tbankLine({
      ...dated,
      ...{ order, paymentId, operationId: `A${paymentId.padStart(31, '0')}` },
      ...{ amount: roubles(kopecks), fee: roubles(fee), toBePaid: roubles(kopecks - fee) },
    })
  const listed = OURS.slice(0, -1).map(([order, kopecks, fee], index) =>
    payment(paymentIdOf(index), order, index === 2 ? SEEDED.mismatched.theirs : kopecks, fee),
  )
  const refund = tbankLine({
    ...dated,
    ...{ order: 'order-1002', paymentId: paymentIdOf(1), operationId: 'B0000000000000000000000000000001' },
    ...{ amount: '50.00', fee: '0.00', toBePaid: '-50.00', type: 'Credit' },
  })
  const unknown = payment(SEEDED.unknown.paymentId, 'by-hand', SEEDED.unknown.amount, 693)
  const card = tbankCard({ ...dated, paymentId: '700000077', amount: '10.00', fee: '0.20', toBePaid: '9.80' })
  return [...listed, refund, unknown, card].map((cells, index) => ({ ...cells, number: `${index + 1}` }))
}

async function good(response: Response): Promise<void> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}
