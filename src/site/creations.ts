// How a site creates its QR codes: each qrCodeUid once.
import type { Caller } from '../contract/caller.ts'
import type { QrCode, QrCodeSpec } from '../contract/qr-code.ts'
import type { Outcome, Refusal } from '../errors.ts'
import type { Context, Write } from './context.ts'
import { appendEvent } from './events.ts'
import type { Memory } from './memory.ts'
import { contradicts, ok } from './outcomes.ts'
import { findQrCode } from './qr-codes.ts'
import { findDeleted } from './retention.ts'
import { insertQrCode, type QrCodeRow, qrCodeOf, type SpecRow, specRow } from './rows/qr-codes.ts'
import type { Seconds } from './time.ts'

/** A request to create a QR code: who sends it, and the functional link that a new QR code gets. */
export interface Creation {
  caller: Caller
  spec: QrCodeSpec
  link: { base: string; bank: string; id: string }
}

/** A QR code as it stands, and whether an earlier request created it. */
export interface Created {
  qrCode: QrCode
  isReplayed: boolean
}

/** The writes of a batch, one for each QR code. */
export const createAll = (creations: readonly Creation[]): Write<Created>[] =>
  creations.map((creation) => ({
    caller: creation.caller,
    operation: (context) => createQrCode(context, creation, creationTime(context)),
  }))

/**
 * Creates a QR code, or replays the one that the same request created before (contract, section 3).
 * @param createdAt the time of the creation; see creationTime
 * @returns payin.resource.already.exists where the qrCodeUid was used with other fields
 */
export function createQrCode(
  context: Context,
  { spec, link }: Omit<Creation, 'caller'>,
  createdAt = context.now,
): Outcome<Created> {
  const { sql, now, memory } = context
  const number = memory.latestQrCode.number + 1
  const row = insertQrCode(sql, spec, { ...link, number, linkBase: memory.linkBase(link), createdAt })
  if (row) {
    memory.created(row)
    appendEvent({ ...context, now: createdAt }, { type: 'qrCode.created', qrCode: number, status: 'CREATED' })
    return ok({ qrCode: qrCodeOf(row, now), isReplayed: false })
  }
  const known = findQrCode(sql, spec)
  if (!known) return refuseUsed(sql, spec)
  const fields = differences(known, spec)
  if (fields.length > 0) {
    const description = `qrCodeUid ${JSON.stringify(spec.qrCodeUid)} was used for a request with other fields`
    return contradicts(description, fields, 'the first request with this qrCodeUid')
  }
  // The same call again, whose answer was lost: it did create.
  return ok({ qrCode: qrCodeOf(known, now), isReplayed: known.link_id !== link.id })
}

/** The refusal of a qrCodeUid whose QR code retention has deleted: what its request was is not known any more. */
function refuseUsed(sql: SqlStorage, { qrCodeUid }: QrCodeSpec): Refusal {
  if (findDeleted(sql, { qrCodeUid }) === undefined) throw new Error('a QR code was not created')
  return {
    ok: false,
    code: 'payin.resource.already.exists',
    description: `qrCodeUid ${JSON.stringify(qrCodeUid)} was used for a QR code that ended long ago`,
    fields: { qrCodeUid: ['was used before, must be new'] },
  }
}

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
function differences(known: QrCodeRow, spec: QrCodeSpec): string[] {
  const requested: Record<string, SqlStorageValue> = specRow(spec)
  const found: Record<string, SqlStorageValue> = known
  return Object.entries(FIELDS).flatMap(([column, field]) =>
    requested[column] === found[column] ? [] : [field],
  )
}

/** A clock that steps back by more than these seconds is corrected; by less, it is adjusted. */
const MAX_CLOCK_STEP = 60

/**
 * The time of a creation: not before the latest one if the clock steps back a little, so that numbers
 * follow times. After a large step the clock is right, because expiries depend on it.
 */
export function creationTime({
  memory,
  now,
}: {
  memory: Pick<Memory, 'latestQrCode'>
  now: Seconds
}): Seconds {
  const latest = memory.latestQrCode.createdAt
  return latest !== undefined && latest > now && latest - now <= MAX_CLOCK_STEP ? latest : now
}
