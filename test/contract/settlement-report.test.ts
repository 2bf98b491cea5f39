// The report of settlement: its columns, what the bank does not state, and texts that no spreadsheet runs.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { escapeFormula } from '../../src/contract/csv.ts'
import type { SettlementReportRow } from '../../src/contract/settlement.ts'
import {
  API_WORDS,
  REPORT_COLUMNS,
  type ReportColumn,
  reportCells,
  settlementHead,
  settlementLine,
} from '../../src/contract/settlement-report.ts'

const ROW: SettlementReportRow = {
  ...{ entryUid: 'e', kind: 'payment', state: 'MATCHED', gross: 100_00, fee: -70, net: 99_30 },
  ...{ currency: 'RUB', operatedAt: Date.parse('2026-11-20T06:05:30Z') / 1000, paidOn: '2026-11-21' },
  ...{ bankIds: { paymentId: '7', order: 'tea-1' }, line: 2, settlementUid: 'november', differences: [] },
  ...{
    paymentUid: 'p-1',
    qrCodeUid: 'order-1',
    documentNumber: 'order-1',
    purpose: 'Чай',
    bank: 'tbank',
    format: 'registry',
  },
}

const cell = (row: Partial<SettlementReportRow>, column: ReportColumn) =>
  reportCells({ ...ROW, ...row }, API_WORDS)[REPORT_COLUMNS.indexOf(column)]

it('has an operation a line', () => {
  expect(settlementHead()).toBe(
    `kind,state,operatedAt,paidOn,gross,fee,feeVat,feeVatSeparate,net,currency,documentNumber,purpose,differences,\
paymentUid,refundUid,qrCodeUid,bank,format,paymentId,refundId,operationId,qrcId,order,settlementUid,line\r\n`,
  )
  expect(settlementLine(ROW, '+03:00')).toBe(
    `payment,MATCHED,2026-11-20T09:05:30+03:00,2026-11-21,100.00,-0.70,,,99.30,RUB,order-1,Чай,,\
p-1,,order-1,tbank,registry,7,,,,tea-1,november,2\r\n`,
  )
})

it.each([
  ['gross', { gross: undefined }, undefined],
  ['feeVat', { feeVat: 0 }, { minorUnits: 0 }],
  ['feeVatSeparate', { feeVatSeparate: -15 }, { minorUnits: -15 }],
  ['documentNumber', { documentNumber: 'sale-7' }, { text: 'sale-7' }],
  ['documentNumber', { documentNumber: undefined }, undefined],
  ['paidOn', { paidOn: undefined }, undefined],
  ['state', { state: undefined }, undefined],
  [
    'differences',
    { differences: [{ field: 'amount', ours: 1000, theirs: -950 }] },
    { text: 'amount: ours 10.00, theirs -9.50' },
  ],
  [
    'differences',
    { differences: [{ field: 'day', ours: '2026-11-20', theirs: '2026-11-23' }] },
    { text: 'day: ours 2026-11-20, theirs 2026-11-23' },
  ],
] as const)('%s of %j is %j', (column, row, wanted) => expect(cell(row, column)).toEqual(wanted))

it('a text of a merchant or a bank is never a formula', () =>
  fc.assert(
    fc.property(
      fc.constantFrom('purpose', 'documentNumber', 'paymentUid', 'refundUid', 'qrCodeUid', 'settlementUid'),
      fc.constantFrom('order', 'paymentId', 'refundId', 'operationId', 'qrcId'),
      fc.string({ minLength: 1 }),
      fc.constantFrom('=', '+', '-', '@', '\t', '\r'),
      (field, id, rest, sign) => {
        const value = sign + rest
        const row = { [field]: value, bankIds: { [id]: value } }
        const wanted = { text: escapeFormula(value) }
        expect(wanted.text.startsWith("'")).toBe(true)
        expect([cell(row, field), cell(row, id)]).toEqual([wanted, wanted])
      },
    ),
  ))
