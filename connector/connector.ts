// The running connector: what it does every second, and what it prepares at the start.
import type { Hono } from 'hono'
import type { Build } from './build.ts'
import { receiptGauges } from './cash-registers/gauges.ts'
import { ReceiptRunner } from './cash-registers/runner.ts'
import { keepOwners } from './config/owners.ts'
import { endingTokens } from './config/token-ends.ts'
import type { Core } from './core.ts'
import { Erasure } from './disk/erasure.ts'
import { ASKED_MS, WebhookRunner } from './inbox/runner.ts'
import { Asker } from './links/asker.ts'
import { BindingRunner } from './links/bindings/runner.ts'
import { Cancellations } from './links/cancellations/cancellations.ts'
import { Registers } from './links/codes/registers.ts'
import { Sales } from './links/sales/sales.ts'
import { messageOf } from './log.ts'
import type { Gauge } from './metrics.ts'
import { ChargeRunner, countRefusing } from './money/charge/runner.ts'
import { DecisionLog } from './money/decisions/log.ts'
import { countExcess, RefundComparison } from './money/refund/comparison.ts'
import { RefundRunner } from './money/refund/runner.ts'
import { Reporter } from './outbox/reporter.ts'
import { Instructions } from './server/instructions.ts'
import { routes } from './server/server.ts'
import { Learning } from './service/learning.ts'
import { ClockWatch } from './work/clock-watch.ts'

const TURN_MS = 1_000
export interface StartOptions {
  /** The time of the backup that the disk was restored from, in Unix milliseconds. */
  restoredFrom?: number
  /** Which build it is, for the metrics. */
  build?: Build
}

export class Connector {
  readonly app: Hono
  readonly #core: Core
  readonly #comparison: RefundComparison
  readonly #runners: readonly { tick(): void; settled(): Promise<void> }[]
  #timer: NodeJS.Timeout | undefined
  #isKicked = false

  constructor(core: Core, { restoredFrom, build }: StartOptions = {}) {
    this.#core = core
    keepOwners(core, core.disk)
    if (restoredFrom !== undefined) holdWhatTheBackupLacks(core, restoredFrom)
    this.#comparison = new RefundComparison(core)
    const cancellations = new Cancellations(core)
    this.#runners = [
      // First: the others see what it makes due.
      new ClockWatch(core),
      new WebhookRunner(core),
      new RefundRunner(core),
      new ChargeRunner(core, cancellations),
      new ReceiptRunner(core),
      new BindingRunner(core),
      cancellations,
      new Reporter(core),
      new Asker(core),
      new Learning(core),
      new DecisionLog(core),
      new Erasure(core),
      this.#comparison,
    ]
    const instructions = new Instructions(core, new Registers(core), new Sales(core), cancellations)
    const gauges = [...gaugesOf(core), ...(build ? [buildGauge(build)] : [])]
    this.app = routes({ core, instructions, gauges, kick: () => this.#kick() })
  }

  start(): void {
    this.turn()
    this.#timer = setInterval(() => this.turn(), TURN_MS)
  }

  /** Starts everything that is due. */
  turn(): void {
    for (const runner of this.#runners) {
      try {
        runner.tick()
      } catch (error) {
        // The disk may be full: what is due stays due.
        this.#core.log('error', 'the work that is due was not started', { error: messageOf(error) })
      }
    }
  }

  /** Runs what is due, and what follows from it, to its end. */
  async settle(turns = 4): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      this.turn()
      await Promise.all(this.#runners.map((runner) => runner.settled()))
    }
  }

  /**
   * No new work; resolves when the work in flight has ended, and the disk is closed.
   * @param answered resolves when the requests are answered, which write to the disk
   */
  async stop(answered = Promise.resolve()): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#comparison.stop()
    await Promise.all([answered, ...this.#runners.map((runner) => runner.settled())])
    this.#core.disk.close()
  }

  /** A turn soon, once for all the requests of this moment. */
  #kick(): void {
    if (this.#timer === undefined || this.#isKicked) return
    this.#isKicked = true
    setImmediate(() => {
      this.#isKicked = false
      if (this.#timer !== undefined) this.turn()
    })
  }
}

/** Refunds and charges after the backup may have been sent, whether the backup knows them as unsent or not at all. */
function holdWhatTheBackupLacks({ disk, platform, log }: Core, since: number): void {
  disk.transaction(() => {
    disk.heldPeriods.add(since, platform.now())
    disk.refunds.holdUnsent(platform.now())
    disk.charges.holdUnsent(platform.now())
    disk.receipts.restUnsure()
  })
  log('info', 'refunds and charges are held after a restore', { since: new Date(since).toISOString() })
}

const buildGauge = ({ version, commit }: Build): Gauge => ({
  name: 'fps_connector_build_info',
  help: 'The version of the connector, and the commit of its sources',
  labels: `version="${version}",commit="${commit}"`,
  read: () => 1,
})

function gaugesOf(core: Core): Gauge[] {
  const { disk, platform } = core
  const age = (time: number | null) => (time ? (platform.now() - time) / 1000 : 0)
  // Older webhooks and reports raise no alert, so that they hide no new ones; `check` still names them.
  const alertedSince = () => platform.now() - ASKED_MS
  return [
    {
      name: 'fps_connector_open_codes',
      help: 'Codes that a bank is asked about',
      read: () => disk.codes.countOpen(),
    },
    {
      name: 'fps_connector_unresolved_codes',
      help: 'Codes and sales of which the bank does not state whether they were paid',
      read: () => disk.lateAsks.countUnresolved(),
    },
    {
      name: 'fps_connector_unconfirmed_cancellations',
      help: 'Cancelled links that the bank may still let be paid',
      read: () => disk.cancellations.count(),
    },
    {
      name: 'fps_connector_open_refunds',
      help: 'Refunds without a result',
      read: () => disk.refunds.open().count,
    },
    {
      name: 'fps_connector_held_refunds',
      help: 'Refunds that are held',
      read: () => disk.refunds.countHeld(),
    },
    {
      name: 'fps_connector_excess_refunds',
      help: 'Refunds of which the bank has given back more than was reported',
      read: () => countExcess(disk),
    },
    {
      name: 'fps_connector_amount_differences',
      help: 'Payments of which a bank states another amount than was reported, not closed by an operator',
      read: () => disk.amountDifferences.countOpen(),
    },
    {
      name: 'fps_connector_oldest_open_instruction_seconds',
      help: 'Age of the oldest instruction without a result',
      read: () => Math.max(age(disk.refunds.open().oldest), age(disk.charges.open().oldest)),
    },
    {
      name: 'fps_connector_open_bindings',
      help: 'Bindings that a bank is asked about',
      read: () => disk.bindings.countOpen(),
    },
    {
      name: 'fps_connector_open_charges',
      help: 'Charges without a result',
      read: () => disk.charges.open().count,
    },
    {
      name: 'fps_connector_held_charges',
      help: 'Charges that are held',
      read: () => disk.charges.countHeld(),
    },
    {
      name: 'fps_connector_banks_refusing_charges',
      help: 'Sets of credentials whose bank has said that it takes no charges',
      read: () => countRefusing(core),
    },
    ...receiptGauges(core),
    {
      name: 'fps_connector_reports_not_accepted',
      help: 'Reports that the service has not accepted',
      read: () => disk.reports.countNotAccepted(),
    },
    {
      name: 'fps_connector_oldest_report_seconds',
      help: 'Age of the oldest report of the last week that the service has not accepted',
      read: () => age(disk.reports.oldestSince(alertedSince())),
    },
    {
      name: 'fps_connector_webhooks_not_reported',
      help: 'Verified webhooks that are not reported',
      read: () => disk.webhooks.countWaiting(),
    },
    {
      name: 'fps_connector_oldest_webhook_seconds',
      help: 'Age of the oldest verified webhook of the last week that is not reported',
      read: () => age(disk.webhooks.oldestSince(alertedSince())),
    },
    {
      name: 'fps_connector_tokens_ending',
      help: 'Tokens, credentials and certificates of the configuration that end within 30 days, or have ended',
      read: () => endingTokens(core.tokenEnds, core.platform.now()).length,
    },
    {
      name: 'fps_connector_configuration_faults',
      help: 'Faults of the configuration when it was last read; the one before is in force',
      read: () => core.configurationFaults.length,
    },
  ]
}
