// Pages of the bindings that a connector asks its bank about (contract, section 14).
import type {
  NetworkBinding,
  NetworkBindingStatus,
  NetworkBindingsQuery,
  PartCursor,
} from '../../contract/network-tokens.ts'
import type { Network } from '../../contract/payment.ts'
import { requestsToken, TYPES } from '../../contract/qr-code.ts'
import { PAYABLE_STATUSES } from '../../contract/status.ts'
import type { TokenStatus } from '../../contract/token.ts'
import { nextEndAfter, tokenAt } from '../clock.ts'
import type { Context } from '../context.ts'
import { AFTER_END, ENDED_ROWS, numbersOf } from '../qr-codes/rows.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import type { Seconds } from '../time.ts'
import { type TokenRow, tokenRows } from './rows.ts'

const DAY = 86_400
/** Rows that one query reads. */
const CHUNK = 500
/** Rows that one page reads: most of them can be of codes that request no token. */
const MAX_READ = 2_000

export interface NetworkBindingsPage {
  bindings: NetworkBinding[]
  /** After which position the list goes on; absent on the last page. */
  next?: PartCursor | undefined
}

interface Position {
  at: number
  number: number
}

/** A row of a part; `binding` is undefined where the list leaves it out. */
type Read = Position & { binding: NetworkBinding | undefined }

/**
 * A list has parts, and each part is a range of an index: what moves while its pages are read moves to a later part, so that none
 * is missed.
 */
interface Part {
  /** Before its first row. */
  start: Position
  read(after: Position, limit: number): Read[]
}

/** A page of the bindings of a network; it can have fewer than its limit, and be followed by others. */
export function networkBindings(
  context: Context,
  network: Network,
  { status, endedFrom = context.now - DAY, limit, cursor }: NetworkBindingsQuery,
): NetworkBindingsPage {
  const bindings: NetworkBinding[] = []
  let left = MAX_READ
  for (const [number, part] of PARTS[status](context, network, Math.min(endedFrom, context.now)).entries()) {
    if (cursor && number < cursor.part) continue
    let after: Position = cursor?.part === number ? cursor : part.start
    for (let isLast = false; !isLast; ) {
      const rows = part.read(after, CHUNK)
      for (const row of rows) {
        after = row
        left--
        if (row.binding) bindings.push(row.binding)
        if (bindings.length === limit || left === 0)
          return { bindings, next: { part: number, ...positionOf(row) } }
      }
      isLast = rows.length < CHUNK
    }
  }
  return { bindings }
}

const positionOf = ({ at, number }: Position): Position => ({ at, number })

type Parts = (context: Context, network: Network, endedFrom: number) => Part[]

const PARTS: Record<NetworkBindingStatus, Parts> = {
  WAITING: (context, network, endedFrom) => [
    openCodes(context),
    tokensIn('WAITING', context, network),
    endedCodes(context, endedFrom),
    // A bank's consent can come after the clock rejected a token without the customer's answer.
    tokensIn('REJECTED', context, network, { from: endedFrom, lists: isUnanswered }),
  ],
  CREATED: (context, network) => [tokensIn('CREATED', context, network, { from: nextEndAfter(context.now) })],
  ENDED: (context, network, endedFrom) => [
    // Tokens whose end is not recorded yet.
    tokensIn('CREATED', context, network, {
      from: endedFrom,
      lists: (row) => tokenAt(row, context.now).status !== 'CREATED',
    }),
    tokensIn('EXPIRED', context, network, { from: endedFrom }),
    tokensIn('DELETED', context, network, { from: endedFrom }),
  ],
}

const isUnanswered = ({ binding_uid }: TokenRow): boolean => binding_uid === null

/** The tokens with a status, by when it ends or began. */
function tokensIn(
  status: TokenStatus,
  { sql, now }: Context,
  network: Network,
  { from = 0, lists = () => true }: { from?: number; lists?: (row: TokenRow) => boolean } = {},
): Part {
  return {
    start: before(from),
    read: ({ at, number }, limit) =>
      tokenRows(
        sql,
        `WHERE tokens.number IN (SELECT number FROM tokens INDEXED BY tokens_by_time
           WHERE status = ? AND (at, number) > (?, ?) ORDER BY at, number LIMIT ?) ORDER BY at, tokens.number`,
        ...[status, at, number, limit],
      ).map((row) => ({
        at: row.at ?? 0,
        number: row.number,
        binding: row.network === network && lists(row) ? bindingOf(row, now) : undefined,
      })),
  }
}

function bindingOf(row: TokenRow, now: Seconds): NetworkBinding {
  const end = row.due_at ?? undefined
  return {
    bindingUid: row.binding_uid ?? undefined,
    qrcId: row.link_id,
    reference: row.reference ?? undefined,
    bindingReference: row.binding_reference ?? undefined,
    status: tokenAt(row, now).status,
    ...(row.value === null ? { expiresAt: end } : { expiredAt: end }),
  }
}

const readCodes = rowsWith({
  at: int,
  number: int,
  type: oneOf(TYPES),
  create_token: int,
  link_id: text,
  reference: orNull(text),
  end_at: inSeconds,
  is_bound: int,
})

/** @param at the expression of a code's place in the order */
const codes = (at: string) => `SELECT ${at} AS at, number, type, create_token, link_id, reference, end_at,
    EXISTS (SELECT 1 FROM tokens WHERE tokens.qr_code = qr_codes.number AND hash IS NOT NULL) AS is_bound FROM qr_codes`

const readOf = (sql: SqlStorage, query: string, ...bindings: number[]): Read[] =>
  readCodes(sql, query, ...bindings).map((row) => {
    const isAsked =
      requestsToken({ type: row.type, createToken: row.create_token === 1 }) && row.is_bound === 0
    const binding = {
      qrcId: row.link_id,
      reference: row.reference ?? undefined,
      status: 'WAITING',
      expiresAt: row.end_at,
    } as const
    return { at: row.at, number: row.number, binding: isAsked ? binding : undefined }
  })

const OPEN_RANGES = PAYABLE_STATUSES.flatMap((status) =>
  ["type = 'TOKEN' AND type <> 'DYNAMIC'", "type = 'DYNAMIC' AND create_token = 1"].map(
    (condition) => `SELECT * FROM (SELECT number FROM qr_codes INDEXED BY qr_codes_by_type
      WHERE ${condition} AND status = '${status}' AND number > ?1 ORDER BY number LIMIT ?2)`,
  ),
)

/** The codes that request a token and can be paid. */
const openCodes = ({ sql }: Context): Part => ({
  start: { at: 0, number: 0 },
  read: ({ number }, limit) =>
    readOf(
      sql,
      `${codes('0')} WHERE number IN (${OPEN_RANGES.join(' UNION ALL ')}) ORDER BY number LIMIT ?2`,
      number,
      limit,
    ),
})

/** The QR codes that ended. */
const endedCodes = ({ sql }: Context, endedFrom: number): Part => ({
  start: before(endedFrom),
  read: ({ at, number }, limit) =>
    readOf(
      sql,
      `${codes('end_at')} WHERE number IN (${numbersOf(ENDED_ROWS, AFTER_END)}) ORDER BY end_at, number LIMIT ?3`,
      ...[at, number, limit],
    ),
})

/** The last position before a time. */
const before = (at: number): Position => ({ at: at - 1, number: Number.MAX_SAFE_INTEGER })
