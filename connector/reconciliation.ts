// Asks banks about what is open, because webhooks get lost; and the service about what this disk does not know.
import { type CodeState, Refused, Unavailable } from './bank.ts'
import { type Core, type KnownCode, knownCodeOf, type OpenBank, type OpenSite } from './core.ts'
import type { CodeRow } from './disk/codes.ts'
import type { SaleRow } from './disk/sales.ts'
import { LIST_MS, learn } from './finding.ts'
import { Jobs } from './jobs.ts'
import { messageOf } from './log.ts'
import { roublesOf } from './money.ts'
import { recordState } from './payments.ts'
import { isOlderThanDisk, takeRefund } from './refunds.ts'
import { codeOfSale } from './sales.ts'
import { nextAsk, retryDelay } from './schedule.ts'
import { ListFailed, listCodes, listRefunds } from './service.ts'

const BATCH = 50
const PER_BANK = 4
const LEARN_MS = 3_600_000
const DAY_MS = 24 * 3_600_000

/** What is known of a bank's health: after failures in a row it is asked less. */
interface Pause {
  failures: number
  until: number
}

export class Reconciliation {
  readonly #core: Core
  readonly #jobs = new Map<string, Jobs>()
  readonly #pauses = new Map<string, Pause>()
  readonly #learning: Jobs
  #learnAt = 0

  constructor(core: Core) {
    this.#core = core
    this.#learning = new Jobs(1, core.log)
  }

  /** Starts what is due. */
  tick(): void {
    const now = this.#core.platform.now()
    for (const bank of this.#core.banks.values()) {
      if (now >= (this.#pauses.get(bank.name)?.until ?? 0)) this.#askDue(bank, now)
    }
    if (now >= this.#learnAt) this.#learning.start('learn', () => this.#learn(now))
  }

  async settled(): Promise<void> {
    await Promise.all([this.#learning, ...this.#jobs.values()].map((jobs) => jobs.settled()))
  }

  #askDue(bank: OpenBank, now: number): void {
    const { codes, sales } = this.#core.disk
    const jobs = this.#jobs.get(bank.name) ?? new Jobs(PER_BANK, this.#core.log)
    this.#jobs.set(bank.name, jobs)
    for (const code of codes.due(bank.name, now, BATCH)) {
      jobs.start(code.id, () => this.#measured(bank, () => this.#askCode(code)))
    }
    for (const sale of sales.due(bank.name, now, BATCH)) {
      jobs.start(`${sale.qrcId}:${sale.saleUid}`, () => this.#measured(bank, () => this.#askSale(sale)))
    }
  }

  async #measured({ name }: OpenBank, ask: () => Promise<void>): Promise<void> {
    const { platform, log } = this.#core
    try {
      await ask()
      this.#pauses.delete(name)
    } catch (error) {
      log('warning', 'a bank was not reached', { bank: name, error: messageOf(error) })
      const failures = (this.#pauses.get(name)?.failures ?? 0) + 1
      const wait = error instanceof Unavailable ? (error.retryAfter ?? 0) * 1000 : 0
      const delay = Math.max(retryDelay(Math.min(failures - 1, 4)), wait)
      this.#pauses.set(name, { failures, until: platform.now() + delay })
    }
  }

  async #askCode(row: CodeRow): Promise<void> {
    const { disk, platform } = this.#core
    const known = knownCodeOf(this.#core, row)
    const now = platform.now()
    if (!known) return disk.codes.asked(row.id, row.state, row.askedAt, now + LEARN_MS)
    const state = await this.#stateOf(known)
    recordState(this.#core, known, state)
    this.#schedule(row, now, state.isPending)
  }

  /** A request that failed because the bank is down does not count; a refusal counts. */
  async #stateOf({ bank, code }: KnownCode): Promise<CodeState> {
    try {
      return await bank.bank.state(code)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      this.#core.log('warning', 'a bank refused the state of a code', {
        bank: bank.name,
        qrcId: code.qrcId,
        error: messageOf(error),
      })
      return { payments: [], isPending: false }
    }
  }

  #schedule(row: CodeRow, askedAt: number, isPending: boolean): void {
    const { codes, payments } = this.#core.disk
    // Cancelled or paid while the bank was asked: its schedule is set.
    if (codes.get(row.id)?.state !== row.state) return
    const isPaid = row.type === 'DYNAMIC' && payments.isPaid(row.site, row.qrcId ?? '')
    const next = isPaid ? ({ state: 'PAID', askAt: null } as const) : following(row, askedAt, isPending)
    codes.asked(row.id, next.state, askedAt, next.askAt)
  }

  async #askSale(sale: SaleRow): Promise<void> {
    const { disk, platform } = this.#core
    const known = codeOfSale(this.#core, sale)
    const now = platform.now()
    if (!known) return disk.sales.asked(sale, sale.state, sale.askedAt, now + LEARN_MS)
    const state = await this.#stateOf(known)
    recordState(this.#core, known, state, sale)
    if (state.payments.length > 0) return disk.sales.asked(sale, 'PAID', now, null)
    if (disk.sales.get(sale.site, sale.qrcId, sale.saleUid)?.state !== sale.state) return
    const next = following(sale, now, state.isPending)
    disk.sales.asked(sale, next.state, now, next.askAt)
  }

  /** Adds codes that were registered from another disk to the reconciliation; refunds that it may have sent become HELD. */
  async #learn(now: number): Promise<void> {
    const { sites, disk, log } = this.#core
    // A new disk knows of nothing; of a code that ended long ago the bank is asked as well, once.
    const since = Math.min(Number(disk.meta.get('learnedAt') ?? now - LIST_MS), now - DAY_MS)
    let learnAt = now + LEARN_MS
    for (const site of sites.values()) {
      try {
        await this.#learnFrom(site, since)
      } catch (error) {
        log('warning', 'the lists of the service were not read', {
          site: site.siteId,
          error: messageOf(error),
        })
        // The delay is longer for a service that does not have these lists than for one that is down.
        if (!(error instanceof ListFailed && error.status < 500)) learnAt = now + 60_000
      }
    }
    this.#learnAt = learnAt
    if (learnAt === now + LEARN_MS) disk.meta.set('learnedAt', String(now))
  }

  async #learnFrom(site: OpenSite, since: number): Promise<void> {
    for await (const code of listCodes(this.#core, site, since)) learn(this.#core, site, code)
    for await (const { createdOn, amount, ...refund } of listRefunds(this.#core, site)) {
      // The others arrive as instructions, at a time that the service decides.
      const data = { ...refund, siteId: site.siteId }
      if (!isOlderThanDisk(this.#core, data, createdOn)) continue
      const value = { value: roublesOf(amount.kopecks), currency: amount.currency }
      takeRefund(this.#core, { ...data, amount: value }, createdOn)
    }
  }
}

/** What an unpaid code or sale becomes after the bank was asked about it, and when to ask again. */
function following(row: CodeRow | SaleRow, askedAt: number, isPending: boolean) {
  const { createdAt, expiresAt } = row
  const endsAt = row.state === 'CANCELLED' ? row.askedAt : (expiresAt ?? undefined)
  const askAt = nextAsk({ createdAt, endsAt, askedAt, isPending }) ?? null
  return { state: askAt === null && row.state === 'OPEN' ? ('ENDED' as const) : row.state, askAt }
}
