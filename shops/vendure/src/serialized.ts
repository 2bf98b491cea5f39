// One change of an order's payments at a time: in this process by a queue, among processes by a row of the database.
import type { ID, RequestContext, TransactionalConnection } from '@vendure/core'
import { FpsQrCode } from './entities'

const last = new Map<string, Promise<unknown>>()

/** Runs the work after all earlier work of the same order. SQLite has one connection, on which no row is locked. */
export async function inTurn<T>(orderId: ID, work: () => Promise<T>): Promise<T> {
  const key = String(orderId)
  const before = last.get(key) ?? Promise.resolve()
  const turn = before.then(work, work)
  // A later one waits for this one, whether it fails or not.
  const settled = turn.catch(() => {})
  last.set(key, settled)
  try {
    return await turn
  } finally {
    if (last.get(key) === settled) last.delete(key)
  }
}

/** Waits until no other transaction changes the order's payments; then none does until this one ends. */
export async function lockOrder(
  connection: TransactionalConnection,
  ctx: RequestContext,
  orderId: ID,
): Promise<void> {
  await connection.getRepository(ctx, FpsQrCode).increment({ orderId }, 'changes', 1)
}
