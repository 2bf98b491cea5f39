// An outbox without the object around it, with a clock of the test's own and without jitter.
import type { Delivered } from '../../src/contract/delivery.ts'
import type { Instruction } from '../../src/contract/instruction.ts'
import type { NotificationContent } from '../../src/contract/notifications/content.ts'
import type { Network } from '../../src/contract/payment.ts'
import { migrate } from '../../src/site/database/schema.ts'
import { instructionDelay, retryDelay } from '../../src/site/outbox/backoff.ts'
import {
  endInstruction,
  enqueueInstruction,
  enqueueNotification,
  leaseDue,
  nextDelivery,
} from '../../src/site/outbox/outbox.ts'
import { recordRedelivery, recordResult } from '../../src/site/outbox/results.ts'
import { type OutboxRow, outboxRows, type Queue } from '../../src/site/outbox/rows.ts'
import { milliseconds } from '../../src/site/time.ts'
import { inNewSite } from './site.ts'

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const START = Date.UTC(2026, 10, 20)
export const TAKEN: Delivered = { httpStatus: 204, ms: 0 }
export const FAILED: Delivered = { httpStatus: 500, ms: 0 }

export const notification: NotificationContent = {
  type: 'QR_CODE',
  qrCodeUid: 'a',
  status: 'EXPIRED',
  changedAt: 0,
}
export const instruction: Instruction = {
  type: 'refund.create',
  linkId: 'AD100004BAL7227F9BNP6KNE007J9B3K',
  paymentUid: 'payment-1',
  refundUid: 'refund-1',
  amount: { minorUnits: 500, currency: 'RUB' },
}

/** Runs tests in new outboxes. @param queue the default queue of a call */
export const outboxesFor =
  (queue: Queue) =>
  (work: (outbox: Outbox) => void): Promise<void> =>
    inNewSite((storage) => {
      migrate(storage)
      work(outboxOf(storage.sql, queue))
    })

export type Outbox = ReturnType<typeof outboxOf>

function outboxOf(sql: SqlStorage, tested: Queue) {
  const row = (number: number) => {
    const [found] = outboxRows(sql, 'WHERE event = ?', number)
    if (!found) throw new Error(`there is no row ${number}`)
    return found
  }
  return {
    sql,
    row,
    statuses: () => outboxRows(sql, 'ORDER BY event').map(({ status }) => status),
    notify: (number: number, qrCode?: number, now = START) =>
      enqueueNotification(sql, { event: number, qrCode, now: milliseconds(now) }, 'merchant', notification),
    instruct: (number: number, qrCode?: number, now = START, network: Network = 'external') =>
      enqueueInstruction(sql, { event: number, qrCode, now: milliseconds(now) }, network, instruction),
    lease: (now: number, queue = tested) => leaseDue(sql, queue, milliseconds(now)),
    next: (queue = tested) => nextDelivery(sql, queue),
    record(leased: OutboxRow, result: Delivered, at: number) {
      const delay = leased.queue === 'merchant' ? retryDelay : instructionDelay
      const retry = (used: number, after?: number) => delay(used, 0.5, after)
      recordResult(sql, leased, { ...result, at: milliseconds(at) }, retry)
    },
    redelivered: (number: number, result: Delivered, at: number) =>
      recordRedelivery(sql, row(number), { ...result, at: milliseconds(at) }),
    report: (number: number) => endInstruction(sql, number),
  }
}

/** Leases the only row that is due, and records its result at once. */
export function attempt({ lease, record }: Outbox, now: number, result: Delivered): OutboxRow {
  const [leased, ...others] = lease(now)
  if (!leased || others.length > 0) throw new Error(`${leased ? others.length + 1 : 0} rows are due, not 1`)
  record(leased, result, now)
  return leased
}

/** At least three failures in a row: the endpoint is probed from now on. */
export function fail({ lease, record }: Outbox, now: number, queue?: Queue): void {
  const leased = lease(now, queue)
  if (leased.length < 3) throw new Error(`${leased.length} rows are due, fewer than 3`)
  for (const row of leased) record(row, FAILED, now)
}

export const numbersOf = (rows: readonly { event: number }[]): number[] => rows.map(({ event }) => event)

/** 1, 2, … */
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1)
