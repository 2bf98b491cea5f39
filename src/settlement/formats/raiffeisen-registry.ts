// Raiffeisenbank's registry of operations: windows-1251, `;`, a title, a header, operations, and a line of totals.
import { type Columns, cellsOf, columnsIn, Row } from './csv.ts'
import { dayIn, russianDay, secondsIn, startOf } from './dates.ts'
import type { Bytes, Entry, Summary } from './entry.ts'
import { type LineFormat, type Reading, read } from './read.ts'
import { refundOf } from './refund.ts'
import { Totals } from './totals.ts'
import { Ways } from './ways.ts'

const ENCODING = 'windows-1251'

export const raiffeisenRegistry = (bytes: Bytes): AsyncGenerator<Entry[], Summary> =>
  read(bytes, { kind: 'raiffeisen', encoding: ENCODING }, (reading) => new RaiffeisenRegistry(reading))

const NAMES = [
  ...['Мерчант', 'Дата операции МСК', 'Тип', 'id заказа', 'id возврата', 'Комментарий'],
  ...['Способ оплаты', 'Данные оплаты', 'id клиента', 'Сумма', 'Комиссия', 'Дополнительные поля'],
] as const
type Name = (typeof NAMES)[number]

/** The types of payments, and of transfers to people, which are another product. Those of refunds are not said. */
const PAYMENT = 'Payment'
const PAYOUT = 'Payout'
const OURS = 'Instant Payment QR'

const TITLE =
  /^(?:Instant Payments C2B|Instant Payments B2C|Acquiring) Transactions report (?:for (\d\d\/\d\d\/\d{4})|from (\d\d\/\d\d\/\d{4}) to (\d\d\/\d\d\/\d{4})) \//

class RaiffeisenRegistry implements LineFormat {
  readonly #reading: Reading
  readonly #ways = new Ways()
  readonly #totals = new Totals<Name>()
  #period: { from: string; to: string } | undefined
  #columns: Columns<Name> | undefined
  #width = 0
  #refundType: string | undefined
  #hasTotal = false
  #lines = 0

  constructor(reading: Reading) {
    this.#reading = reading
  }

  line(text: string, line: number): void {
    const { faults } = this.#reading
    this.#lines = line
    const cells = cellsOf(text)
    if (line === 1) this.#title(cells)
    else if (line === 2) {
      if (cells.some((cell) => cell !== '')) faults.add('lines[2]', 'is not empty, must be empty')
    } else if (this.#columns === undefined) {
      this.#width = cells.length
      this.#columns = columnsIn(cells, { names: NAMES, line, faults })
    } else if (this.#hasTotal) faults.add(`lines[${line}]`, 'follows ИТОГО, must be absent')
    else if (cells.length !== this.#width)
      faults.add(`lines[${line}]`, `has ${cells.length} cells, must have ${this.#width}`)
    else this.#row(line, cells, this.#columns)
  }

  #row(line: number, cells: readonly string[], columns: Columns<Name>): void {
    const { faults } = this.#reading
    const row = new Row(line, cells, columns, faults)
    row.checkCharacters(ENCODING)
    if (row.cell('Мерчант') !== 'ИТОГО') this.#operation(row)
    else this.#total(new Row(line, cells.map(withoutSpaces), columns, faults))
  }

  end(): void {
    if (!this.#hasTotal)
      this.#reading.faults.add(
        `lines[${this.#lines}]`,
        'is the last line, must be ИТОГО: the file is cut off',
      )
  }

  #title([title = '', ...rest]: readonly string[]): void {
    const [, day, first, last] = TITLE.exec(title) ?? []
    const [from, to] = [first ?? day, last ?? day].map((text = '') => slashedDay(text))
    if (!from || !to || from > to || rest.some((cell) => cell !== ''))
      this.#reading.faults.stop('lines[1]', 'is not the title of a report of one or more days')
    this.#period = { from, to }
    this.#reading.tally.cover(from)
    this.#reading.tally.cover(to)
  }

  #operation(row: Row<Name>): void {
    const { tally } = this.#reading
    const merchant = row.text(
      'Мерчант',
      /^(?:MA[0-9A-Z]{1,18}|\d{1,20})$/,
      'must be the number of a merchant',
    )
    const operatedAt = this.#time(row)
    const type = row.text('Тип', /^[A-Z][A-Za-z ]{0,31}$/, 'must be a type such as Payment')
    const method = row.text(
      'Способ оплаты',
      /^(?:Instant Payment QR|Instant Payment|[A-Z]{2,20})$/,
      `must be ${OURS} or the name of a card system`,
    )
    const data = row.cell('Данные оплаты')
    const isOurs = method === OURS && type !== PAYOUT && !CARD_DATA.test(data)
    const qrcId = isOurs ? row.text('Данные оплаты', QRC_ID, 'must be the id of a QR code') : data
    const form = type === PAYOUT ? 'point or whole' : 'point'
    const amount = row.kopecks('Сумма', form)
    const stated = row.kopecks('Комиссия', form)
    const order = row.short('id заказа') || undefined
    const refundId = row.cell('id возврата')
    const isRefund = this.#isRefund(row, type, refundId)
    if (row.isFaulty || operatedAt === undefined) return
    this.#totals.add('Сумма', amount, isRefund ? 0 - Math.abs(amount) : amount)
    this.#totals.add('Комиссия', stated, stated)
    if (!isOurs) {
      tally.skip()
      return
    }
    const sums = refundOf(row, { amount: 'Сумма', fee: 'Комиссия' }, { amount, stated, isRefund }, this.#ways)
    if (row.isFaulty) return
    const bankIds = { ...(isRefund && { refundId }), order, qrcId }
    const kind = isRefund ? ('refund' as const) : ('payment' as const)
    const entry = {
      ...{ kind, type, line: row.line, ...sums, operatedAt, hasTime: true, merchant, bankIds },
    }
    if (isRefund) tally.addNamed(entry, ['refund', refundId], row.place('id возврата'))
    else tally.addUnnamed(entry, ['payment', merchant, operatedAt, sums.gross, qrcId, order ?? ''])
  }

  #time(row: Row<Name>): number | undefined {
    const time = row.parsed('Дата операции МСК', minuteIn, 'must be a minute such as 20.11.2026 9:05')
    const { from, to } = this.#period ?? { from: '', to: '' }
    if (time !== undefined && (time.day < from || time.day > to))
      row.fault('Дата операции МСК', `must be from ${from} to ${to}, as the title says`)
    return time?.operatedAt
  }

  /** A refund has its number; the word for its type is not said, but it is one word in a file. */
  #isRefund(row: Row<Name>, type: string, refundId: string): boolean {
    // A type that cannot be read has its fault.
    if (type === '') return false
    if (type === PAYMENT || type === PAYOUT) {
      if (refundId !== '') row.fault('id возврата', `must be empty, because the type is ${type}`)
      return false
    }
    row.text('id возврата', /^\S{1,64}$/, `must be the number of a refund, because the type is ${type}`)
    const word = this.#refundType ?? type
    this.#refundType = word
    if (type !== word) row.fault('Тип', `must be ${PAYMENT} or ${word}, as in the lines before`)
    return true
  }
  #total(row: Row<Name>): void {
    this.#hasTotal = true
    // The sums lack a line that could not be read.
    if (this.#reading.faults.count > 0) return
    for (const name of ['Сумма', 'Комиссия'] as const) this.#totals.check(row, name, 'point or whole')
  }
}

/** In totals alone there is a space between thousands. */
const withoutSpaces = (cell: string): string => cell.replace(/(?<=\d)[ \u00a0](?=\d{3}(?:\D|$))/g, '')

/** Of cards the data is two numbers. */
const CARD_DATA = /^[0-9A-Z]+\|\d+$/
const QRC_ID = /^[0-9A-Z]{8,64}$/

function slashedDay(text: string): string | undefined {
  const [date = '', month = '', year = ''] = text.split('/')
  return dayIn(year, month, date)
}

function minuteIn(text: string): { day: string; operatedAt: number } | undefined {
  const [date = '', time = '', ...rest] = text.split(' ')
  const day = russianDay(date)
  const seconds = secondsIn(time)
  if (day === undefined || seconds === undefined || rest.length > 0) return undefined
  return { day, operatedAt: startOf(day) + seconds }
}
