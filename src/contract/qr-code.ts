// A QR code as it travels: what a merchant asks for, what is kept of it, what is answered.
import * as z from 'zod'
import { type Amount, amountSchema } from './amount.ts'
import { type Image, ImageRequest } from './image.ts'
import type { PaymentStatus } from './payment.ts'
import type { QrCodeStatus } from './status.ts'
import { hasAtMost, text } from './text.ts'
import { Uid } from './uid.ts'

export const TYPES = ['DYNAMIC', 'TOKEN'] as const
export const FLAGS = ['CREATE_TOKEN'] as const

export type QrCodeType = (typeof TYPES)[number]

/** What a merchant asked for, with every default filled in; `ttl` is minutes. */
export interface QrCodeOrder {
  qrCodeUid: string
  type: QrCodeType
  ttl: number
  image?: Image | undefined
  amount?: Amount | undefined
  paymentPurpose?: string | undefined
  redirectUrl?: string | undefined
  tokenizationPurpose?: string | undefined
  tokenizationAccount?: string | undefined
  createToken: boolean
}

/** A QR code as its site keeps it; `payload` is its functional link, moments are Unix seconds. */
export interface QrCode extends QrCodeOrder {
  payload: string
  status: QrCodeStatus
  createdAt: number
  /** From this moment on it cannot be paid. */
  expiresAt: number
  /** Grows with every change of state. */
  version: number
  /** The latest attempt to pay. */
  payment?: { paymentUid: string; status: PaymentStatus } | undefined
}

const DEFAULT_TTL = 72 * 60
const DEFAULT_TTL_WITH_TOKEN = 10

/** Whether the customer is asked for a payment token too. */
export const requestsToken = (order: Pick<QrCodeOrder, 'type' | 'createToken'>): boolean =>
  order.type === 'TOKEN' || order.createToken

const TTL_RULE = 'whole minutes from 1 to 129600'
const Ttl = z
  .int(TTL_RULE)
  .min(1, TTL_RULE)
  .max(129_600, TTL_RULE)
  .meta({
    description: `Lifetime in minutes; ${DEFAULT_TTL} if absent, ${DEFAULT_TTL_WITH_TOKEN} where a token is requested`,
  })

const URL_RULE = 'an absolute http or https URL of at most 1000 characters without user info or white space'

const RedirectUrl = z
  .string(URL_RULE)
  .refine((value) => hasAtMost(1000, value) && isRedirectUrl(value), URL_RULE)
  .meta({ format: 'uri', maxLength: 1000, examples: ['https://shop.example/orders/1001'] })

/** The parser alone is not enough: it forgives white space, backslashes, missing slashes and an empty user info. */
function isRedirectUrl(value: string): boolean {
  const authority = /^https?:\/\/([^/?#]+)/i.exec(value)?.[1]
  return (
    authority !== undefined &&
    !/[@\\]/.test(authority) &&
    !/[\s\p{Cc}\p{Cs}]/u.test(value) &&
    URL.canParse(value)
  )
}

/** The schema of a creation request, for the deployment's currencies (contract, section 3). */
export const qrCodeRequest = (currencies: readonly string[]) =>
  z.object({
    qrCodeUid: Uid.meta({
      description: 'Identifier of the request in the merchant’s system, unique within the site',
      examples: ['order-1001'],
    }),
    qrCode: z.object(
      {
        type: z.enum(TYPES, `one of ${TYPES.join(', ')}`),
        ttl: Ttl.optional(),
        image: ImageRequest.optional().meta({ description: 'Where absent, the answer has no picture' }),
      },
      'an object',
    ),
    amount: amountSchema(currencies)
      .optional()
      .meta({ description: 'Where absent, the payer types the sum' }),
    paymentPurpose: text(140).optional().meta({ description: 'Goods or service, for the customer' }),
    redirectUrl: RedirectUrl.optional().meta({ description: 'Where the customer goes after payment' }),
    tokenizationPurpose: text(140).optional().meta({ description: 'What the payment token is for' }),
    tokenizationAccount: text(64)
      .optional()
      .meta({ description: 'Customer identifier in the merchant’s system' }),
    flags: z
      .array(z.enum(FLAGS, `one of ${FLAGS.join(', ')}`), 'an array')
      .optional()
      .meta({ description: 'CREATE_TOKEN asks for a payment token' }),
  })
export type QrCodeRequest = z.output<ReturnType<typeof qrCodeRequest>>

/** What a valid request asks for, its defaults filled in. */
export function orderOf({ qrCode, flags, ...rest }: QrCodeRequest): QrCodeOrder {
  const createToken = flags?.includes('CREATE_TOKEN') ?? false
  const withToken = requestsToken({ type: qrCode.type, createToken })
  const ttl = qrCode.ttl ?? (withToken ? DEFAULT_TTL_WITH_TOKEN : DEFAULT_TTL)
  return { ...rest, ...qrCode, ttl, createToken }
}

/** The QR code that an order makes. */
export const newQrCode = (order: QrCodeOrder, payload: string, createdAt: number): QrCode => ({
  ...order,
  payload,
  status: 'CREATED',
  createdAt,
  expiresAt: createdAt + order.ttl * 60,
  version: 0,
})
