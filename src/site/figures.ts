// Tells the registry the figures that the operator watches: what waits, what is overdue, the size (contract, section 16).
import * as z from 'zod/mini'
import type { Figures } from '../contract/announcement.ts'
import { hasMerchantEndpoint } from './outbox/notifications.ts'
import { OVERDUE } from './outbox/outbox.ts'
import { isRestored } from './rows/site.ts'
import { integer, requiredInteger, type Sql, text } from './rows/sql.ts'
import type { Store } from './store.ts'
import { type Milliseconds, milliseconds, plus } from './time.ts'

/** What has waited for less is not counted: most deliveries take less than a second. */
const MIN_WAIT = milliseconds(60_000)
/** The shortest time between two reports of one site. */
const REPORT_INTERVAL = milliseconds(60_000)
/** A change of the size alone is reported where it is at least this part, and not more often than this. */
const SIZE_CHANGE = 1 / 16
const SIZE_INTERVAL = milliseconds(3_600_000)

/** The figures as the tables have them. @param bytes the size of the database */
export function figuresOf(sql: Sql, now: Milliseconds, bytes: number): Figures {
  // Without an endpoint nobody waits for them, and no attempt is made.
  const notifications = hasMerchantEndpoint(sql) ? waiting(sql, "queue = 'merchant'", now) : NOTHING
  const instructions = waiting(sql, "queue <> 'merchant'", now)
  return {
    notifications: notifications.count,
    ...(notifications.oldest !== undefined && { oldestNotification: notifications.oldest }),
    failedNotifications: requiredInteger(sql, "SELECT count(*) FROM outbox WHERE status = 'FAILED'"),
    instructions: instructions.count,
    ...(instructions.oldest !== undefined && { oldestInstruction: instructions.oldest }),
    overdueInstructions: requiredInteger(
      sql,
      "SELECT count(*) FROM outbox WHERE status = 'PENDING' AND queue <> 'merchant' AND created_at <= ?",
      now - OVERDUE,
    ),
    isRestored: isRestored(sql),
    bytes,
  }
}

const NOTHING = { count: 0, oldest: undefined }

/** The rows of a queue that have waited for MIN_WAIT or longer. */
function waiting(sql: Sql, queue: string, now: Milliseconds) {
  const from = `FROM outbox WHERE status = 'PENDING' AND ${queue} AND created_at <= ?`
  const before = now - MIN_WAIT
  return {
    count: requiredInteger(sql, `SELECT count(*) ${from}`, before),
    oldest: integer(sql, `SELECT min(created_at) ${from}`, before),
  }
}

const FiguresColumn: z.ZodMiniType<Figures> = z.object({
  notifications: z.int(),
  oldestNotification: z.optional(z.int()),
  failedNotifications: z.int(),
  instructions: z.int(),
  oldestInstruction: z.optional(z.int()),
  overdueInstructions: z.int(),
  isRestored: z.boolean(),
  bytes: z.int(),
})

/** What the registry has taken last, where it has, and when it was told last. */
function toldOf(sql: Sql): { figures: Figures | undefined; at: Milliseconds } {
  const figures = text(sql, 'SELECT told FROM site')
  const at = milliseconds(requiredInteger(sql, 'SELECT told_at FROM site'))
  return { figures: figures === undefined ? undefined : FiguresColumn.parse(JSON.parse(figures)), at }
}

/** The registry has taken the figures. Equal ones write nothing: a start does this for every site. */
export const setTold = (sql: Sql, figures: Figures, at: Milliseconds): void =>
  void sql.exec('UPDATE site SET told = ?1, told_at = ?2 WHERE told IS NOT ?1', JSON.stringify(figures), at)

/**
 * When the figures are told again because nothing waits any more, undefined if the registry knows no other. While
 * something waits for an attempt, that wakes the object. Of a deleted site nothing is told.
 */
export function nextFigures(sql: Sql): Milliseconds | undefined {
  const at = integer(
    sql,
    `SELECT told_at FROM site
     WHERE restored = 0 AND deleted_at IS NULL AND (told ->> 'notifications' + told ->> 'instructions' > 0 OR told ->> 'isRestored')`,
  )
  return at === undefined ? undefined : plus(milliseconds(at), REPORT_INTERVAL)
}

export interface FigureTellerOptions {
  store: Store
  /** Resolves when the registry has them on disk; false if it does not have the site yet. */
  tell(figures: Figures): Promise<boolean>
}

export class FigureTeller {
  readonly #options: FigureTellerOptions

  constructor(options: FigureTellerOptions) {
    this.#options = options
  }

  /** Tells the figures where they are news. The alarm runs it: no request waits for it. */
  async run(): Promise<void> {
    const { store } = this.#options
    const now = store.milliseconds
    const figures = figuresOf(store.sql, now, store.sql.databaseSize)
    if (!store.isDeleted && isNews(figures, toldOf(store.sql), now)) await this.#tell(figures, now)
  }

  async #tell(figures: Figures, now: Milliseconds): Promise<void> {
    const { store, tell } = this.#options
    try {
      if (!(await tell(figures))) throw new Error('the registry does not have the site yet')
      await store.writeOwn(({ sql }) => setTold(sql, figures, now))
    } catch (error) {
      store.warn('the figures of a site were not taken', { fault: String(error) })
      await store.writeOwn(({ sql }) => sql.exec('UPDATE site SET told_at = ?', now))
    }
  }
}

function isNews(
  figures: Figures,
  { figures: told, at }: ReturnType<typeof toldOf>,
  now: Milliseconds,
): boolean {
  if (now < plus(at, REPORT_INTERVAL)) return false
  if (!told) return true
  const { bytes, ...rest } = figures
  const { bytes: toldBytes, ...toldRest } = told
  if (JSON.stringify(rest) !== JSON.stringify(toldRest)) return true
  return now >= plus(at, SIZE_INTERVAL) && Math.abs(bytes - toldBytes) > toldBytes * SIZE_CHANGE
}
