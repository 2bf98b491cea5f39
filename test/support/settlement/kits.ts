// How each bank writes an operation, and what a parser must make of it: for tests that change files.
import { moscowDay, startOf } from '../../../src/settlement/formats/dates.ts'
import type { Entry, Parse } from '../../../src/settlement/formats/entry.ts'
import { parserOf } from '../../../src/settlement/formats/formats.ts'
import { roubles } from '../../../src/settlement/formats/money.ts'
import { type Encoding, raw } from './files.ts'
import { raiffeisenLine, raiffeisenRefund, raiffeisenText } from './raiffeisen.ts'
import { account, credit, debit, paid, refunded, statementText } from './statement.ts'
import { type Cells, tbankCard, tbankLine, tbankText } from './tbank.ts'
import { groupText, linkPayment, payLine, payRefund, payText, registryText } from './tochka.ts'

/** An operation; amounts are kopecks above 0. */
export interface Operation {
  kind: 'payment' | 'refund'
  gross: number
  /** 0 of a refund. */
  fee: number
  /** Seconds since the beginning of November 2026 in Moscow. */
  at: number
  /** Its number. */
  id: number
  order: string
  /** Of a card, or none of ours. */
  isOther: boolean
}

export interface Row {
  operation: Operation
  /** Its number in the file. */
  number: number
  /** What its cells have instead. */
  cells: Cells
}

export interface Kit {
  name: string
  parse: Parse
  encoding: Encoding
  /** @param more kopecks that are in the total and in no line */
  text: (rows: readonly Row[], more: number) => string
  /** Where a fault of a cell is. */
  place: (rows: readonly Row[], index: number, column: string) => string
  /** Where a fault of the total is; undefined where the file has none. */
  total?: (rows: readonly Row[]) => string
  entry: (operation: Operation, line: number) => Partial<Entry>
  line: (index: number) => number
  /** Cells that break the rule of their column. */
  broken: Record<string, readonly string[]>
  /** A cell without a rule of its own, in quotes if it can be. */
  quoted?: (operation: Operation) => Cells
  /** The column that must not have the same value twice. */
  once: (row: Row) => string | undefined
  /** Whether numbers of lines grow. */
  isNumbered: boolean
}

const START = startOf('2026-11-01')
const pad = (number: number, length = 2): string => String(number).padStart(length, '0')
const parts = ({ at }: Operation) => {
  const [year, month, date] = moscowDay(START + at).split('-')
  const [hours, minutes, seconds] = [Math.floor(at / 3600) % 24, Math.floor(at / 60) % 60, at % 60]
  const time = `${pad(hours)}:${pad(minutes)}:${pad(seconds)}`
  return {
    day: `${date}.${month}.${year}`,
    iso: `${year}-${month}-${date}`,
    slashed: `${date}/${month}/26`,
    time,
    hours,
    minutes,
  }
}
const comma = (kopecks: number): string => roubles(kopecks).replace('.', ',')
const signed = ({ kind, gross }: Operation): number => (kind === 'payment' ? gross : -gross)
const sum = (rows: readonly Row[], of: (operation: Operation) => number): number =>
  rows.reduce((all, { operation }) => all + of(operation), 0)

/** Text in UTF-8, in a file of windows-1251. */
const UTF_8 = raw(0xd0, 0x9f)
const NO_UTF_8 = raw(0xcf)
const options = { payoutAccounts: [] }

const tbankCells = ({ operation, number, cells }: Row): Cells => {
  const { kind, gross, fee, id, order, isOther } = operation
  const { day, time } = parts(operation)
  const line = isOther ? tbankCard : tbankLine
  const toBePaid = signed(operation) - fee
  return line({
    ...{ number: `${number}`, date: day, time, amount: roubles(gross), fee: roubles(fee), order },
    ...{ toBePaid: roubles(toBePaid), type: kind === 'payment' ? 'Debit' : 'Credit', paymentId: `${id}` },
    ...(!isOther && { operationId: `A${pad(id, 31)}` }),
    ...cells,
  })
}

const TBANK: Kit = {
  name: 'T-Bank',
  parse: parserOf('tbank', 'registry', options),
  encoding: 'windows-1251',
  text: (rows) => tbankText(rows.map(tbankCells)),
  line: (index) => index + 1,
  place: (_, index, column) => `lines[${index + 1}].${column}`,
  entry: (operation, line) => ({
    ...{ kind: operation.kind, type: operation.kind === 'payment' ? 'Debit' : 'Credit', line },
    ...{ gross: signed(operation), fee: 0 - operation.fee, net: signed(operation) - operation.fee },
    ...{ operatedAt: START + operation.at, hasTime: true, paidOn: '2026-11-21', terminal: '25001234' },
    bankIds: {
      ...{ paymentId: `${operation.id}`, operationId: `A${pad(operation.id, 31)}` },
      order: operation.order,
    },
  }),
  broken: {
    amount: ['=1', '1.234', '1,00', '"1.00', ''],
    fee: ['0.7', "'0.70", '=A1'],
    toBePaid: ['1000000000.00'],
    date: ['31.11.2026'],
    paidOn: ['2026-11-21'],
    type: ['Payment'],
    description: [UTF_8],
    data: [raw(0)],
    zone: ['=MSK'],
    terminal: ['"25'],
  },
  quoted: ({ order }) => ({ order: `"${order}"`, description: '"a;""b"""' }),
  once: () => undefined,
  isNumbered: true,
}

const RAIFFEISEN: Kit = {
  name: 'Raiffeisenbank',
  parse: parserOf('raiffeisen', 'registry', options),
  encoding: 'windows-1251',
  text: (rows, more) =>
    raiffeisenText(
      rows.map(({ operation, cells }) => {
        const { kind, gross, fee, id, order, isOther } = operation
        const { day, hours, minutes } = parts(operation)
        const line = kind === 'payment' ? raiffeisenLine : raiffeisenRefund
        return line({
          ...{
            'Дата операции МСК': `${day} ${hours}:${pad(minutes)}`,
            'id заказа': order,
            Сумма: roubles(gross),
          },
          ...{ Комиссия: roubles(fee), ...(kind === 'refund' && { 'id возврата': `refund-${id}` }) },
          ...(isOther && { 'Способ оплаты': 'VISA', 'Данные оплаты': '291123|034411234532' }),
          ...cells,
        })
      }),
      [roubles(sum(rows, signed) + more), roubles(sum(rows, ({ fee }) => fee))],
    ),
  line: (index) => index + 4,
  place: (_, index, column) => `lines[${index + 4}].${column}`,
  total: (rows) => `lines[${rows.length + 4}].Сумма`,
  entry: (operation, line) => ({
    ...{ kind: operation.kind, type: operation.kind === 'payment' ? 'Payment' : 'Refund', line },
    ...{
      gross: signed(operation),
      fee: 0 - operation.fee,
      operatedAt: START + operation.at - (operation.at % 60),
    },
    ...{ hasTime: true, merchant: 'MA0000001234' },
    bankIds: {
      ...{ order: operation.order, qrcId: 'AD10006M8KH234K782OQM0L13JI31LQD' },
      ...(operation.kind === 'refund' && { refundId: `refund-${operation.id}` }),
    },
  }),
  broken: {
    Сумма: ['=1', '1.234', '1 000.00', '"1.00', '', '100'],
    Комиссия: ['0,40'],
    Тип: ['Платёж'],
    'Дата операции МСК': ['31.11.2026 0:00'],
    Мерчант: ['=MA1'],
    Комментарий: [UTF_8],
    'id клиента': [raw(0)],
  },
  quoted: ({ order }) => ({ 'id заказа': `"${order}"`, Комментарий: '"a;""b"""' }),
  once: ({ operation: { kind, isOther } }) => (kind === 'refund' && !isOther ? 'id возврата' : undefined),
  isNumbered: false,
}

const PAY: Kit = {
  name: 'Pay Gateway',
  parse: parserOf('tochka-pay', 'registry', options),
  encoding: 'utf-8',
  text: (rows) =>
    payText(
      rows.map(({ operation, cells }) => {
        const { kind, gross, fee, id, order, isOther } = operation
        const { day, time } = parts(operation)
        const line = kind === 'payment' ? payLine : payRefund
        return line({
          ...{
            TRANS_DATE: `${day} ${time}`,
            TRANSACTION_ID: `id-${id}`,
            SUM: comma(gross),
            ORDER_UID: order,
          },
          ...{ COMMISSION: comma(fee), ITV_COMMISSION: '', COMMISSION_NDS: '', ITV_COMMISSION_NDS: '' },
          ...(isOther && { PAYMENT_METHOD_TYPE: 'CARD' }),
          ...cells,
        })
      }),
    ),
  line: (index) => index + 2,
  place: (_, index, column) => `lines[${index + 2}].${column}`,
  entry: (operation, line) => ({
    ...{ kind: operation.kind, type: operation.kind === 'payment' ? 'PAYMENT' : 'REFUND', line },
    ...{ gross: signed(operation), fee: 0 - operation.fee, operatedAt: START + operation.at, hasTime: true },
    ...{ merchant: 'tea', terminal: 'tea-1' },
    bankIds: {
      ...{ order: operation.order, qrcId: 'AD10006M8KH234K782OQM0L13JI31LQD' },
      ...(operation.kind === 'payment'
        ? { paymentId: `id-${operation.id}` }
        : { paymentId: 'pay-1', refundId: `id-${operation.id}` }),
    },
  }),
  broken: {
    SUM: ['=1', '1,234', '1.00', '"1,00', ''],
    COMMISSION: ['0.70'],
    TRANS_DATE: ['30/11/2026'],
    TRANSACTION_TYPE: ['Payment'],
    TRANSACTION_ID: ['=1'],
    MERCHANT_SITE_NAME: [NO_UTF_8],
    USER_INFO: [raw(0)],
  },
  quoted: ({ order }) => ({ ORDER_UID: `"${order}"`, USER_INFO: '"a;""b"""' }),
  once: ({ operation }) => (operation.isOther ? undefined : 'TRANSACTION_ID'),
  isNumbered: false,
}

const TOCHKA: Kit = {
  name: 'Tochka',
  parse: parserOf('tochka', 'registry', options),
  encoding: 'utf-8',
  text: (rows, more) => {
    const payments = rows.map(({ operation, cells }) => {
      const { iso, time } = parts(operation)
      const amount = signed(operation)
      return linkPayment({
        ...{
          amount: roubles(amount),
          commission: roubles(operation.fee),
          operationId: `"op-${operation.id}"`,
        },
        ...{ enrollmentAmount: roubles(amount - operation.fee), time: `"${iso}T${time}+03:00"` },
        ...{ number: JSON.stringify(operation.order), ...cells },
      })
    })
    return registryText(
      groupText(
        { paymentType: '"sbp"', totalAmount: roubles(sum(rows, signed) + more), paymentId: undefined },
        payments,
      ),
    )
  },
  line: (index) => index + 1,
  place: (_, index, column) => `Data.Registry[0].payments[${index}].${column}`,
  total: () => 'Data.Registry[0].totalAmount',
  entry: (operation, line) => ({
    ...{ kind: operation.kind, type: operation.kind, line, gross: signed(operation), fee: 0 - operation.fee },
    ...{ net: signed(operation) - operation.fee, operatedAt: START + operation.at, hasTime: true },
    bankIds: { paymentId: `op-${operation.id}`, order: operation.order },
  }),
  broken: {
    amount: ['"=1"', '1.234', '1e2', '"1.00"', '""', '[]'],
    commission: ['0.701'],
    time: ['"2026-11-31T00:00:00Z"'],
    enrollmentAmount: ['1000000000.00'],
    operationId: ['"=1"'],
    purpose: [`"${NO_UTF_8}"`],
    paymentLink: ['"\\u0000"'],
  },
  once: ({ operation: { kind } }) => (kind === 'payment' ? 'operationId' : undefined),
  isNumbered: false,
}

const statementFields = ({ operation, cells }: Row): Cells => {
  const { kind, gross, id, isOther } = operation
  const side = kind === 'payment' ? credit : debit
  const purpose = kind === 'payment' ? paid : refunded
  return side({
    ...{ Сумма: roubles(gross), НазначениеПлатежа: purpose(`${id}`, parts(operation).slashed) },
    ...(isOther && { НазначениеПлатежа: 'Аренда' }),
    ...cells,
  })
}
/** Lines before the first document, and of each of them. */
const [HEAD, DOCUMENT] = [13, 12]

const STATEMENT: Kit = {
  name: '1C',
  parse: parserOf('raiffeisen', 'statement', options),
  encoding: 'windows-1251',
  text: (rows, more) => {
    const of = (kind: Operation['kind']) =>
      sum(
        rows.filter(({ operation }) => operation.kind === kind),
        ({ gross }) => gross,
      )
    const turnovers = { ВсегоПоступило: roubles(of('payment') + more), ВсегоСписано: roubles(of('refund')) }
    return statementText(rows.map(statementFields), { accounts: [account(turnovers)] })
  },
  line: (index) => HEAD + 1 + index * DOCUMENT,
  place: (rows, index, column) => {
    const row = rows[index]
    const at = row ? Object.keys(statementFields(row)).indexOf(column) : -1
    return `lines[${HEAD + 1 + index * DOCUMENT + at + 1}].${column}`
  },
  total: () => 'lines[11].ВсегоПоступило',
  entry: (operation, line) => ({
    ...{ kind: operation.kind, type: operation.kind === 'payment' ? 'IPS' : 'RTRN', line },
    ...{ gross: signed(operation), operatedAt: startOf(parts(operation).iso), hasTime: false },
    ...{ paidOn: '2026-11-21', merchant: 'MA0000000279' },
    bankIds: { operationId: `${operation.id}`, qrcId: 'AD1000123456E7UG9FTRSF7GLJ3T6H0S' },
  }),
  broken: {
    Сумма: ['=1', '1.234', '1,00', '"1.00', ''],
    Дата: [UTF_8],
    Номер: [raw(0)],
  },
  once: () => undefined,
  isNumbered: false,
}

export const KITS: readonly Kit[] = [TBANK, RAIFFEISEN, PAY, TOCHKA, STATEMENT]
