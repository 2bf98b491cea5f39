// One change of an order's payments at a time: in this process by a queue, among processes by a row of the database.
import { type ID, type RequestContext, type TransactionalConnection, UserInputError } from '@vendure/core'
import { FpsQrCode } from './entities'

const last = new Map<string, Promise<unknown>>()

/**
 * Runs the work after all earlier work of the same order. SQLite has one connection, on which no row is locked.
 * @param patienceMs a caller whose transaction may hold what the earlier work waits for does not wait longer
 */
export async function inTurn<T>(orderId: ID, work: () => Promise<T>, patienceMs?: number): Promise<T> {
  const key = String(orderId)
  const before = last.get(key) ?? Promise.resolve()
  let isLate = false
  let timer: NodeJS.Timeout | undefined
  const begin = () => {
    clearTimeout(timer)
    if (isLate) throw busy()
    return work()
  }
  const turn = before.then(begin)
  // A later one waits for this one, whether it fails or not.
  const settled = turn.catch(() => {})
  last.set(key, settled)
  settled.then(() => {
    if (last.get(key) === settled) last.delete(key)
  })
  if (patienceMs === undefined) return turn
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true
      reject(busy())
    }, patienceMs)
  })
  return Promise.race([turn, late])
}

const busy = () => new UserInputError('a payment of this order is being changed, try again')

/** Waits until no other transaction changes the order's payments; then none does until this one ends. */
export async function lockOrder(
  connection: TransactionalConnection,
  ctx: RequestContext,
  orderId: ID,
): Promise<void> {
  await connection.getRepository(ctx, FpsQrCode).increment({ orderId }, 'changes', 1)
}
