// Asks banks about what is open, because webhooks get lost; and the service about what this disk does not know.
import * as z from 'zod'
import type { CodeState } from '../banks/bank.ts'
import { type Core, type KnownCode, knownCodeOf, type OpenBank, type OpenSite } from '../core.ts'
import { messageOf } from '../log.ts'
import { recordState } from '../money/payment/payments.ts'
import { ListFailed, listCodes } from '../service/service.ts'
import { learnCharges, learnRefunds } from '../service/waiting-lists.ts'
import { Jobs, JobsByName } from '../work/jobs.ts'
import type { Queue } from '../work/queue.ts'
import { intervalAt, isDue, isLate, nextAsk } from '../work/schedule.ts'
import { learnBindings } from './bindings/lists.ts'
import { type LateSubject, MAX_LATE_ASKS, subjectText } from './codes/late-asks.ts'
import { LIST_MS, learn } from './codes/lookup.ts'
import type { CodeRow } from './codes/rows.ts'
import type { SaleRow } from './sales/rows.ts'
import { codeOfSale } from './sales/sales.ts'
import { Silences } from './silences.ts'

const BATCH = 50
const PER_BANK = 4
const LEARN_MS = 3_600_000
const DAY_MS = 24 * 3_600_000

/** Of a service that does not answer, or has deleted the site, no other list is asked for. */
const isOfOneList = (error: unknown): boolean =>
  error instanceof z.ZodError || (error instanceof ListFailed && !error.isDeleted)

export class Reconciliation {
  readonly #core: Core
  readonly #jobs: JobsByName
  readonly #silences: Silences
  readonly #learning: Jobs
  #learnAt = 0
  /** The sites whose lists were read last: a reload puts others in their place. */
  #learnedOf: Core['sites'] | undefined

  constructor(core: Core) {
    this.#core = core
    this.#jobs = new JobsByName(PER_BANK, core.log)
    this.#learning = new Jobs(1, core.log)
    this.#silences = new Silences(core)
  }

  /** Starts what is due. */
  tick(): void {
    const now = this.#core.platform.now()
    for (const bank of this.#core.banks.values()) {
      if (!this.#silences.isPaused(bank.name, now)) this.#askDue(bank, now)
    }
    if (isDue(this.#learnAt, now, LEARN_MS) || this.#core.sites !== this.#learnedOf)
      this.#learning.start('learn', () => this.#learn(now))
  }

  async settled(): Promise<void> {
    await Promise.all([this.#learning, this.#jobs].map((jobs) => jobs.settled()))
  }

  #askDue(bank: OpenBank, now: number): void {
    const { codes, sales } = this.#core.disk
    const jobs = this.#jobs.of(bank.name)
    const due = [
      ...codes.queue.due(bank.name, now, BATCH).map((code) => {
        return { dueAt: code.dueAt, id: code.id, ask: () => this.#askCode(code) }
      }),
      ...sales.queue.due(bank.name, now, BATCH).map((sale) => {
        return { dueAt: sale.dueAt, id: subjectText(sale), ask: () => this.#askSale(sale) }
      }),
    ]
    // In one order: neither codes nor sales take all that the bank is asked at once.
    for (const { id, ask } of due.toSorted((a, b) => a.dueAt - b.dueAt)) jobs.start(id, ask)
  }

  /**
   * What the bank states. A refusal and no answer are one thing here: nothing is known of this code, and others are
   * asked about as before.
   * @returns for a bank that is down, when the code is asked about: after those that wait for their turn
   */
  async #stateOf({ bank, code }: KnownCode, id: string): Promise<CodeState | number> {
    const { name } = bank
    try {
      const state = await bank.bank.state(code)
      this.#silences.end(name)
      return state
    } catch (error) {
      const fields = { bank: name, qrcId: code.qrcId, error: messageOf(error) }
      this.#core.log('warning', 'a bank did not state a code', fields)
      return this.#silences.pauseAfter(error, name, id) ?? { payments: [], isPending: false }
    }
  }

  /** @returns false where it cannot be recorded, such as beside a row of a later version: the bank is asked again in time */
  #record(known: KnownCode, state: CodeState, sale?: SaleRow): boolean {
    try {
      recordState(this.#core, known, state, sale)
      return true
    } catch (error) {
      const { site, bank, code } = known
      const fields = { site, bank: bank.name, qrcId: code.qrcId, error: messageOf(error) }
      this.#core.log('error', 'what a bank states of a code was not recorded', fields)
      return false
    }
  }

  async #askCode(row: CodeRow): Promise<void> {
    const { codes, payments } = this.#core.disk
    const asked = await this.#asked(row, codes.queue, knownCodeOf(this.#core, row), row.id)
    if (!asked) return
    const { known, state, now } = asked
    const { site } = row
    const { qrcId } = known.code
    if (row.type === 'DYNAMIC' && payments.isPaid(site, qrcId))
      return codes.step(row, 'PAID', { now, dueAt: 'REST' })
    if (hasMoved(row, codes.get(row.id))) return
    const { state: next, dueAt } = this.#following(row, { site, qrcId, saleUid: '' }, state, now)
    codes.step(row, next, { now, dueAt })
  }

  async #askSale(sale: SaleRow): Promise<void> {
    const { sales } = this.#core.disk
    const asked = await this.#asked(sale, sales.queue, codeOfSale(this.#core, sale), subjectText(sale), sale)
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
  ): Promise<{ known: KnownCode; state: CodeState; now: number } | undefined> {
    const now = this.#core.platform.now()
    const again = (dueAt: number): undefined => {
      queue.delay(row, { now, dueAt })
    }
    if (!known) return again(now + LEARN_MS)
    const state = await this.#stateOf(known, id)
    if (typeof state === 'number') return again(state)
    if (!this.#record(known, state, sale)) return again(now + intervalAt(now - row.createdAt))
    return { known, state, now }
  }

  /** What an unpaid code or sale becomes after the bank was asked about it, and when to ask again. */
  #following(
    row: CodeRow | SaleRow,
    subject: LateSubject,
    { isPending, isOver = false }: CodeState,
    askedAt: number,
  ) {
    const { lateAsks } = this.#core.disk
    const endsAt = row.expiresAt ?? undefined
    const next = nextAsk({ createdAt: row.createdAt, endsAt, askedAt, isPending, isOver })
    if (next === undefined) {
      lateAsks.clear(subject)
      return { state: row.state === 'OPEN' ? ('ENDED' as const) : row.state, dueAt: 'REST' as const }
    }
    // A payment in progress is asked about without an end, and its hourly asks are counted apart.
    const isUndecided =
      !isOver && isLate(askedAt, isPending && endsAt !== undefined ? endsAt + LEARN_MS : endsAt)
    const asks = isUndecided ? lateAsks.add(subject, isPending) : 0
    const isLast = !isPending && asks >= MAX_LATE_ASKS
    if (isLast || asks === MAX_LATE_ASKS) {
      const { site, qrcId, saleUid } = subject
      this.#core.log('error', 'a bank does not state whether a code was paid', {
        ...{ site, bank: row.bank, qrcId, saleUid },
      })
    }
    return { state: row.state, dueAt: isLast ? ('REST' as const) : next }
  }

  /** Adds codes that were registered from another disk to the reconciliation; refunds and charges that it may have sent become HELD. */
  async #learn(now: number): Promise<void> {
    const { sites, disk, log } = this.#core
    this.#learnedOf = sites
    let learnAt = now + LEARN_MS
    for (const site of sites.values()) {
      try {
        await this.#learnFrom(site, now)
        disk.payerData.siteExists(site.siteId)
      } catch (error) {
        if (error instanceof ListFailed && error.isDeleted) disk.payerData.siteDeleted(site.siteId, false)
        log('warning', 'the lists of the service were not read', {
          site: site.siteId,
          error: messageOf(error),
        })
        // The delay is longer for a service that does not have these lists than for one that is down.
        if (!(error instanceof ListFailed && error.status < 500)) learnAt = now + 60_000
      }
    }
    this.#learnAt = learnAt
  }

  /**
   * What may be old first: until it is on disk some instructions are not taken. A list that the service does not give keeps
   * no other from being read.
   * @throws the first failure
   */
  async #learnFrom(site: OpenSite, now: number): Promise<void> {
    const failures: unknown[] = []
    for (const learnList of [
      () => learnRefunds(this.#core, site),
      () => this.#learnSince(site, 'bindings', now, learnBindings),
      () => learnCharges(this.#core, site),
      () => this.#learnSince(site, 'codes', now, learnCodes),
    ]) {
      await learnList().catch((error: unknown) => {
        if (!isOfOneList(error)) throw error
        failures.push(error)
      })
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Each list has a time of its own: one that is never given does not make the others long. */
  async #learnSince(
    site: OpenSite,
    list: 'bindings' | 'codes',
    now: number,
    learnList: (core: Core, site: OpenSite, since: number) => Promise<void>,
  ): Promise<void> {
    const { meta } = this.#core.disk
    const key = `learnedAt:${list}:${site.siteId}`
    // Of a new site this disk knows nothing; of what ended long ago the bank is asked as well, once.
    // Version 0.3.0 kept one time for all lists of a site.
    const learnedAt = meta.get(key) ?? meta.get(`learnedAt:${site.siteId}`) ?? now - LIST_MS
    const since = Math.min(Number(learnedAt), now - DAY_MS)
    await learnList(this.#core, site, since)
    meta.set(key, String(now))
  }
}

/** Cancelled, paid, woken, or of a site that was deleted, while the bank was asked: its schedule is set, and the ask does not count. */
const hasMoved = (row: CodeRow | SaleRow, meanwhile: CodeRow | SaleRow | undefined): boolean =>
  meanwhile?.state !== row.state || meanwhile.wakes !== row.wakes

async function learnCodes(core: Core, site: OpenSite, since: number): Promise<void> {
  for await (const code of listCodes(core, site, since)) learn(core, site, code)
}
