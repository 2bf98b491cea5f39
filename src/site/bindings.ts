// Reports of bindings: a customer's consent is a fact, whatever became of the QR code (contract, section 9).
import type { BindingReport } from '../contract/binding.ts'
import type { Caller } from '../contract/caller.ts'
import type { Network } from '../contract/payment.ts'
import type { QrCode } from '../contract/qr-code.ts'
import { transition } from '../contract/status.ts'
import type { Token } from '../contract/token.ts'
import type { Outcome } from '../errors.ts'
import { endInstruction } from './outbox.ts'
import { contradicts, ok } from './outcomes.ts'
import { MAX_DECLINED, type ReportTarget, TOO_MANY_DECLINED } from './payments.ts'
import { type QrCodeRow, qrCodeByNumber, qrCodeOf } from './rows/qr-codes.ts'
import { integer } from './rows/sql.ts'
import { type TokenRow, tokenOf, tokenRows } from './rows/tokens.ts'
import { recordEnd, recordTokenEvent } from './tokens.ts'
import { changeStatus, recordExpiry } from './transitions.ts'

/** What a token is made of, if the report makes one: made by the caller, so that a repeated call makes no second. */
export interface NewToken {
  value: string
  hash: string
  /** How long it can be charged. */
  days: number
}

export type NewBinding = BindingReport & { newToken: NewToken }

/** Where a report of a binding comes from. */
export interface BindingOrigin {
  network: Network
  caller: Caller
}

/** A token after a report, and its QR code where the site has it. */
export interface Bound {
  qrCode?: QrCode | undefined
  token: Token
  isReplayed: boolean
}

/**
 * Records the report of a binding; the same report again changes nothing.
 * @param target the QR code's row, where the site has the QR code of the link
 * @param now Unix seconds
 * @returns payin.resource.already.exists where an earlier report of the bindingUid contradicts it; http.too.many.requests
 * where the sandbox, and not the network, rejects too often
 */
export function reportBinding(
  sql: SqlStorage,
  target: ReportTarget,
  binding: NewBinding,
  origin: BindingOrigin,
  now: number,
): Outcome<Bound> {
  const row = target.row && recordExpiry(sql, target.row, now)
  if (row && origin.caller.actor !== 'network' && hasTooManyRejected(sql, row.number, now))
    return TOO_MANY_DECLINED
  const known = findBinding(sql, binding.bindingUid)
  const fields = known ? contradictions(known, target, binding) : []
  if (fields.length > 0) {
    const description = `bindingUid ${JSON.stringify(binding.bindingUid)} was reported with other fields, which this report contradicts`
    return contradicts(description, fields, 'an earlier report of this bindingUid')
  }
  const token = takeBinding(sql, { ...target, row }, binding, origin, now)
  if (token) recordBinding(sql, row, token, origin.caller, now)
  const after = token ?? known
  if (!after) throw new Error('a binding that was reported is missing')
  const current = row && qrCodeByNumber(sql, row.number)
  return ok({ qrCode: current && qrCodeOf(current, now), token: tokenOf(after, now), isReplayed: !token })
}

/** Records the event of a binding, and changes the status of a TOKEN code that takes it. */
export function recordBinding(
  sql: SqlStorage,
  row: QrCodeRow | undefined,
  token: TokenRow,
  by: Caller,
  at: number,
): void {
  const action = row && bindingAction(row, token)
  if (action) changeStatus(sql, row, { action, at, by, token })
  else recordTokenEvent(sql, token, by, at)
}

/** What a binding does to the status of its QR code; undefined where nothing. */
export function bindingAction({ type, status }: QrCodeRow, token: TokenRow): 'accept' | 'reject' | undefined {
  const action = token.status === 'CREATED' ? 'accept' : 'reject'
  const isAnswer = token.status === 'CREATED' || token.status === 'REJECTED'
  return isAnswer && type === 'TOKEN' && transition(status, action) ? action : undefined
}

/**
 * Writes what a report says of a binding, without its event.
 * @returns the token's row; undefined where the report changes nothing, or contradicts an earlier one
 */
export function takeBinding(
  sql: SqlStorage,
  target: ReportTarget,
  binding: NewBinding,
  { network }: BindingOrigin,
  now: number,
): TokenRow | undefined {
  const { row, linkId } = target
  const { bindingUid, status, bankMemberId, reason, newToken } = binding
  const found = findBinding(sql, bindingUid)
  const known = found && recordEnd(sql, found, now)
  if (known && (contradictions(known, target, binding).length > 0 || isSame(known, binding))) {
    // The confirmation of a deletion. A repeat of an older report confirms nothing.
    if (known.status === 'DELETED' && status === 'DELETED' && known.event !== null)
      endInstruction(sql, known.event)
    return undefined
  }
  const isCreated = status === 'CREATED'
  const columns = {
    number: known?.number ?? waitingToken(sql, row) ?? null,
    binding_uid: bindingUid,
    qr_code: row?.number ?? null,
    link_id: linkId,
    account: row?.tokenization_account ?? '',
    status,
    value: isCreated ? newToken.value : null,
    hash: isCreated ? newToken.hash : null,
    bank: bankMemberId ?? null,
    reason: reason ?? null,
    network,
    changed_at: now,
    due_at: isCreated ? now + newToken.days * 86_400 : null,
  }
  const names = Object.keys(columns)
  const number = integer(
    sql,
    `INSERT INTO tokens (${names}) VALUES (${names.map(() => '?')})
     ON CONFLICT (number) DO UPDATE SET binding_uid = excluded.binding_uid, status = excluded.status,
       value = ifnull(excluded.value, value), hash = ifnull(excluded.hash, hash), bank = ifnull(excluded.bank, bank),
       reason = excluded.reason, network = excluded.network, changed_at = excluded.changed_at,
       due_at = ifnull(excluded.due_at, due_at)
     RETURNING number`,
    ...Object.values(columns),
  )
  return tokenRows(sql, 'WHERE tokens.number = ?', number ?? null)[0]
}

/**
 * The QR code is paid, and its customer was asked for a token: unless an answer comes, the clock rejects it when the ttl is
 * over.
 */
export function awaitBinding(sql: SqlStorage, row: QrCodeRow, { network }: BindingOrigin, now: number): void {
  sql.exec(
    `INSERT INTO tokens (qr_code, link_id, account, status, network, changed_at, due_at)
     SELECT ?, ?, ?, 'WAITING', ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM tokens WHERE qr_code = ?)`,
    ...[row.number, row.link_id, row.tokenization_account ?? '', network, now],
    // A payment can be reported after the ttl.
    ...[Math.max(row.expires_at, now), row.number],
  )
}

const findBinding = (sql: SqlStorage, bindingUid: string): TokenRow | undefined =>
  tokenRows(sql, 'WHERE binding_uid = ?', bindingUid)[0]

/** Whether as many bindings of the QR code were rejected within the last minute as payments can be declined. */
const hasTooManyRejected = (sql: SqlStorage, qrCode: number, now: number): boolean =>
  (integer(
    sql,
    "SELECT count(*) FROM tokens WHERE qr_code = ? AND status = 'REJECTED' AND changed_at BETWEEN ? AND ?",
    ...[qrCode, now - 59, now],
  ) ?? 0) >= MAX_DECLINED

/**
 * The row of the token that waits for this binding, also where it was too late. The index is named, because SQLite would
 * rather read all tokens of the site that have no binding.
 */
const waitingToken = (sql: SqlStorage, row: QrCodeRow | undefined): number | undefined =>
  integer(
    sql,
    'SELECT number FROM tokens INDEXED BY tokens_by_qr_code WHERE qr_code = ? AND binding_uid IS NULL',
    row?.number ?? null,
  )

/** A token that has expired was created. */
const isSame = (known: TokenRow, { status }: BindingReport): boolean =>
  known.status === status || (known.status === 'EXPIRED' && status === 'CREATED')

/** The fields that contradict an earlier report: DELETED is final, and what was created cannot be rejected. */
function contradictions(
  known: TokenRow,
  { linkId }: ReportTarget,
  { status }: BindingReport,
): ('qrcId' | 'status')[] {
  const isFinal = known.status === 'DELETED' && status !== 'DELETED'
  const wasCreated = known.status === 'CREATED' || known.status === 'EXPIRED'
  return [
    ...(known.link_id === linkId ? [] : ['qrcId' as const]),
    ...(isFinal || (wasCreated && status === 'REJECTED') ? ['status' as const] : []),
  ]
}
