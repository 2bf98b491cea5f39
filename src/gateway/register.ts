// Links from a bank: what the service asks the connector for, and waits for (contract, section 14).

import { amountAnswer } from '../contract/amount.ts'
import { formatDateTime } from '../contract/date-time.ts'
import { networkMessage } from '../contract/instruction.ts'
import { logLine } from '../contract/log-line.ts'
import { type QrCodeSpec, type RegisteredLink, requestsToken } from '../contract/qr-code.ts'
import { type RidingReceipt, receiptBody } from '../contract/receipts/instruction.ts'
import { Activation, RefusedRegistration, Registration } from '../contract/registration.ts'
import type { SaleSpec } from '../contract/sale.ts'
import type { SiteNetwork } from '../contract/site-network.ts'
import { endOfTtl } from '../contract/ttl.ts'
import { ApiError } from '../errors.ts'
import { crc16 } from '../fps/crc.ts'
import { registerKey } from '../fps/derived-id.ts'
import { isQrcId } from '../fps/qrc-id.ts'
import type { SaleAtBank } from '../site/sales/changes.ts'
import type { ReservedSale } from '../site/sales/new-sale.ts'
import type { ArmedByBank } from '../site/sales/sales.ts'
import type { Platform } from './context.ts'
import { failureOf, post, send } from './send.ts'
import { webhookHeaders } from './signatures.ts'

export type Connector = NonNullable<SiteNetwork['connector']>

/** A link with the key under which it was registered. */
export type NewRegisteredLink = RegisteredLink & { key: string }

type RegisterPlatform = Pick<Platform, 'config' | 'fetchConnector' | 'now' | 'log'>

/**
 * Asks the connector for the link of a QR code. The same request has the same key, for which a connector repeats the link.
 * @param site with its name in the settings, for which a token is requested by default
 * @param spec with the receipt, where the bank's cash register takes it with the registration
 * @throws ApiError network.refused where the bank refuses the QR code; network.unavailable where there is no valid answer
 */
export async function register(
  platform: RegisterPlatform,
  connector: Connector,
  { siteId, name = siteId }: { siteId: string; name?: string | undefined },
  { riding, ...spec }: QrCodeSpec & { riding?: RidingReceipt | undefined },
): Promise<NewRegisteredLink> {
  const { config, now } = platform
  const receipt = riding && receiptBody(riding)
  const key = registerKey(siteId, spec, receipt)
  const { type, ttl, paymentPurpose, redirectUrl, createToken } = spec
  // A link that only binds an account has no amount.
  const amount = type === 'TOKEN' ? undefined : spec.amount
  const data = {
    siteId,
    key,
    type,
    ...(createToken && { flags: ['CREATE_TOKEN'] }),
    ...(ttl !== undefined && {
      ttl,
      expiresOn: formatDateTime(endOfTtl(seconds(platform), ttl), config.utcOffset),
    }),
    ...(amount && { amount: amountAnswer(amount) }),
    paymentPurpose,
    redirectUrl,
    ...(requestsToken(spec) && { tokenizationPurpose: spec.tokenizationPurpose ?? name }),
    ...(receipt && { receipt }),
  }
  const answer = await ask(platform, messageTo(platform, connector, { type: 'qrCode.register', key, data }))
  if (answer.status === 422) throw refused(answer.body)
  if (answer.status !== 200) throw unavailable(platform, siteId, `HTTP ${answer.status}`)
  const link = Registration.safeParse(parsed(answer.body))
  if (!link.success) {
    throw unavailable(platform, siteId, problemsOf(link.error))
  }
  const { payload, qrcId = lastSegment(payload), reference, expiresOn: endsAt } = link.data
  const problem =
    (isQrcId(qrcId) ? undefined : 'qrcId must be 1 to 64 of A-Z a-z 0-9 . _ -') ??
    amountProblem(payload, spec) ??
    (endsAt !== undefined && endsAt * 1000 <= now() ? 'expiresOn must be in the future' : undefined)
  if (problem !== undefined) throw unavailable(platform, siteId, problem)
  // The test systems of banks send a constant.
  if (!hasChecksum(payload)) warn(platform, siteId, 'the link of a bank has a wrong crc', qrcId)
  return { key, payload, qrcId, reference, endsAt }
}

/** Asks the connector, once, to cancel a link that no QR code has. Nobody has seen it. */
export async function cancelRegistered(
  platform: RegisterPlatform,
  connector: Connector,
  siteId: string,
  { key, qrcId, reference }: NewRegisteredLink,
): Promise<void> {
  const data = { siteId, qrcId, reference }
  const { fetchConnector, now } = platform
  await send(
    { fetch: fetchConnector, now },
    messageTo(platform, connector, { type: 'qrCode.cancel', key, data }),
  )
}

/**
 * Asks the connector to arm a link for a sale. A connector arms a sale once, and repeats its answer.
 * @throws ApiError as register
 */
export async function activateSale(
  platform: RegisterPlatform,
  connector: Connector,
  siteId: string,
  { saleUid, amount, paymentPurpose, ttl, qrcId, reference, expiresAt, riding }: SaleSpec & ReservedSale,
): Promise<ArmedByBank> {
  const data = {
    siteId,
    qrcId,
    reference,
    saleUid,
    amount: amountAnswer(amount),
    paymentPurpose,
    ttl,
    expiresOn: formatDateTime(expiresAt, platform.config.utcOffset),
    ...(riding && { receipt: receiptBody(riding) }),
  }
  const key = `${qrcId}:${saleUid}`
  const answer = await ask(platform, messageTo(platform, connector, { type: 'sale.activate', key, data }))
  if (answer.status === 422) throw refused(answer.body)
  if (answer.status !== 200) throw unavailable(platform, siteId, `HTTP ${answer.status}`)
  const activation = Activation.safeParse(parsed(answer.body))
  if (!activation.success) throw unavailable(platform, siteId, problemsOf(activation.error))
  return { reference: activation.data.reference, endsAt: activation.data.expiresOn }
}

/** Asks the connector to disarm a link. @throws ApiError as register */
export async function deactivateSale(
  platform: RegisterPlatform,
  connector: Connector,
  siteId: string,
  { saleUid, qrcId, reference }: SaleAtBank & { saleUid: string },
): Promise<void> {
  const data = { siteId, qrcId, reference, saleUid }
  const key = `${qrcId}:${saleUid}`
  const answer = await ask(platform, messageTo(platform, connector, { type: 'sale.deactivate', key, data }))
  if (answer.status === 422) throw refused(answer.body)
  if (answer.status < 200 || answer.status > 299) {
    throw unavailable(platform, siteId, `HTTP ${answer.status}`)
  }
}

const seconds = ({ now }: Pick<Platform, 'now'>): number => Math.floor(now() / 1000)

function messageTo(
  platform: RegisterPlatform,
  { url, secret }: Connector,
  { type, key, data }: { type: string; key: string; data: object },
) {
  const at = seconds(platform)
  const body = networkMessage(type, at, platform.config.utcOffset, data)
  return { url, body, headers: webhookHeaders([secret], `${type}:${key}`, at, body) }
}

/** The status and the body of the response; status 0 if no response came. */
async function ask(
  platform: RegisterPlatform,
  message: ReturnType<typeof messageTo>,
): Promise<{ status: number; body: string }> {
  try {
    const response = await post({ fetch: platform.fetchConnector }, message)
    return { status: response.status, body: await response.text() }
  } catch (error) {
    return { status: 0, body: failureOf(error) }
  }
}

function refused(body: string): ApiError {
  const { data } = RefusedRegistration.safeParse(parsed(body))
  return new ApiError('network.refused', data?.description ?? 'the bank refuses this QR code')
}

/** @param reason for the operator, in the log alone */
function unavailable(platform: RegisterPlatform, siteId: string, reason: string): ApiError {
  warn(platform, siteId, 'the connector gave no link', reason)
  return new ApiError('network.unavailable', 'the bank gave no link, send the request again')
}

const warn = ({ log, now }: RegisterPlatform, site: string, message: string, detail: string): void =>
  log(logLine(now(), 'warning', message, { site, detail }))

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const problemsOf = ({ issues }: { issues: readonly { path: PropertyKey[]; message: string }[] }): string =>
  issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')

const lastSegment = (payload: string): string => new URL(payload).pathname.split('/').at(-1) ?? ''

/** A link with another sum than the merchant asked for must not be shown. One that only binds an account takes no payment. */
function amountProblem(payload: string, { type, amount }: QrCodeSpec): string | undefined {
  if (type === 'TOKEN') return undefined
  const { searchParams } = new URL(payload)
  const sum = searchParams.get('sum')
  const cur = searchParams.get('cur')
  // Without a sum the currency alone says nothing of an amount.
  const isSum = sum === null || sum === `${amount?.minorUnits}`
  const isCurrency = cur === null || (sum === null && !amount) || cur === amount?.currency
  const fits = isSum && isCurrency
  return fits ? undefined : 'payload must have the sum and the currency of the request'
}

function hasChecksum(payload: string): boolean {
  const [, link = '', crc] = /^(.*)&crc=([^&]*)$/.exec(payload) ?? []
  return crc === undefined || crc.toUpperCase() === crc16(link)
}
