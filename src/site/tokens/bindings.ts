// Reports of bindings: a customer's consent is a fact, whatever became of the QR code (contract, section 9).
import type { BindingReport } from '../../contract/binding.ts'
import { PAYER } from '../../contract/caller.ts'
import type { QrCode } from '../../contract/qr-code.ts'
import { transition } from '../../contract/status.ts'
import type { Token } from '../../contract/token.ts'
import type { Outcome } from '../../errors.ts'
import { qrCodeForWrite, tokenAt, tokenForWrite } from '../clock.ts'
import type { Context, ReportContext } from '../context.ts'
import { endInstruction } from '../outbox/outbox.ts'
import { contradicts, ok } from '../outcomes.ts'
import { changeStatus } from '../qr-codes/changes.ts'
import { qrCodeOf } from '../qr-codes/qr-code.ts'
import { type ReportKey, type ReportTarget, reportTarget } from '../qr-codes/report-target.ts'
import { type QrCodeRow, qrCodeByNumber } from '../qr-codes/rows.ts'
import { integer, requiredInteger } from '../rows/sql.ts'
import { toMilliseconds } from '../time.ts'
import { recordTokenEvent } from './changes.ts'
import { endBinding } from './end-binding.ts'
import { type TokenRow, tokenOf, tokenRows } from './rows.ts'

/** What a token is made of, if the report makes one: made by the caller, so that a repeated call makes no second. */
export interface NewToken {
  value: string
  hash: string
  /** How long it can be charged. */
  days: number
}

export type NewBinding = BindingReport & { newToken: NewToken }

/** Where a report of a binding comes from. */
export type BindingOrigin = Pick<ReportContext, 'network'>

/** A token after a report, and its QR code where the site has it. */
export interface Bound {
  qrCode?: QrCode | undefined
  token: Token
  isReplayed: boolean
}

/**
 * Records the report of a binding; the same report again changes nothing.
 * @returns payin.resource.not.found; payin.resource.already.exists where an earlier report of the bindingUid contradicts it
 */
export function reportBinding(context: ReportContext, key: ReportKey, binding: NewBinding): Outcome<Bound> {
  const { sql, now } = context
  const reported = reportTarget(context, key)
  if (!reported.ok) return reported
  const { row } = reported.value
  const known = tokenForWrite(context, binding)
  const fields = known ? contradictions(known, reported.value, binding) : []
  if (fields.length > 0) {
    const description = `bindingUid ${JSON.stringify(binding.bindingUid)} was reported with other fields, which this report contradicts`
    return contradicts(description, fields, 'an earlier report of this bindingUid')
  }
  const token = takeBinding(context, reported.value, binding)
  if (token) recordBinding(context, row, token)
  const after = token ?? known
  if (!after) throw new Error('a binding that was reported is missing')
  const current = row && qrCodeByNumber(sql, row.number)
  return ok({
    qrCode: current && qrCodeOf(current, now),
    token: tokenOf(after, tokenAt(after, now).status),
    isReplayed: !token,
  })
}

/** Records the event of a binding, and changes the status of a TOKEN code that takes it. */
export function recordBinding(context: Context, row: QrCodeRow | undefined, token: TokenRow): void {
  const action = row && bindingAction(row, token)
  if (action) changeStatus(context, row, { action, token })
  else recordTokenEvent(context, token, qrCodeForWrite(context, { number: token.qr_code }))
}

/** What a binding does to the status of its QR code; undefined if nothing. */
export function bindingAction({ type, status }: QrCodeRow, token: TokenRow): 'accept' | 'reject' | undefined {
  const action = token.status === 'CREATED' ? 'accept' : 'reject'
  const isAnswer = token.status === 'CREATED' || token.status === 'REJECTED'
  return isAnswer && type === 'TOKEN' && transition(status, action) ? action : undefined
}

/**
 * Writes what a report says of a binding, without its event.
 * @returns the token's row; undefined if the report changes nothing, or contradicts an earlier one
 */
export function takeBinding(
  context: ReportContext,
  target: ReportTarget,
  binding: NewBinding,
): TokenRow | undefined {
  const { sql, now, network } = context
  const { row, linkId } = target
  const { bindingUid, status, bankMemberId, reason, reference, newToken } = binding
  const known = tokenForWrite(context, binding)
  if (known && (contradictions(known, target, binding).length > 0 || isSame(known, binding))) {
    // The confirmation of an instruction. A repeat of an older report confirms nothing.
    if (status === 'DELETED' && known.event !== null) endInstruction(sql, known.event)
    if (isStopped(known, binding) && known.event === null) stopAgain(context, known, target)
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
    binding_reference: reference ?? null,
    ended_by: status === 'DELETED' ? 'network' : null,
  }
  const names = Object.keys(columns)
  const number = requiredInteger(
    sql,
    `INSERT INTO tokens (${names}) VALUES (${names.map(() => '?')})
     ON CONFLICT (number) DO UPDATE SET binding_uid = excluded.binding_uid, status = excluded.status,
       value = ifnull(excluded.value, value), hash = ifnull(excluded.hash, hash), bank = ifnull(excluded.bank, bank),
       reason = excluded.reason, network = excluded.network, changed_at = excluded.changed_at,
       due_at = ifnull(excluded.due_at, due_at), ended_by = excluded.ended_by,
       binding_reference = ifnull(excluded.binding_reference, binding_reference)
     RETURNING number`,
    ...Object.values(columns),
  )
  return tokenRows(sql, 'WHERE tokens.number = ?', number)[0]
}

/**
 * The QR code is paid, and its customer was asked for a token: unless an answer comes, the clock rejects it when the ttl is
 * over.
 */
export function awaitBinding({ sql, now, network }: ReportContext, row: QrCodeRow): void {
  sql.exec(
    `INSERT INTO tokens (qr_code, link_id, account, status, network, changed_at, due_at)
     SELECT ?, ?, ?, 'WAITING', ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM tokens WHERE qr_code = ?)`,
    ...[row.number, row.link_id, row.tokenization_account ?? '', network, now],
    // A payment can be reported after the ttl.
    ...[Math.max(row.end_at ?? now, now), row.number],
  )
}

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

/** A token that has expired was created, and the network was told to end its binding. */
const isSame = (known: TokenRow, binding: BindingReport): boolean =>
  known.status === binding.status ||
  (known.status === 'EXPIRED' && binding.status !== 'REJECTED') ||
  isStopped(known, binding)

/** A payer has ended the token; a connector that was not told of it before the site was restored still has the consent. */
const isStopped = ({ status, ended_by }: TokenRow, binding: BindingReport): boolean =>
  status === 'DELETED' && ended_by === 'payer' && binding.status === 'CREATED'

/** Tells the network of the end of a binding that a restored site did not have when its payer's stop was applied again. */
function stopAgain(context: ReportContext, known: TokenRow, { row, linkId }: ReportTarget): void {
  const { sql, now } = context
  const account = row?.tokenization_account ?? ''
  sql.exec(
    'UPDATE tokens SET qr_code = ?, link_id = ?, account = ? WHERE number = ?',
    ...[row?.number ?? null, linkId, account, known.number],
  )
  const token = { ...known, qr_code: row?.number ?? null, link_id: linkId, account }
  const event = recordTokenEvent({ ...context, by: PAYER }, token, row)
  endBinding(sql, token, { event, now: toMilliseconds(now) })
}

/** The fields that contradict an earlier report: DELETED is final, and what was created cannot be rejected. */
function contradictions(
  known: TokenRow,
  { linkId }: ReportTarget,
  binding: BindingReport,
): ('qrcId' | 'status')[] {
  const { status } = binding
  const isFinal = known.status === 'DELETED' && status !== 'DELETED' && !isStopped(known, binding)
  const wasCreated = known.status === 'CREATED' || known.status === 'EXPIRED'
  return [
    // Of one that a payer ended, and that a restored site did not have, the link is not known.
    ...(known.link_id === linkId || known.link_id === '' ? [] : ['qrcId' as const]),
    ...(isFinal || (wasCreated && status === 'REJECTED') ? ['status' as const] : []),
  ]
}
