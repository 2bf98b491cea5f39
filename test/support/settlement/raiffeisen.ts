// Raiffeisenbank's registry, with invented values.
import type { Cells } from './tbank.ts'

export const RAIFFEISEN_COLUMNS = [
  ...['Мерчант', 'Дата операции МСК', 'Тип', 'id заказа', 'id возврата', 'Комментарий'],
  ...['Способ оплаты', 'Данные оплаты', 'id клиента', 'Сумма', 'Комиссия', 'Дополнительные поля'],
]

export const QRC_ID = 'AD10006M8KH234K782OQM0L13JI31LQD'

/** A payment by a QR code; what is given replaces its cells. */
export const raiffeisenLine = (cells: Cells = {}): Cells => ({
  ...{
    Мерчант: 'MA0000001234',
    'Дата операции МСК': '20.11.2026 9:05',
    Тип: 'Payment',
    'id заказа': 'tea-1',
  },
  ...{ 'id возврата': '', Комментарий: 'Чай', 'Способ оплаты': 'Instant Payment QR' },
  ...{ 'Данные оплаты': QRC_ID, 'id клиента': '0079******12', Сумма: '100.00', Комиссия: '0.40' },
  ...{ 'Дополнительные поля': '', ...cells },
})

export const raiffeisenRefund = (cells: Cells = {}): Cells =>
  raiffeisenLine({ Тип: 'Refund', 'id возврата': 'refund-1', Сумма: '30.00', Комиссия: '0.00', ...cells })

const FROM_TO = 'from 01/11/2026 to 30/11/2026'

/** @param totals the last line; `width` of all lines */
export function raiffeisenText(
  lines: readonly Cells[],
  totals: readonly [string, string],
  { period = FROM_TO, report = 'Instant Payments C2B', header = RAIFFEISEN_COLUMNS, width = 12 } = {},
): string {
  const title = `${report} Transactions report ${period} / Отчет по СБП`
  const rows = lines.map((cells) => header.map((name) => cells[name] ?? ''))
  const total = header.map(
    (name) => ({ Мерчант: 'ИТОГО', Сумма: totals[0], Комиссия: totals[1] })[name] ?? '',
  )
  return [[title], [], header, ...rows, total]
    .map(
      (cells) =>
        `${[...cells, ...Array(width).fill('')].slice(0, Math.max(width, cells.length)).join(';')}\n`,
    )
    .join('')
}
