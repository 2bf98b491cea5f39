// T-Bank's registry of operations: windows-1251, `;`, a line for each operation. A header and a total are not said.
import { type Columns, cellsOf, columnsOf, Row } from './csv.ts'
import { moscowDay, russianDay, secondsIn, startOf } from './dates.ts'
import type { Bytes, Entry, Summary } from './entry.ts'
import { kopecksIn } from './money.ts'
import { type LineFormat, type Reading, read } from './read.ts'
import { type Column, OURS, SYSTEMS, TYPES, WITH_FISCAL_FEE, WITHOUT_FISCAL_FEE } from './tbank-columns.ts'
import { type Payout, payoutOf, type Stated, statedIn } from './tbank-payout.ts'
import { Totals } from './totals.ts'
import { Ways } from './ways.ts'

const ENCODING = 'windows-1251'

export const tbankRegistry = (bytes: Bytes): AsyncGenerator<Entry[], Summary> =>
  read(bytes, { kind: 'tbank', encoding: ENCODING }, (reading) => new TBankRegistry(reading))

const NUMBER = /^\d{1,9}$/
const DAY_RULE = 'must be a day such as 20.11.2026'
const SUMS = ['amount', 'fee', 'fiscalFee', 'toBePaid'] as const

class TBankRegistry implements LineFormat {
  readonly #reading: Reading
  readonly #ways = new Ways()
  readonly #totals = new Totals<Column>()
  #columns: Columns<Column> | undefined
  #number = -1
  #hasTotal = false

  constructor(reading: Reading) {
    this.#reading = reading
  }

  line(text: string, line: number): void {
    const { faults } = this.#reading
    const cells = cellsOf(text)
    const isFirst = this.#columns === undefined
    const columns = this.#columnsFor(cells, line)
    if (columns === undefined) return
    const row = new Row(line, cells, columns, faults)
    row.checkCharacters(ENCODING)
    if (isFirst && isHeader(cells)) return
    if (this.#hasTotal) faults.add(`lines[${line}]`, 'follows the total, must be absent')
    else if (/^итого/i.test(row.cell('number'))) this.#total(row)
    else this.#operation(row)
  }

  end(): void {}

  /** The first line decides whether the file has the column 13.1. */
  #columnsFor(cells: readonly string[], line: number): Columns<Column> | undefined {
    const { faults } = this.#reading
    const place = `lines[${line}]`
    if (this.#columns === undefined) {
      const names = [WITH_FISCAL_FEE, WITHOUT_FISCAL_FEE].find(({ length }) => length === cells.length)
      this.#columns = columnsOf(names ?? faults.stop(place, `has ${cells.length} cells, must have 21 or 22`))
    }
    if (cells.length === this.#columns.size) return this.#columns
    faults.add(place, `has ${cells.length} cells, must have ${this.#columns.size}`)
    return undefined
  }

  #operation(row: Row<Column>): void {
    const { tally } = this.#reading
    this.#checkNumber(row)
    const day = row.parsed('date', russianDay, DAY_RULE)
    const seconds = row.parsed('time', secondsIn, 'must be a time such as 09:05:30')
    row.text('zone', /^MSK$/, 'must be MSK')
    row.parsed('processedOn', russianDay, DAY_RULE)
    const paidOn = row.parsed('paidOn', russianDay, DAY_RULE)
    const terminal = row.text('terminal', /^\d{1,20}$/, 'must be digits')
    const type = row.parsed('type', (cell) => TYPES.get(cell), 'must be a type that the bank describes')
    const isOurs = this.#isOurs(row, type?.kind)
    const before = row.faultCount
    const stated = statedIn(row, this.#columns?.has('fiscalFee') === true)
    const areRead = row.faultCount === before
    const payout = type && areRead ? payoutOf(row, stated, type.effect, this.#ways) : undefined
    if (row.isFaulty || !type || !payout || day === undefined || seconds === undefined) return
    const operatedAt = startOf(day) + seconds
    this.#add(stated, payout)
    tally.cover(moscowDay(operatedAt))
    if (!isOurs) {
      tally.skip(payout.net, paidOn)
      return
    }
    const { paymentId, operationId, order } = idsOf(row, type.kind)
    if (row.isFaulty) return
    const word = row.cell('type')
    const entry = {
      ...{ kind: type.kind, type: word, line: row.line, ...payout, operatedAt, hasTime: true, paidOn },
      ...{ terminal, bankIds: { paymentId, operationId, order } },
    }
    if (type.kind === 'payment' && paymentId !== undefined)
      tally.addNamed(entry, [type.kind, paymentId], row.place('paymentId'))
    else {
      const ids = [paymentId ?? '', operationId ?? '']
      tally.addUnnamed(entry, [word, terminal, operatedAt, payout.gross ?? payout.fee, ...ids])
    }
  }

  /** A line that is lost is no fault: a registry can be split. One that is there twice is. */
  #checkNumber(row: Row<Column>): void {
    const number = Number(row.text('number', NUMBER, 'must be the number of the line') || Number.NaN)
    if (number <= this.#number) row.fault('number', `must be more than ${this.#number}, the number before`)
    if (number > this.#number) this.#number = number
  }

  /** What has no system is no payment with a card: the bank's own fees and corrections can have none. */
  #isOurs(row: Row<Column>, kind: Entry['kind'] | undefined): boolean {
    const system = row.cell('system')
    const canBeEmpty = kind === 'fee' || kind === 'correction'
    if (SYSTEMS.includes(system) || (system === '' && canBeEmpty)) return system === OURS || system === ''
    row.fault('system', `must be one of ${SYSTEMS.join(', ')}`)
    return false
  }

  #add(stated: Stated, payout: Payout): void {
    this.#totals.add('amount', stated.amount, payout.gross ?? 0)
    this.#totals.add('fee', stated.fee, stated.fee)
    this.#totals.add('fiscalFee', stated.fiscalFee, stated.fiscalFee)
    this.#totals.add('toBePaid', stated.toBePaid, payout.net)
  }

  #total(row: Row<Column>): void {
    this.#hasTotal = true
    // The sums lack a line that could not be read.
    if (this.#reading.faults.count > 0) return
    for (const name of SUMS) if (row.cell(name) !== '') this.#totals.check(row, name, 'point')
  }
}

/** A header has a name in each cell, and no number: what the names are is not said. */
const isHeader = (cells: readonly string[]): boolean =>
  !cells.includes('') &&
  new Set(cells).size === cells.length &&
  !cells.some((cell) => NUMBER.test(cell) || kopecksIn(cell, 'point') !== undefined || russianDay(cell))

const ID = /^\d{1,20}$/
/** The network's number of an operation. */
const OPERATION = /^[0-9A-Z]{32}$/

/** A payment and a refund name the payment; the bank's own fees and corrections can name nothing. */
function idsOf(row: Row<Column>, kind: Entry['kind']): Entry['bankIds'] {
  const isOperation = kind === 'payment' || kind === 'refund'
  const optional = (name: Column, pattern: RegExp, isNeeded: boolean, rule: string) =>
    row.cell(name) === '' && !isNeeded ? undefined : row.text(name, pattern, rule)
  return {
    paymentId: optional('paymentId', ID, isOperation, 'must be digits'),
    operationId: optional(
      'operationId',
      OPERATION,
      kind === 'payment',
      'must be 32 digits and capital letters',
    ),
    order: optional('order', /^.{1,256}$/, false, 'must have at most 256 characters'),
  }
}
