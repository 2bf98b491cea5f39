// When a bank is asked about a code, a refund or a charge: often while it is new, and after its end until the bank states that it is over.

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
/** Work at a bank that is not configured is due again after this. */
export const MISSING_BANK_MS = HOUR_MS
/** A payment of the last second is settled by then. */
const GRACE = MINUTE_MS
/** A bank can state what was true some minutes ago: that nothing was paid must be stated so long after the end. */
const CONFIRMED = HOUR_MS

/** Without a result by then, a refund or a charge is shown to the operator. The connector goes on with it as before. */
export const UNDECIDED_MS = 72 * HOUR_MS
export const UNDECIDED = 'the bank has stated no result for 72 hours'

/** What is asked about; times are Unix milliseconds. */
interface Asked {
  createdAt: number
  /** Undefined if it never ends. */
  endsAt: number | undefined
  askedAt: number
  /** Whether the bank states a payment in progress: then the code is asked about after its end, too. */
  isPending: boolean
  /** Whether the bank states that nothing will be paid any more. */
  isOver?: boolean
}

/** @returns Unix milliseconds, perhaps in the past; undefined: never again */
export function nextAsk({
  createdAt,
  endsAt,
  askedAt,
  isPending,
  isOver = false,
}: Asked): number | undefined {
  if (endsAt === undefined) return askedAt + intervalAt(askedAt - createdAt)
  if (!isLate(askedAt, endsAt)) {
    return Math.min(askedAt + intervalAt(askedAt - createdAt), endsAt + GRACE)
  }
  if (isPending) return askedAt + intervalAt(askedAt - endsAt)
  if (!isOver) return askedAt + HOUR_MS
  return askedAt >= endsAt + CONFIRMED ? undefined : endsAt + CONFIRMED
}

/** Whether the bank was asked when it could state everything that was paid. */
export const isLate = (askedAt: number, endsAt: number | undefined): boolean =>
  endsAt !== undefined && askedAt >= endsAt + GRACE

/** Each minute in the first quarter of an hour, every ten minutes in the first hour, then every hour. */
export function intervalAt(age: number): number {
  if (age < 15 * MINUTE_MS) return MINUTE_MS
  return age < HOUR_MS ? 10 * MINUTE_MS : HOUR_MS
}

/** @returns milliseconds since a refund or a charge was sent; since it was taken where that is not known */
export function sinceSent(
  { sentAt, createdAt }: { sentAt: number | null; createdAt: number },
  now: number,
): number {
  // A clock that was wrong when it was sent says nothing.
  const isKnown = sentAt !== null && sentAt >= createdAt && sentAt <= now
  return now - (isKnown ? sentAt : createdAt)
}

/**
 * Whether a time has come that is set at most `longest` ahead. One that is further ahead was set by a clock that has gone back
 * since.
 */
export const isDue = (time: number, now: number, longest: number): boolean =>
  now >= time || time - now > longest

const DELAYS = [5, 30, 60, 300, 600]

/** The delay before another attempt, in milliseconds, after that many failures: from 5 seconds to an hour. */
export function retryDelay(failures: number): number {
  return (DELAYS[failures] ?? 3_600) * 1_000
}
