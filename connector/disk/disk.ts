// The tables of the connector's database, one class for each.
import type { DatabaseSync } from 'node:sqlite'
import { Receipts } from '../cash-registers/rows.ts'
import { Webhooks } from '../inbox/rows.ts'
import { Bindings } from '../links/bindings/rows.ts'
import { Cancellations } from '../links/cancellations/rows.ts'
import { LateAsks } from '../links/codes/late-asks.ts'
import { ReservedIds } from '../links/codes/reserved-rows.ts'
import { Codes } from '../links/codes/rows.ts'
import { Sales } from '../links/sales/rows.ts'
import { Charges } from '../money/charge/rows.ts'
import { Decisions } from '../money/decisions/rows.ts'
import { AmountDifferences } from '../money/payment/amount-difference-rows.ts'
import { Payments } from '../money/payment/rows.ts'
import { HeldPeriods } from '../money/refund/held-periods.ts'
import { Refunds } from '../money/refund/rows.ts'
import { Reports } from '../outbox/rows.ts'
import type { Place, Queue } from '../work/queue.ts'
import { Meta, transaction } from './database.ts'
import { DueTimes } from './due-times.ts'
import { PayerData } from './payer-data.ts'

/** Whatever its rows are. */
type AnyQueue = Pick<Queue<Place>, 'table' | 'lane' | 'open' | 'isNewFirst' | 'correct'> & {
  readonly key: readonly string[]
}

export class Disk {
  readonly meta: Meta
  readonly amountDifferences: AmountDifferences
  readonly bindings: Bindings
  readonly cancellations: Cancellations
  readonly charges: Charges
  readonly codes: Codes
  readonly decisions: Decisions
  readonly dueTimes: DueTimes
  readonly heldPeriods: HeldPeriods
  readonly lateAsks: LateAsks
  readonly payerData: PayerData
  readonly payments: Payments
  readonly receipts: Receipts
  readonly refunds: Refunds
  readonly reports: Reports
  readonly reservedIds: ReservedIds
  readonly sales: Sales
  readonly webhooks: Webhooks
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
    this.meta = new Meta(database)
    this.amountDifferences = new AmountDifferences(database)
    this.bindings = new Bindings(database)
    this.cancellations = new Cancellations(database)
    this.charges = new Charges(database)
    this.codes = new Codes(database)
    this.decisions = new Decisions(database)
    this.heldPeriods = new HeldPeriods(database)
    this.lateAsks = new LateAsks(database)
    this.payerData = new PayerData(database)
    this.payments = new Payments(database)
    this.receipts = new Receipts(database)
    this.refunds = new Refunds(database)
    this.reports = new Reports(database)
    this.reservedIds = new ReservedIds(database)
    this.sales = new Sales(database)
    this.webhooks = new Webhooks(database)
    this.dueTimes = new DueTimes(database, this.queues)
  }

  get queues(): readonly AnyQueue[] {
    const { bindings, cancellations, charges, codes, receipts, refunds, reports, sales, webhooks } = this
    return [bindings, cancellations, charges, codes, receipts, refunds, reports, sales, webhooks].map(
      ({ queue }) => queue,
    )
  }

  /** Whether anything on the disk is of these credentials. */
  hasRowsOf(bank: string): boolean {
    // A register without an answer is made anew: a mistyped terminal can be corrected.
    const codes = 'SELECT 1 FROM codes WHERE bank = ? AND qrc_id IS NOT NULL LIMIT 1'
    if (this.#database.prepare(codes).get(bank) !== undefined) return true
    const tables = ['sales', 'refunds', 'charges', 'bindings', 'webhooks']
    return tables.some(
      (table) =>
        this.#database.prepare(`SELECT 1 FROM ${table} WHERE bank = ? LIMIT 1`).get(bank) !== undefined,
    )
  }

  transaction<T>(run: () => T): T {
    return transaction(this.#database, run)
  }

  close(): void {
    this.#database.close()
  }
}
