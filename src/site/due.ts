// What the clock changes, recorded when it is due.
import type { Context } from './context.ts'
import { deleteEnded } from './outbox/outbox.ts'
import { applyRemaining } from './payments/unknown.ts'
import { sweep } from './retention.ts'
import { recordSaleEnds } from './sale-ends.ts'
import { removeExpired } from './sessions.ts'
import type { Milliseconds } from './time.ts'
import { recordEnds } from './tokens/tokens.ts'
import { recordExpiries } from './transitions.ts'

/** QR codes, and tokens, whose end one write records; more need further writes, so that other calls are served in between. */
const MAX_ENDS = 500

/** Records the ends that are due, applies payments that wait for that, and deletes what is to be deleted; all in parts. */
export function recordDue(context: Context, now: Milliseconds): void {
  recordExpiries(context, MAX_ENDS)
  recordEnds(context, MAX_ENDS)
  recordSaleEnds(context, MAX_ENDS)
  applyRemaining(context)
  deleteEnded(context.sql, now)
  sweep(context, now)
  removeExpired(context.sql, context.now)
}
