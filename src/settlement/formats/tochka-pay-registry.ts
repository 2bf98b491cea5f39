// Tochka Pay Gateway's registry of operations, or of chargebacks: UTF-8, `;`, a decimal comma. A header is not said.
import { type Columns, cellsOf, columnsIn, columnsOf, Row } from './csv.ts'
import { isoTime, moscowDay, russianDay, secondsIn, startOf } from './dates.ts'
import type { Bytes, Entry, EntryKind, Summary } from './entry.ts'
import { type LineFormat, type Reading, read } from './read.ts'
import { refundOf } from './refund.ts'
import { Ways } from './ways.ts'

const ENCODING = 'utf-8'
const MONEY = 'comma or whole'

export const tochkaPayRegistry = (bytes: Bytes): AsyncGenerator<Entry[], Summary> =>
  read(bytes, { kind: 'tochkaPay', encoding: ENCODING }, (reading) => new TochkaPayRegistry(reading))

const NAMES = [
  ...['TRANS_DATE', 'TRANSACTION_ID', 'SUM', 'COMMISSION', 'ITV_COMMISSION', 'USER_INFO', 'MERCH'],
  ...['MERCH_SITE', 'PARENT_TRANSACTION_ID', 'TRANSACTION_TYPE', 'MERCHANT_SITE_NAME'],
  ...['PAYMENT_METHOD_TYPE', 'RRN', 'AUTH_CODE', 'ORDER_UID', 'QRC_ID'],
  ...['COMMISSION_NDS', 'ITV_COMMISSION_NDS'],
] as const
type Name = (typeof NAMES)[number]
/** The registry of chargebacks has no VAT. */
const OF_CHARGEBACKS: readonly Name[] = NAMES.slice(0, 16)

const TYPES: ReadonlyMap<string, { kind: EntryKind; takes: boolean }> = new Map([
  ['PAYMENT', { kind: 'payment', takes: false }],
  ['REFUND', { kind: 'refund', takes: true }],
  ['ChargeBack', { kind: 'correction', takes: true }],
  ['Reversal ChargeBack', { kind: 'correction', takes: false }],
])
const METHODS: readonly string[] = ['SBP', 'CARD']
const ID = /^[0-9a-zA-Z-]{1,64}$/
const ID_RULE = 'must be 1 to 64 letters, digits and -'

class TochkaPayRegistry implements LineFormat {
  readonly #reading: Reading
  readonly #ways = new Ways()
  #columns: Columns<Name> | undefined
  #width = 0

  constructor(reading: Reading) {
    this.#reading = reading
  }

  line(text: string, line: number): void {
    const { faults } = this.#reading
    const cells = cellsOf(text)
    if (this.#columns === undefined) {
      this.#width = cells.length
      this.#columns = this.#columnsFor(cells, line)
      if (isHeader(cells)) return
    }
    if (cells.length !== this.#width) {
      faults.add(`lines[${line}]`, `has ${cells.length} cells, must have ${this.#width}`)
      return
    }
    const row = new Row(line, cells, this.#columns, faults)
    row.checkCharacters(ENCODING)
    this.#operation(row)
  }

  end(): void {}

  #columnsFor(cells: readonly string[], line: number): Columns<Name> {
    const { faults } = this.#reading
    const hasVat = isHeader(cells) ? cells.some((cell) => cell.endsWith('_NDS')) : undefined
    if (hasVat !== undefined)
      return columnsIn(cells, { names: hasVat ? NAMES : OF_CHARGEBACKS, line, faults })
    const names = [NAMES, OF_CHARGEBACKS].find(({ length }) => length === cells.length)
    return columnsOf(names ?? faults.stop(`lines[${line}]`, `has ${cells.length} cells, must have 18 or 16`))
  }

  #operation(row: Row<Name>): void {
    const { tally } = this.#reading
    const time = row.parsed('TRANS_DATE', timeIn, 'must be a day or a time such as 20.11.2026 09:05:30')
    if (time) this.#ways.agree(row, 'TRANS_DATE', 'the form of the time', time.isIso)
    if (time) this.#ways.agree(row, 'TRANS_DATE', 'whether there is a time', time.hasTime)
    const id = row.text('TRANSACTION_ID', ID, ID_RULE)
    const type = row.parsed(
      'TRANSACTION_TYPE',
      (cell) => TYPES.get(cell),
      'must be a type that the bank describes',
    )
    const method = row.parsed(
      'PAYMENT_METHOD_TYPE',
      (cell) => METHODS.find((each) => each === cell),
      `must be ${METHODS.join(' or ')}`,
    )
    const amount = row.kopecks('SUM', MONEY)
    const fees = sumOf(row, ['COMMISSION', 'ITV_COMMISSION'])
    const vat = sumOf(row, ['COMMISSION_NDS', 'ITV_COMMISSION_NDS'])
    const merchant = row.text('MERCH', /^.{1,64}$/, 'must have 1 to 64 characters')
    const terminal = row.text('MERCH_SITE', /^.{1,64}$/, 'must have 1 to 64 characters')
    const parent = row.cell('PARENT_TRANSACTION_ID')
    if (type?.kind === 'payment') row.text('PARENT_TRANSACTION_ID', /^$/, 'must be empty')
    else if (type) row.text('PARENT_TRANSACTION_ID', ID, ID_RULE)
    const [qrcId, order] = [row.short('QRC_ID'), row.short('ORDER_UID')]
    if (row.isFaulty || !time || !type) return
    const { takes, kind } = type
    const columns = { amount: 'SUM', fee: 'COMMISSION' } as const
    tally.cover(moscowDay(time.operatedAt))
    if (method !== 'SBP') {
      tally.skip()
      return
    }
    const sums = refundOf(row, columns, { amount, stated: fees ?? 0, isRefund: takes }, this.#ways)
    if (takes && amount > 0 && vat) row.fault('COMMISSION_NDS', 'must be 0, as the fee')
    if (row.isFaulty) return
    const isPayment = kind === 'payment'
    const { operatedAt, hasTime } = time
    tally.addNamed(
      {
        ...{ kind, type: row.cell('TRANSACTION_TYPE'), line: row.line, gross: sums.gross },
        ...{ fee: fees === undefined ? undefined : sums.fee },
        ...{
          feeVatSeparate: vat === undefined ? undefined : 0 - vat,
          operatedAt,
          hasTime,
          merchant,
          terminal,
        },
        bankIds: {
          paymentId: isPayment ? id : parent,
          ...(!isPayment && { refundId: id }),
          qrcId: qrcId || undefined,
          order: order || undefined,
        },
      },
      [isPayment || kind === 'refund' ? kind : row.cell('TRANSACTION_TYPE'), id],
      row.place('TRANSACTION_ID'),
    )
  }
}

const isHeader = (cells: readonly string[]): boolean => cells.includes('TRANS_DATE') || cells.includes('SUM')

/** The sum of two columns; undefined where neither is stated. */
function sumOf(row: Row<Name>, names: readonly Name[]): number | undefined {
  const stated = names.filter((name) => row.cell(name) !== '')
  if (stated.length === 0) return undefined
  return stated.reduce((sum, name) => sum + row.kopecks(name, MONEY), 0)
}

/** The form is not said. Both of these are unambiguous; `11/12/2026` is not. */
function timeIn(text: string): { operatedAt: number; hasTime: boolean; isIso: boolean } | undefined {
  const iso = isoTime(text)
  if (iso) return { ...iso, isIso: true }
  const [date = '', time, ...rest] = text.split(' ')
  const day = russianDay(date)
  const seconds = time === undefined ? 0 : secondsIn(time)
  if (day === undefined || seconds === undefined || rest.length > 0) return undefined
  return { operatedAt: startOf(day) + seconds, hasTime: time !== undefined, isIso: false }
}
