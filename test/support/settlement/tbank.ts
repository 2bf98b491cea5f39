// T-Bank's registry, with invented values.
import { startOf } from '../../../src/settlement/formats/dates.ts'

/** The columns by the bank's numbers; 13.1 is left out where the file has none. */
export const TBANK_COLUMNS = [
  ...['number', 'payer', 'system', 'order', 'date', 'time', 'zone', 'operationId', 'terminal'],
  ...['processedOn', 'paidOn', 'amount', 'fee', 'fiscalFee', 'toBePaid', 'type', 'rrn', 'paymentId'],
  ...['terminalName', 'region', 'data', 'description'],
]

export type Cells = Record<string, string>

/** A payment by a QR code; what is given replaces its cells. */
export const tbankLine = (cells: Cells): Cells => ({
  ...{ number: '1', payer: '+7(903)XXX-XX-11', system: 'SBP', order: 'tea-1', date: '20.11.2026' },
  ...{ time: '09:05:30', zone: 'MSK', operationId: 'A63250605301234567890000011C0101' },
  ...{ terminal: '25001234', processedOn: '20.11.2026', paidOn: '21.11.2026', amount: '100.00', fee: '0.70' },
  ...{ fiscalFee: '0.00', toBePaid: '99.30', type: 'Debit', rrn: '', paymentId: '700000001' },
  ...{ terminalName: 'TeaShop', region: '', data: 'qr:yes', description: 'Чай «Ассам», 1 шт.' },
  ...cells,
})

/** A payment with a card. */
export const tbankCard = (cells: Cells): Cells =>
  tbankLine({
    ...{ payer: '1234 56** **** 7890', system: 'Mir', operationId: '123456', rrn: '632512345678' },
    ...{ region: 'Dom', ...cells },
  })

/** @param extra lines before and behind those of the operations */
export function tbankText(
  lines: readonly Cells[],
  { hasFiscalFee = false, header = '', total = '' } = {},
): string {
  const names = TBANK_COLUMNS.filter((name) => hasFiscalFee || name !== 'fiscalFee')
  const rows = lines.map((cells) => names.map((name) => cells[name] ?? '').join(';'))
  return [header, ...rows, total]
    .filter((line) => line !== '')
    .map((line) => `${line}\r\n`)
    .join('')
}

/** Unix seconds of a time in Moscow. */
export const moscow = (day: string, time = '00:00:00'): number => {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return startOf(day) + hours * 3600 + minutes * 60 + seconds
}
