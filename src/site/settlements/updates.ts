// Tells the registry the figures of the site's settlements, after an import, when an entry is matched later, and each day.

import type { MonthFigures } from '../../contract/settlements/month-figures.ts'
import { CLOCK, type Context, type Memory } from '../context.ts'
import { earliest, type Milliseconds, milliseconds, plus, toSeconds } from '../time.ts'
import {
  type FiguresSettings,
  figuresKey,
  figuresStamp,
  nextDay,
  setToldKey,
  toldKeyIn,
} from './figures-key.ts'
import { settlements } from './load.ts'

/** Figures that change often are told once in this time; so is an attempt repeated. */
const INTERVAL = milliseconds(30_000)

/** What the sender needs of the site's object. */
interface Site {
  readonly sql: SqlStorage
  readonly milliseconds: Milliseconds
  readonly isDeleted: boolean
  readonly memory: Memory
  readonly name: { readonly value: string }
  readonly tables: { read<T>(operation: () => T): T }
  writeOwn<T>(operation: (context: Context) => T): Promise<T>
  warn(message: string, more: object): void
}

interface Options {
  site: Site
  /** Undefined where the deployment's settings are wrong. */
  settings: FiguresSettings | undefined
  /** Resolves when the registry has them on disk. */
  record(months: MonthFigures[]): Promise<void>
  /** Keeps the object in memory until the registry has answered. */
  waitUntil(work: Promise<void>): void
}

export class SettlementUpdates {
  readonly #options: Options
  #told: string | undefined
  #known: { stamp: string; key: string } | undefined
  #wakeAt: Milliseconds | undefined
  #isTelling = false

  constructor(options: Options) {
    this.#options = options
  }

  /** When the alarm is to run `check`; undefined of a site without settlements. */
  get wakeAt(): Milliseconds | undefined {
    return this.#wakeAt
  }

  /** At the object's start. The alarm may have started it, so what was not told is due now: an idle object ends in 10 seconds. */
  start(): void {
    if (this.#isSettling) this.#plan(milliseconds(0))
  }

  /** Runs after each flush. @param mayChange false where no figure can have changed, as by creates */
  flushed(mayChange: boolean): void {
    if (!this.#isSettling) this.#wakeAt = undefined
    else if (mayChange) this.#plan()
  }

  /** Tells what has changed. The alarm runs it. */
  check(): void {
    const { site, settings, waitUntil } = this.#options
    if (this.#wakeAt === undefined || site.milliseconds < this.#wakeAt) return
    if (!settings || !this.#isSettling) {
      this.#wakeAt = undefined
      return
    }
    // The alarm comes again where the object ends before the registry answers, or where that takes long.
    this.#wakeAt = plus(site.milliseconds, INTERVAL)
    if (this.#isTelling) return
    const key = this.#key()
    if (key === this.#told) {
      this.#wakeAt = this.#nextDay()
      return
    }
    this.#isTelling = true
    waitUntil(this.#tell(key, settings))
  }

  /** All months are told each time: a registry that has lost some has them again a day later. */
  async #tell(key: string, settings: FiguresSettings): Promise<void> {
    const { site, record } = this.#options
    try {
      const { monthsOf, figuresOf } = await settlements()
      const months: MonthFigures[] = []
      for (const month of this.#read((context) => monthsOf(context, settings))) {
        const figures = this.#read((context) => figuresOf(context, month, settings))
        if (figures) months.push(figures)
        // A month can have 100,000 entries: the site answers between two of them.
        await new Promise<void>((resolve) => setTimeout(resolve, 0))
      }
      await record(months)
      this.#told = key
      await site.writeOwn(({ sql }) => setToldKey(sql, key))
    } catch (error) {
      site.warn('the registry was not told of settlements', { fault: String(error) })
    }
    this.#isTelling = false
  }

  #read<T>(operation: (context: Context) => T): T {
    const { sql, memory, name, milliseconds: now, tables } = this.#options.site
    const context = { sql, memory, siteId: name.value, now: toSeconds(now), by: CLOCK }
    return tables.read(() => operation(context))
  }

  get #isSettling(): boolean {
    const { site, settings } = this.#options
    return settings !== undefined && !site.isDeleted && site.memory.hasSettlements
  }

  #plan(delay = INTERVAL): void {
    const { site } = this.#options
    this.#told ??= this.#read(({ sql }) => toldKeyIn(sql))
    const isNews = this.#key() !== this.#told
    this.#wakeAt = isNews ? earliest(this.#wakeAt, plus(site.milliseconds, delay)) : this.#nextDay()
  }

  #key(): string {
    return this.#read(({ sql, now }) => {
      const stamp = figuresStamp(sql, now)
      if (this.#known?.stamp !== stamp) this.#known = { stamp, key: figuresKey(sql, now) }
      return this.#known.key
    })
  }

  #nextDay = (): Milliseconds => nextDay(toSeconds(this.#options.site.milliseconds))
}
