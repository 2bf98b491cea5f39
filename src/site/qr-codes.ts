// How a site keeps its QR codes: each qrCodeUid is created once, and found by it or by the link's id.
import type { Caller } from '../contract/caller.ts'
import type { QrCode, QrCodeSpec } from '../contract/qr-code.ts'
import { transition } from '../contract/status.ts'
import type { Outcome, Refusal } from '../errors.ts'
import { appendEvent } from './events.ts'
import { contradicts, internalError, notAllowed, ok } from './outcomes.ts'
import { payloadOf, type QrCodeRow, qrCodeOf, qrCodeRows, type SpecRow, specRow } from './rows/qr-codes.ts'
import { insertRow, integer, lastRow } from './rows/sql.ts'
import type { Store } from './store.ts'
import { changeStatus, recordExpiry } from './transitions.ts'

/** A request to create a QR code: who sends it, and the functional link that a new QR code gets. */
export interface Creation {
  caller: Caller
  spec: QrCodeSpec
  link: { base: string; bank: string; id: string }
}

/** A new QR code, or the one that the same request created before. */
export type Created = { isNew: true; createdAt: number } | { isNew: false; qrCode: QrCode }

/**
 * Identifies a QR code: the merchant knows its qrCodeUid, the network the id of its link, the payer the link itself,
 * of which the base does not count: `{id}?type=…&crc=…`.
 */
export type QrCodeKey = { qrCodeUid: string } | { linkId: string } | { link: string }

const COLUMNS = [
  ...Object.keys(specRow({ qrCodeUid: '', type: 'DYNAMIC', ttl: 1, createToken: false })),
  ...['link_id', 'status', 'version', 'created_at'],
]
// A row whose qrCodeUid is used, or whose link base is new, is ignored.
const INSERT = `INSERT OR IGNORE INTO qr_codes (${COLUMNS}, link_base)
  VALUES (${COLUMNS.map(() => '?')}, (SELECT number FROM link_bases WHERE base = ? AND bank = ?))` as const

/**
 * Creates QR codes, or replays them. The first one of a site makes its tables.
 * @param now Unix seconds
 * @param refusalOf the refusal of a caller, if it is refused: callers that share a batch are judged one by one
 * @returns the outcome of each, in their order: one that fails does not affect the others
 */
export function createQrCodes(
  store: Store,
  creations: readonly Creation[],
  now: number,
  refusalOf: (caller: Caller) => Refusal | undefined,
): Outcome<Created>[] {
  store.migrate()
  const createdAt = creationTime(store.sql, now)
  const create = (creation: Creation) =>
    refusalOf(creation.caller) ?? createQrCode(store.sql, creation, now, createdAt)
  try {
    return store.transaction(() => creations.map(create))
  } catch {
    // One of them failed, and nothing was created. A transaction for each isolates it.
    return creations.map((creation) => {
      try {
        return store.transaction(() => create(creation))
      } catch (error) {
        return internalError(error)
      }
    })
  }
}

/**
 * Creates a QR code, or replays the one that the same request created before (contract, section 3).
 * @param now Unix seconds
 * @param createdAt the time of the creation; see creationTime
 * @returns payin.resource.already.exists where the qrCodeUid was used with other fields
 */
export function createQrCode(
  sql: SqlStorage,
  { caller, spec, link }: Creation,
  now: number,
  createdAt = now,
): Outcome<Created> {
  const columns = [...Object.values(specRow(spec)), link.id, 'CREATED', 0, createdAt]
  const insert = () => insertRow(sql, INSERT, ...columns, link.base, link.bank)
  if (insert() || (addLinkBase(sql, link) && insert())) {
    const qrCode = lastRow(sql)
    appendEvent(sql, { type: 'qrCode.created', at: createdAt, by: caller, qrCode, status: 'CREATED' })
    return { ok: true, value: { isNew: true, createdAt } }
  }
  const kept = findQrCode(sql, spec)
  if (!kept) throw new Error('a QR code was not created')
  const fields = differences(kept, spec)
  if (fields.length > 0) {
    const description = `qrCodeUid ${JSON.stringify(spec.qrCodeUid)} was used for a request with other fields`
    return contradicts(description, fields, 'the first request with this qrCodeUid')
  }
  // The same call again, whose answer was lost: it did create.
  if (kept.link_id === link.id) return { ok: true, value: { isNew: true, createdAt: kept.created_at } }
  return { ok: true, value: { isNew: false, qrCode: qrCodeOf(kept, now) } }
}

/** Adds what links have in common. @returns false where the site has it */
const addLinkBase = (sql: SqlStorage, { base, bank }: Creation['link']): boolean =>
  sql.exec('INSERT INTO link_bases (base, bank) VALUES (?, ?) ON CONFLICT DO NOTHING', base, bank)
    .rowsWritten > 0

/** The fields of a request by their columns. */
const FIELDS: Record<keyof SpecRow, string> = {
  qr_code_uid: 'qrCodeUid',
  type: 'qrCode.type',
  ttl: 'qrCode.ttl',
  image_media_type: 'qrCode.image.mediaType',
  image_width: 'qrCode.image.width',
  image_height: 'qrCode.image.height',
  minor_units: 'amount.value',
  currency: 'amount.currency',
  payment_purpose: 'paymentPurpose',
  redirect_url: 'redirectUrl',
  tokenization_purpose: 'tokenizationPurpose',
  tokenization_account: 'tokenizationAccount',
  create_token: 'flags',
}

/** The fields, defaults filled in, that differ from those of the first request. */
function differences(kept: QrCodeRow, spec: QrCodeSpec): string[] {
  const requested: Record<string, SqlStorageValue> = specRow(spec)
  const found: Record<string, SqlStorageValue> = kept
  return Object.entries(FIELDS).flatMap(([column, field]) =>
    requested[column] === found[column] ? [] : [field],
  )
}

/** The row of a QR code; undefined if the site does not have it, or if the parameters of the payer's link are altered. */
export function findQrCode(sql: SqlStorage, key: QrCodeKey): QrCodeRow | undefined {
  if ('qrCodeUid' in key) return qrCodeRows(sql, 'WHERE qr_code_uid = ?', key.qrCodeUid)[0]
  if ('linkId' in key) return qrCodeRows(sql, 'WHERE qr_codes.link_id = ?', key.linkId)[0]
  const [linkId = ''] = key.link.split('?')
  const row = findQrCode(sql, { linkId })
  return row && payloadOf(row).endsWith(`/${key.link}`) ? row : undefined
}

/** Cancels a QR code that can be paid; a second call changes nothing. @param now Unix seconds */
export function cancelQrCode(
  sql: SqlStorage,
  found: QrCodeRow,
  caller: Caller,
  now: number,
): Outcome<QrCode> {
  const row = recordExpiry(sql, found, now)
  if (row.status === 'CANCELLED') return ok(qrCodeOf(row, now))
  if (!transition(row.status, 'cancel')) {
    return notAllowed(`the QR code is ${row.status}, must be CREATED or DECLINED to be cancelled`)
  }
  const { status } = changeStatus(sql, row, { action: 'cancel', at: now, by: caller })
  return ok(qrCodeOf({ ...row, status, version: row.version + 1 }, now))
}

/** A clock that steps back by more than these seconds is corrected; by less, it is adjusted. */
const MAX_CLOCK_STEP = 60

/**
 * The time of a creation, in Unix seconds: not before the latest one if the clock steps back a little, so that numbers
 * follow times. After a large step the clock is right, because expiries depend on it.
 */
export function creationTime(sql: SqlStorage, now: number): number {
  const latest = integer(sql, 'SELECT created_at FROM qr_codes ORDER BY number DESC LIMIT 1')
  return latest !== undefined && latest - now <= MAX_CLOCK_STEP ? Math.max(now, latest) : now
}
