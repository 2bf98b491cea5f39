// Asks banks about open codes and sales, because webhooks get lost.
import type { CodeState } from '../banks/bank.ts'
import { type Core, type KnownCode, knownCodeOf } from '../core.ts'
import { messageOf } from '../log.ts'
import { recordState } from '../money/payment/payments.ts'
import type { Queue } from '../work/queue.ts'
import { QueueRunner, type Runnable } from '../work/runner.ts'
import { HOUR_MS, intervalAt, isLate, MISSING_BANK_MS, nextAsk } from '../work/schedule.ts'
import { type LateSubject, MAX_LATE_ASKS, subjectText } from './codes/late-asks.ts'
import type { CodeRow, DueCode } from './codes/rows.ts'
import type { DueSale, SaleRow } from './sales/rows.ts'
import { codeOfSale } from './sales/sales.ts'
import { Silences } from './silences.ts'

const PER_BANK = 4

/** Codes and sales in one order: neither take all that the bank is asked at once. A bank that is down, or not configured, is not asked. */
function queueOf(core: Core, silences: Silences): Runnable<DueCode | DueSale> {
  const { codes, sales } = core.disk
  const queues = [codes.queue, sales.queue]
  return {
    keyOf: (row) => ('saleUid' in row ? sales.queue.keyOf(row) : codes.queue.keyOf(row)),
    lanes: (now) => {
      const lanes = new Set(queues.flatMap((queue) => queue.lanes(now)))
      return Array.from(lanes).filter((name) => core.banks.has(name) && !silences.isPaused(name, now))
    },
    due: (lane, now, limit) =>
      queues
        .flatMap<DueCode | DueSale>((queue) => queue.due(lane, now, limit))
        .toSorted((a, b) => a.dueAt - b.dueAt),
  }
}

/** What came of a question about a code. */
type BankAnswer =
  | { kind: 'STATED'; state: CodeState }
  /** A refusal, or no answer: others are asked about as before. */
  | { kind: 'NONE' }
  /** The bank is down. `until`: when it is asked again, after those that wait for their turn. */
  | { kind: 'DOWN'; until: number }

export class Asker extends QueueRunner<DueCode | DueSale> {
  readonly #silences: Silences

  constructor(core: Core) {
    const silences = new Silences(core)
    super(core, queueOf(core, silences), { perLane: PER_BANK })
    this.#silences = silences
  }

  protected async run(row: DueCode | DueSale): Promise<void> {
    const { disk, platform, log } = this.core
    try {
      await ('saleUid' in row ? this.#askSale(row) : this.#askCode(row))
    } catch (error) {
      const { site, bank } = row
      const qrcId = row.qrcId ?? undefined
      log('error', 'what a bank states of a code was not recorded', {
        site,
        bank,
        qrcId,
        error: messageOf(error),
      })
      const now = platform.now()
      const next = { now, dueAt: now + intervalAt(now - row.createdAt) }
      if ('saleUid' in row) disk.sales.queue.delay(row, next)
      else disk.codes.queue.delay(row, next)
    }
  }

  async #answerOf({ bank, code }: KnownCode, id: string): Promise<BankAnswer> {
    const { name } = bank
    try {
      const state = await bank.bank.state(code)
      this.#silences.end(name)
      return { kind: 'STATED', state }
    } catch (error) {
      const fields = { bank: name, qrcId: code.qrcId, error: messageOf(error) }
      this.core.log('warning', 'a bank did not state a code', fields)
      const until = this.#silences.pauseAfter(error, name, id)
      return until === undefined ? { kind: 'NONE' } : { kind: 'DOWN', until }
    }
  }

  async #askCode(row: CodeRow): Promise<void> {
    const { codes } = this.core.disk
    const asked = await this.#asked(row, codes.queue, knownCodeOf(this.core, row), row.id)
    if (!asked) return
    const { known, state, isPaid, now } = asked
    const { site } = row
    const { qrcId } = known.code
    if (row.type === 'DYNAMIC' && isPaid) return codes.step(row, 'PAID', { now, dueAt: 'REST' })
    if (hasMoved(row, codes.get(row.id))) return
    const { state: next, dueAt } = this.#following(row, { site, qrcId, saleUid: '' }, state, now)
    codes.step(row, next, { now, dueAt })
  }

  async #askSale(sale: SaleRow): Promise<void> {
    const { sales } = this.core.disk
    const asked = await this.#asked(sale, sales.queue, codeOfSale(this.core, sale), subjectText(sale), sale)
    if (!asked) return
    const { state, now } = asked
    if (state.payments.length > 0) return sales.step(sale, 'PAID', { now, dueAt: 'REST' })
    if (hasMoved(sale, sales.get(sale.site, sale.qrcId, sale.saleUid))) return
    const { state: next, dueAt } = this.#following(sale, sale, state, now)
    sales.step(sale, next, { now, dueAt })
  }

  /** Asks the bank, and records what it states. @returns undefined where it is asked again */
  async #asked<Row extends CodeRow | SaleRow>(
    row: Row,
    queue: Pick<Queue<Row & { dueAt: number }>, 'delay'>,
    known: KnownCode | undefined,
    id: string,
    sale?: SaleRow,
  ): Promise<{ known: KnownCode; state: CodeState; isPaid: boolean; now: number } | undefined> {
    const now = this.core.platform.now()
    const again = (dueAt: number): undefined => {
      queue.delay(row, { now, dueAt })
    }
    if (!known) return again(now + MISSING_BANK_MS)
    const answer = await this.#answerOf(known, id)
    if (answer.kind === 'DOWN') return again(answer.until)
    // Without an answer the code counts as asked about, and as paid if the disk has its payment.
    const state = answer.kind === 'STATED' ? answer.state : { payments: [], isPending: false }
    const payments = recordState(this.core, known, state, sale)
    return { known, state, isPaid: payments.length > 0, now }
  }

  /** What an unpaid code or sale becomes after the bank was asked about it, and when to ask again. */
  #following(
    row: CodeRow | SaleRow,
    subject: LateSubject,
    { isPending, isOver = false }: CodeState,
    askedAt: number,
  ) {
    const { lateAsks } = this.core.disk
    const endsAt = row.expiresAt ?? undefined
    const next = nextAsk({ createdAt: row.createdAt, endsAt, askedAt, isPending, isOver })
    if (next === undefined) {
      lateAsks.clear(subject)
      return { state: row.state === 'OPEN' ? ('ENDED' as const) : row.state, dueAt: 'REST' as const }
    }
    // A payment in progress is asked about without an end, and its hourly asks are counted apart.
    const isUndecided =
      !isOver && isLate(askedAt, isPending && endsAt !== undefined ? endsAt + HOUR_MS : endsAt)
    const asks = isUndecided ? lateAsks.add(subject, isPending) : 0
    const isLast = !isPending && asks >= MAX_LATE_ASKS
    if (isLast || asks === MAX_LATE_ASKS) {
      const { site, qrcId, saleUid } = subject
      this.core.log('error', 'a bank does not state whether a code was paid', {
        ...{ site, bank: row.bank, qrcId, saleUid },
      })
    }
    return { state: row.state, dueAt: isLast ? ('REST' as const) : next }
  }
}

/**
 * Whether another writer has changed the row during the ask, which then sets no time: the row is cancelled, paid or woken, or its site is
 * deleted.
 */
const hasMoved = (row: CodeRow | SaleRow, meanwhile: CodeRow | SaleRow | undefined): boolean =>
  meanwhile?.state !== row.state || meanwhile.wakes !== row.wakes
