// The registries of the fake banks: each line by the numbers that the bank itself has of an operation.
import type { Entry } from '../../../src/settlement/formats/entry.ts'
import { parserOf } from '../../../src/settlement/formats/formats.ts'
import { roubles } from '../../../src/settlement/formats/money.ts'
import type { SettlementBank } from '../../../src/settlement/sources.ts'
import { type Encoding, encode, outcomeOf, streamOf } from './files.ts'
import { raiffeisenLine, raiffeisenRefund, raiffeisenText } from './raiffeisen.ts'
import { type Cells, tbankLine, tbankText } from './tbank.ts'
import { groupText, linkPayment, payLine, payRefund, payText, registryText } from './tochka.ts'

/** An operation at a bank: what its registry prints of it, by the names of the registry's columns. */
export interface Line {
  kind: 'payment' | 'refund'
  /** Kopecks. */
  amount: number
  numbers: Cells
}

const DAY = { date: '20.11.2026', time: '13:00:00' }

const WRITE: Record<SettlementBank, { encoding: Encoding; text: (lines: readonly Line[]) => string }> = {
  tbank: {
    encoding: 'windows-1251',
    text: (lines) =>
      tbankText(
        lines.map(({ kind, amount, numbers }, index) => {
          const [type, sign] = kind === 'payment' ? ['Debit', ''] : ['Credit', '-']
          const sums = { amount: roubles(amount), fee: '0.00', toBePaid: `${sign}${roubles(amount)}` }
          // The connector never learns the network's number.
          const operationId = `A${String(index).padStart(31, '0')}`
          return tbankLine({ number: `${index + 1}`, ...DAY, ...sums, type, operationId, ...numbers })
        }),
      ),
  },
  raiffeisen: {
    encoding: 'windows-1251',
    text(lines) {
      const total = lines.reduce((sum, { kind, amount }) => sum + (kind === 'payment' ? amount : -amount), 0)
      const cells = lines.map(({ kind, amount, numbers }) =>
        (kind === 'payment' ? raiffeisenLine : raiffeisenRefund)({
          ...{ 'Дата операции МСК': `${DAY.date} 13:00`, Сумма: roubles(amount), Комиссия: '0.00' },
          ...numbers,
        }),
      )
      return raiffeisenText(cells, [roubles(total), '0.00'])
    },
  },
  tochka: {
    encoding: 'utf-8',
    text: (lines) =>
      registryText(
        ...lines.map(({ amount, numbers }, index) =>
          groupText(
            { paymentType: '"sbp"', totalAmount: roubles(amount), paymentId: `"${numbers.paymentId}"` },
            [
              linkPayment({
                ...{ amount: roubles(amount), commission: '0.00', enrollmentAmount: roubles(amount) },
                ...{ operationId: `"op-${index}"`, time: '"2026-11-20T13:00:00+03:00"' },
              }),
            ],
          ),
        ),
      ),
  },
  'tochka-pay': {
    encoding: 'utf-8',
    text: (lines) =>
      payText(
        lines.map(({ kind, amount, numbers }) =>
          (kind === 'payment' ? payLine : payRefund)({
            ...{ TRANS_DATE: `${DAY.date} ${DAY.time}`, SUM: roubles(amount).replace('.', ',') },
            // The connector sends none.
            ...{ COMMISSION: '0,00', ORDER_UID: '', ...numbers },
          }),
        ),
      ),
  },
}

/** What the registry of these lines has: an entry of each, in their order. */
export async function entriesOf(bank: SettlementBank, lines: readonly Line[]): Promise<Entry[]> {
  const { encoding, text } = WRITE[bank]
  const parse = parserOf(bank, 'registry', { payoutAccounts: [] })
  const outcome = await outcomeOf(parse, streamOf(encode(text(lines), encoding)))
  if (!('entries' in outcome) || outcome.entries.length !== lines.length)
    throw new Error(`the registry is not read: ${JSON.stringify(outcome)}`)
  return outcome.entries.toSorted((a, b) => a.line - b.line)
}
