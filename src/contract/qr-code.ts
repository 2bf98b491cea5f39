// A QR code: what a merchant requests, and what a site keeps (contract, section 3).
import * as z from 'zod/mini'
import { type Amount, amountRequest } from './amount.ts'
import { appSchemeOf } from './app-url.ts'
import { OwnCallbackUrl } from './callback.ts'
import { type Image, ImageRequest } from './image.ts'
import type { LatestPayment } from './latest-payment.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import type { PaymentStatus } from './payment.ts'
import { ReceiptRequest, type ReceiptSpec } from './receipts/receipt.ts'
import type { ActiveSale } from './sale.ts'
import type { QrCodeStatus } from './status.ts'
import { hasAtMost, MAX_PURPOSE, unicodeText } from './text.ts'
import type { Token } from './token.ts'
import { QrCodeUid } from './uid.ts'
import { parseHttpUrl } from './url.ts'

export const TYPES = ['DYNAMIC', 'TOKEN', 'STATIC', 'COUNTER'] as const
const FLAGS = ['CREATE_TOKEN'] as const

export type QrCodeType = (typeof TYPES)[number]
export const QrCodeType = z.enum(TYPES, `one of ${TYPES.join(', ')}`).apply(meta, {
  id: 'QrCodeType',
  description:
    'DYNAMIC: for one payment; TOKEN: only to request a payment token; STATIC: for any number of payments, without an end; COUNTER: the same, but each payment is for a sale for which the code is armed',
})
export const Flag = z.enum(FLAGS, `one of ${FLAGS.join(', ')}`).apply(meta, { id: 'Flag' })

/** What a merchant requested, defaults filled in; `ttl` is minutes, absent where the QR code has no end. */
export interface QrCodeSpec {
  qrCodeUid: string
  type: QrCodeType
  ttl?: number | undefined
  image?: Image | undefined
  amount?: Amount | undefined
  paymentPurpose?: string | undefined
  redirectUrl?: string | undefined
  /** Where notifications of the QR code go, instead of to the addresses of the site. */
  callbackUrl?: string | undefined
  tokenizationPurpose?: string | undefined
  tokenizationAccount?: string | undefined
  createToken: boolean
  /** What the merchant states of the receipt of each payment. */
  receipt?: ReceiptSpec | undefined
}

/** A QR code as its site keeps it; `payload` is its functional link, times are Unix seconds. */
export interface QrCode extends QrCodeSpec {
  payload: string
  /** What follows the base of the payer's page: an id of this service, and parameters. */
  pageLink: string
  status: QrCodeStatus
  createdAt: number
  /** From this second on it cannot be paid; absent where it has no end. */
  expiresAt?: number | undefined
  /** Increases with every change. */
  version: number
  /** The latest applied payment attempt. */
  payment?: LatestPayment | undefined
  /** The ACTIVE sale of a COUNTER code. */
  sale?: ActiveSale | undefined
  /** The refunds of that payment, oldest first; none where the QR code takes many payments. */
  refunds: readonly { refundUid: string; status: PaymentStatus; minorUnits: number }[]
  /** The token of the QR code; absent where none is requested, and none was reported. */
  token?: Token | undefined
  /** When the clock changes the QR code next, in Unix seconds. */
  changesAt?: number | undefined
}

/** A link that a bank made when it registered the QR code (contract, section 14); `endsAt` is Unix seconds. */
export interface RegisteredLink {
  payload: string
  /** The network's identifier of the link. */
  qrcId: string
  /** The connector's own text, given back in every instruction. */
  reference?: string | undefined
  /** The bank's end of the link, where that is before the end of the ttl. */
  endsAt?: number | undefined
}

const DEFAULT_TTL = 72 * 60
const DEFAULT_TTL_WITH_TOKEN = 10

/** Whether a payment token is requested too. */
export const requestsToken = ({ type, createToken }: Pick<QrCodeSpec, 'type' | 'createToken'>): boolean =>
  type === 'TOKEN' || createToken

/** Whether a QR code takes any number of payments, and has no end. */
export const isReusable = ({ type }: Pick<QrCodeSpec, 'type'>): boolean =>
  type === 'STATIC' || type === 'COUNTER'

const TTL_RULE = 'whole minutes from 1 to 129600'
const Ttl = z
  .int(TTL_RULE)
  .check(z.minimum(1), z.maximum(129_600))
  .apply(meta, {
    description: `Lifetime in whole minutes. If absent, ${DEFAULT_TTL}, or ${DEFAULT_TTL_WITH_TOKEN} if a token is requested. Not for STATIC and COUNTER`,
  })

const URL_RULE =
  'an absolute http or https URL, or scheme://… with a scheme of redirectSchemes in the settings, of at most 1000 characters without user info or white space'
const isRedirectUrl = (text: string): boolean =>
  hasAtMost(1000, text) && (parseHttpUrl(text) !== undefined || appSchemeOf(text) !== undefined)

/** The site compares the scheme of an app with its settings. */
const RedirectUrl = z
  .string(URL_RULE)
  .check(z.refine(isRedirectUrl, URL_RULE))
  .apply(meta, { format: 'uri', maxLength: 1000, examples: ['https://shop.example/orders/1001'] })

/** The schema of a create request with the identifier in the body, for the deployment's currencies. */
export const qrCodeRequest = (currencies: readonly string[]) =>
  strictObject({ qrCodeUid: QrCodeUid, ...fieldsOf(currencies) })
    .check(refuseByOthers)
    .apply(meta, { id: 'QrCodeRequest' })

/** The body of a create with the identifier in the path, which the body may repeat. */
export const qrCodePutRequest = (currencies: readonly string[]) =>
  strictObject({ qrCodeUid: z.optional(QrCodeUid), ...fieldsOf(currencies) })
    .check(refuseByOthers)
    .apply(meta, { id: 'QrCodePutRequest' })

const MADE_ONCE = ['qrCode.ttl', 'flags', 'tokenizationPurpose', 'tokenizationAccount']

/** The fields that a QR code of a type does not have. */
const REFUSED: Partial<Record<QrCodeType, readonly string[]>> = {
  TOKEN: ['receipt'],
  STATIC: MADE_ONCE,
  COUNTER: [...MADE_ONCE, 'amount', 'receipt'],
}

/** Refuses what the type excludes, and items without the sum that they add up to; also beside fields that break their own rules. */
const refuseByOthers = z.check<unknown>(
  ({ value, issues }) => {
    const refuse = (field: string, where: string) => {
      const input = fieldOf(value, field)
      if (input === undefined) return
      issues.push({ code: 'custom', input, path: field.split('.'), message: `absent where ${where}` })
    }
    const type = QrCodeType.safeParse(fieldOf(value, 'qrCode.type')).data
    const refused = (type && REFUSED[type]) ?? []
    for (const field of refused) refuse(field, `qrCode.type is ${type}`)
    if (fieldOf(value, 'amount') === undefined && !refused.includes('receipt')) {
      refuse('receipt', 'there is no amount')
    }
  },
  { when: () => true },
)

const fieldOf = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((object, name) => Fields.safeParse(object).data?.[name], value)
const Fields = z.record(z.string(), z.unknown())

const fieldsOf = (currencies: readonly string[]) => ({
  qrCode: strictObject({
    type: QrCodeType,
    ttl: z.optional(Ttl),
    image: z.optional(ImageRequest).apply(meta, { description: 'If present, the response has a picture' }),
  }).apply(meta, { id: 'QrCodeOptions', description: 'The type, the lifetime and the picture' }),
  amount: z
    .optional(amountRequest(currencies))
    .apply(meta, { description: 'What is paid. If absent, the payer types the sum' }),
  paymentPurpose: z
    .optional(unicodeText(MAX_PURPOSE))
    .apply(meta, { description: 'The goods or the service; the payer’s page shows it' }),
  redirectUrl: z.optional(RedirectUrl).apply(meta, {
    description:
      'The payer’s page leads here after the payment: an http or https URL; or one of the shop’s own app, whose scheme is in `redirectSchemes` of the settings',
  }),
  callbackUrl: z.optional(OwnCallbackUrl).apply(meta, {
    description:
      'Where notifications of this QR code go, of its refunds and of its token, instead of to the addresses of the settings. It has the scheme, host and port of one of them',
  }),
  tokenizationPurpose: z
    .optional(unicodeText(MAX_PURPOSE))
    .apply(meta, { description: 'What the payment token is for; the payer’s page shows it' }),
  tokenizationAccount: z
    .optional(unicodeText(64))
    .apply(meta, { description: 'Your identifier of the customer' }),
  flags: z
    .optional(z.array(Flag, 'an array'))
    .apply(meta, { description: 'CREATE_TOKEN requests a payment token too' }),
  receipt: z.optional(ReceiptRequest).apply(meta, {
    description:
      'The receipt of each payment (54-FZ): its items add up to the amount. For DYNAMIC, and for STATIC with an amount',
  }),
})
export type QrCodeRequest = z.output<ReturnType<typeof qrCodeRequest>>

/** What a valid request asks for, defaults filled in. */
export function specOf({ qrCode, flags, ...rest }: QrCodeRequest): QrCodeSpec {
  const createToken = flags?.includes('CREATE_TOKEN') ?? false
  const withToken = requestsToken({ type: qrCode.type, createToken })
  const ttl = isReusable(qrCode)
    ? undefined
    : (qrCode.ttl ?? (withToken ? DEFAULT_TTL_WITH_TOKEN : DEFAULT_TTL))
  return { ...rest, ...qrCode, ttl, createToken }
}

/** The sum of the refunds of a status, by default of the completed ones, in minor units. */
export const refundedOf = (refunds: QrCode['refunds'], status: PaymentStatus = 'COMPLETED'): number =>
  refunds.reduce((sum, refund) => (refund.status === status ? sum + refund.minorUnits : sum), 0)
