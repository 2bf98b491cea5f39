import { describe, expect, it } from 'vitest'
import { timesOf } from '../../src/contract/days.ts'
import {
  daysProblem,
  PaymentsReportQuery,
  type ReportRow,
  reportHead,
  reportLine,
} from '../../src/contract/payments-report.ts'

const ROW: ReportRow = {
  type: 'PAYMENT',
  at: Date.UTC(2026, 10, 20, 17, 10, 32) / 1000,
  bankAt: Date.UTC(2026, 10, 20, 17, 10, 30) / 1000,
  amount: { minorUnits: 1050, currency: 'RUB' },
  paymentUid: 'A6',
  qrCodeUid: 'order-1',
  applied: true,
}
const csv = (more: Partial<ReportRow>) => reportLine({ ...ROW, ...more }, 'text/csv', '+03:00')

describe('a line of CSV', () => {
  it('has the columns of the head', () => {
    expect(reportHead('text/csv')).toBe(
      'type,dateTime,bankDateTime,amount,currency,paymentUid,refundUid,qrCodeUid,saleUid,applied,payerBank,networkUid,paymentPurpose,receiptNumber,receiptDateTime,fn,fd,fpd,method\r\n',
    )
    expect(csv({})).toBe(
      'PAYMENT,2026-11-20T20:10:32+03:00,2026-11-20T20:10:30+03:00,10.50,RUB,A6,,order-1,,true,,,,,,,,,\r\n',
    )
  })

  it('of a refund has a negative amount, which is a number and stays one', () => {
    const refund = { type: 'REFUND', bankAt: undefined, refundUid: 'r' } as const
    expect(csv(refund)).toBe('REFUND,2026-11-20T20:10:32+03:00,,-10.50,RUB,A6,r,order-1,,true,,,,,,,,,\r\n')
  })

  it('has what the cash register states of the receipt', () => {
    const at = Date.UTC(2026, 10, 20, 17, 11) / 1000
    const fiscal = { number: '7', dateTime: at, fn: '9999078900000017', fd: '4172', fpd: '2915480733' }
    const receipt = {
      receiptUid: 'R',
      state: 'REGISTERED',
      fiscal: { ...fiscal, shift: '1', url: 'u' },
    } as const
    const cells = '7,2026-11-20T20:11:00+03:00,9999078900000017,4172,2915480733'
    expect(csv({ receipt })).toBe(csv({}).replace(',,,,,\r\n', `${cells},\r\n`))
    expect(csv({ receipt: { receiptUid: 'R', state: 'SENT' } })).toBe(csv({}))
    expect(JSON.parse(reportLine({ ...ROW, receipt }, 'application/x-ndjson', '+03:00'))).toMatchObject({
      ...{ receiptNumber: '7', receiptDateTime: '2026-11-20T20:11:00+03:00' },
      ...{ fn: '9999078900000017', fd: '4172', fpd: '2915480733' },
    })
  })

  it.each(['sbp', 'digitalRouble', 'other'] as const)('has the method %s in its last column', (method) => {
    expect(csv({ method })).toBe(csv({}).replace('\r\n', `${method}\r\n`))
    const json = JSON.parse(reportLine({ ...ROW, method }, 'application/x-ndjson', '+03:00'))
    expect(Object.entries(json).at(-1)).toEqual(['method', method])
  })

  it.each([
    ['=1+1', "'=1+1"],
    ['+7 999', "'+7 999"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', `"'\t'=1"`],
    ['＝1', "'＝1"],
    ['=HYPERLINK("http://evil.example","x")', `"'=HYPERLINK(""http://evil.example"",""x"")"`],
    ['1=1', '1=1'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['Две кружки', 'Две кружки'],
  ])('a purpose %j is the cell %s', (paymentPurpose, cell) =>
    expect(csv({ paymentPurpose })).toBe(
      csv({ paymentPurpose: undefined }).replace(',,,,,,\r\n', `${cell},,,,,,\r\n`),
    ),
  )

  it('every text of others is harmless', () => {
    const uids = { paymentUid: '-p', refundUid: '-r', qrCodeUid: '=q', saleUid: '-s' }
    const texts = { ...uids, payerBank: '@b', networkUid: '+n' }
    expect(csv(texts).split(',').slice(5)).toEqual([
      ...[`'-p`, `'-r`, `'=q`, `'-s`],
      ...['true', `'@b`, `'+n`, '', '', '', '', '', '', '\r\n'],
    ])
  })
})

it('a line of NDJSON has the same facts, without the apostrophe', () => {
  expect(reportHead('application/x-ndjson')).toBe('')
  expect(JSON.parse(reportLine({ ...ROW, paymentPurpose: '=1' }, 'application/x-ndjson', '+03:00'))).toEqual({
    type: 'PAYMENT',
    dateTime: '2026-11-20T20:10:32+03:00',
    bankDateTime: '2026-11-20T20:10:30+03:00',
    amount: '10.50',
    currency: 'RUB',
    paymentUid: 'A6',
    qrCodeUid: 'order-1',
    applied: true,
    paymentPurpose: '=1',
  })
})

describe('the days', () => {
  it.each([
    ['+03:00', '2026-11-19T21:00:00Z', '2026-11-20T21:00:00Z'],
    ['-09:30', '2026-11-20T09:30:00Z', '2026-11-21T09:30:00Z'],
    ['+00:00', '2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z'],
  ])('are those of the offset %s', (offset, since, until) => {
    const query = PaymentsReportQuery.parse({ from: '2026-11-20', to: '2026-11-20' })
    expect(timesOf(query, offset)).toEqual({
      since: Date.parse(since) / 1000,
      until: Date.parse(until) / 1000,
    })
  })

  it.each([
    ['2026-11-01', '2026-12-01', undefined],
    ['2026-11-01', '2026-12-02', 'is 32 days with from, must be at most 31'],
    ['2026-11-02', '2026-11-01', 'is before from, must be the same day or a later one'],
  ])('from %s to %s: %s', (from, to, problem) =>
    expect(daysProblem(PaymentsReportQuery.parse({ from, to }))).toBe(problem),
  )

  it.each(['2026-02-30', '2026-13-01', '2026-1-1', '20261101', '2026-11-01T00:00:00Z', '', '0x1'])(
    '%j is none',
    (from) => expect(PaymentsReportQuery.safeParse({ from, to: '2026-11-01' }).success).toBe(false),
  )
})
