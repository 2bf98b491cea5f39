// How a site creates its QR codes: each qrCodeUid once.

import type { Caller } from '../../contract/caller.ts'
import type { QrCode, QrCodeSpec, RegisteredLink } from '../../contract/qr-code.ts'
import type { Terms } from '../../contract/receipts/receipt.ts'
import { endOfTtl } from '../../contract/ttl.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import type { Context, Memory } from '../context.ts'
import { appendEvent } from '../events/events.ts'
import { refusePayment } from '../operator/limits.ts'
import { callbackOfOrigin } from '../outbox/receivers.ts'
import { contradicts, ok } from '../outcomes.ts'
import { addContact } from '../receipts/contacts.ts'
import { refuseReceiptOf } from '../receipts/terms.ts'
import { refuseAppUrl } from '../settings/redirect-schemes.ts'
import { callbacksIn, settingsRow } from '../settings/rows.ts'
import type { Seconds } from '../time.ts'
import { insertQrCode } from './insert.ts'
import { qrCodeOf } from './qr-code.ts'
import { deletedNumber, findQrCode, type QrCodeRow, type SpecRow, specRow } from './rows.ts'

/** A request to create a QR code: who sends it, and the link that a new QR code gets. */
export interface Creation {
  caller: Caller
  spec: QrCodeSpec
  /** The parts of this service's own link. */
  link: { base: string; bank: string; id: string }
  /** The bank's link, to which this service's own only adds the payer's page; and the deployment's currencies. */
  registered?: (RegisteredLink & { currencies: readonly string[] }) | undefined
  /** What beforeRegister said: a bank's register has the receipt by these terms, whatever was set since. */
  terms?: Terms | undefined
}

/** A QR code as it stands, and whether an earlier request created it. */
export interface Created {
  qrCode: QrCode
  isReplayed: boolean
}

type ApplyEarly = (context: Context, created: QrCodeRow, currencies: readonly string[]) => QrCodeRow

/**
 * Creates a QR code, or replays the one that the same request created before (contract, section 3).
 * @param createdAt the time of the creation; see creationTime
 * @param applyEarly applies the payments that were reported before the QR code existed; only a bank's link can have some
 * @returns payin.resource.already.exists where the qrCodeUid was used with other fields; validation.error where redirectUrl is
 * of an app that the settings do not name, or no address has the origin of callbackUrl; site.limit.exceeded;
 * network.unavailable where another QR code has the bank's link
 */
export function createQrCode(
  context: Context,
  { spec, link, registered, terms: registeredTerms }: Omit<Creation, 'caller'>,
  createdAt: Seconds,
  applyEarly: ApplyEarly,
): Outcome<Created> {
  const { sql, now, memory } = context
  const refusal = refuseDeleted(context, spec, registered)
  if (refusal) return refusal
  // Where a bank has made the link, beforeRegister has admitted the request.
  const refused = registered ? undefined : refuseNew(context, spec)
  const terms = registered ? registeredTerms : remembered(memory.terms, spec)
  const number = memory.latestQrCode.number + 1
  const row =
    refused === undefined
      ? insertQrCode(
          sql,
          spec,
          {
            ...{ ...link, number, linkBase: memory.linkBase(link), createdAt },
            event: memory.lastEvent + 1,
            terms: terms ? memory.termsNumber(terms) : null,
          },
          registered,
        )
      : undefined
  if (row) {
    memory.created(row)
    const at = { ...context, now: createdAt }
    if (spec.receipt?.contact) addContact(at, { of: 'qrCode', row: number }, spec.receipt.contact)
    appendEvent(at, { type: 'qrCode.created', qrCode: number, status: 'CREATED', isNamed: true })
    const created = registered ? applyEarly(at, row, registered.currencies) : row
    return ok({ qrCode: qrCodeOf(created, now), isReplayed: false })
  }
  const known = findQrCode(sql, spec)
  if (known) return replay(context, known, spec, link.id)
  if (refused) return refused
  if (!registered) throw new Error('a QR code was not created')
  return LINK_IN_USE
}

/** What a new QR code may not ask for, which an earlier one could. */
const refuseNew = ({ sql, memory, now }: Context, spec: QrCodeSpec): Refusal | undefined =>
  refuseAppUrl(sql, spec.redirectUrl) ??
  refusePayment(memory, spec.amount) ??
  refuseCallback(sql, spec.callbackUrl) ??
  refuseReceiptOf(spec.receipt, memory.terms, {
    type: spec.type,
    amount: spec.amount,
    payableFrom: now,
    payableUntil: spec.ttl === undefined ? undefined : endOfTtl(now, spec.ttl),
  })

/** What a new QR code remembers for its receipts; undefined where it has none. */
const remembered = (terms: Terms | undefined, { type, receipt, amount }: QrCodeSpec): Terms | undefined => {
  const takesDefault = (type === 'DYNAMIC' || type === 'STATIC') && (amount?.currency ?? 'RUB') === 'RUB'
  return receipt || (terms?.default && takesDefault) ? terms : undefined
}

function refuseCallback(sql: SqlStorage, url: string | undefined): Refusal | undefined {
  if (url === undefined || callbackOfOrigin(callbacksIn(sql), url)) return undefined
  const problem = `has the origin ${JSON.stringify(new URL(url).origin)}, must have that of an address in the settings`
  return {
    ok: false,
    code: 'validation.error',
    description: `callbackUrl ${problem}`,
    fields: { callbackUrl: [problem] },
  }
}

const LINK_IN_USE: Refusal = {
  ok: false,
  code: 'network.unavailable',
  description: 'the connector gave the link of another QR code, send the request again',
}

/** What a site knows before a bank registers a QR code. */
export interface BeforeRegister {
  /** What an earlier request with the qrCodeUid created. */
  created?: QrCode | undefined
  /** The shop's name in the settings. */
  siteName?: string | undefined
  /** What holds for the receipts of the QR code: the create that follows is to give them back. See ridingReceipt. */
  terms?: Terms | undefined
}

/**
 * Reads what a site knows before a bank registers a QR code.
 * @returns payin.resource.already.exists where the qrCodeUid was used with other fields, or where its QR code was deleted;
 * validation.error and site.limit.exceeded as createQrCode
 */
export function beforeRegister(context: Context, spec: QrCodeSpec): Outcome<BeforeRegister> {
  const { sql, now } = context
  const known = findQrCode(sql, spec)
  if (known) return contradiction(known, spec) ?? ok({ created: qrCodeOf(known, now) })
  const refusal = refuseDeleted(context, spec) ?? refuseNew(context, spec)
  return (
    refusal ?? ok({ siteName: settingsRow(sql).settings.name, terms: remembered(context.memory.terms, spec) })
  )
}

/** @param id that of the request's own link: if the QR code has it, this is the same call again, and it did create */
const replay = ({ now }: Context, known: QrCodeRow, spec: QrCodeSpec, id: string): Outcome<Created> =>
  contradiction(known, spec) ??
  ok({ qrCode: qrCodeOf(known, now), isReplayed: (known.page_id ?? known.link_id) !== id })

function contradiction(known: QrCodeRow, spec: QrCodeSpec): Refusal | undefined {
  const fields = differences(known, spec)
  if (fields.length === 0) return undefined
  const description = `qrCodeUid ${JSON.stringify(spec.qrCodeUid)} was used for a request with other fields`
  return contradicts(description, fields, 'the first request with this qrCodeUid')
}

/**
 * The refusal of a qrCodeUid whose QR code retention has deleted: what its request was is not known any more; and of such a
 * QR code's link. A site without deleted QR codes is not asked: that would be a query for each create.
 */
function refuseDeleted(
  { sql, memory }: Context,
  { qrCodeUid }: QrCodeSpec,
  registered?: RegisteredLink,
): Refusal | undefined {
  if (!memory.hasDeleted) return undefined
  if (deletedNumber(sql, { qrCodeUid }) === undefined) {
    const isLinkUsed = registered && deletedNumber(sql, { linkId: registered.qrcId }) !== undefined
    return isLinkUsed ? LINK_IN_USE : undefined
  }
  return {
    ok: false,
    code: 'payin.resource.already.exists',
    description: `qrCodeUid ${JSON.stringify(qrCodeUid)} was used for a QR code that ended long ago`,
    fields: { qrCodeUid: ['was used before, must be new'] },
  }
}

/** The fields of a request by their columns. The picture is presentation: a repeat can ask for another one. */
const FIELDS: Record<Exclude<keyof SpecRow, `image_${string}`>, string> = {
  qr_code_uid: 'qrCodeUid',
  type: 'qrCode.type',
  ttl: 'qrCode.ttl',
  minor_units: 'amount.value',
  currency: 'amount.currency',
  payment_purpose: 'paymentPurpose',
  redirect_url: 'redirectUrl',
  callback_url: 'callbackUrl',
  tokenization_purpose: 'tokenizationPurpose',
  tokenization_account: 'tokenizationAccount',
  create_token: 'flags',
  receipt: 'receipt',
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
