// The tables of the connector's database, one class for each.
import type { DatabaseSync } from 'node:sqlite'
import { Bindings } from './bindings.ts'
import { Cancellations } from './cancellations.ts'
import { Charges } from './charges.ts'
import { Codes } from './codes.ts'
import { Meta, transaction } from './database.ts'
import { Decisions } from './decisions.ts'
import { HeldPeriods } from './held-periods.ts'
import { LateAsks } from './late-asks.ts'
import { Payments } from './payments.ts'
import { Refunds } from './refunds.ts'
import { Reports } from './reports.ts'
import { Sales } from './sales.ts'
import { Webhooks } from './webhooks.ts'

export class Disk {
  readonly meta: Meta
  readonly bindings: Bindings
  readonly cancellations: Cancellations
  readonly charges: Charges
  readonly codes: Codes
  readonly decisions: Decisions
  readonly heldPeriods: HeldPeriods
  readonly lateAsks: LateAsks
  readonly payments: Payments
  readonly refunds: Refunds
  readonly reports: Reports
  readonly sales: Sales
  readonly webhooks: Webhooks
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
    this.meta = new Meta(database)
    this.bindings = new Bindings(database)
    this.cancellations = new Cancellations(database)
    this.charges = new Charges(database)
    this.codes = new Codes(database)
    this.decisions = new Decisions(database)
    this.heldPeriods = new HeldPeriods(database)
    this.lateAsks = new LateAsks(database)
    this.payments = new Payments(database)
    this.refunds = new Refunds(database)
    this.reports = new Reports(database)
    this.sales = new Sales(database)
    this.webhooks = new Webhooks(database)
  }

  transaction<T>(run: () => T): T {
    return transaction(this.#database, run)
  }

  close(): void {
    this.#database.close()
  }
}
