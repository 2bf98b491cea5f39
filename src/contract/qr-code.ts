// A QR code as it travels: what a merchant asks for, what is kept of it, what is answered.
import * as z from 'zod'
import { type Amount, amountSchema } from './amount.ts'
import { hasAtMost, text } from './text.ts'

export const TYPES = ['DYNAMIC', 'TOKEN'] as const
export const MEDIA_TYPES = ['image/png', 'image/svg+xml'] as const
export const FLAGS = ['CREATE_TOKEN'] as const
export const STATUSES = [
  'CREATED',
  'PAYED',
  'DECLINED',
  'EXPIRED',
  'CANCELLED',
  'INIT_PAYMENT_BY_TOKEN',
] as const

export type QrCodeType = (typeof TYPES)[number]
export type QrCodeStatus = (typeof STATUSES)[number]

/** The picture that was asked for; width and height are pixels. */
export interface Image {
  mediaType: (typeof MEDIA_TYPES)[number]
  width: number
  height: number
}

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

/** A QR code as its site keeps it; `payload` is its functional link, `createdAt` is Unix seconds. */
export interface QrCode extends QrCodeOrder {
  payload: string
  status: QrCodeStatus
  createdAt: number
}

const DEFAULT_TTL = 72 * 60
const DEFAULT_TTL_WITH_TOKEN = 10
const DEFAULT_SIDE = 300

/** Whether the customer is asked for a payment token too. */
export const requestsToken = (order: Pick<QrCodeOrder, 'type' | 'createToken'>): boolean =>
  order.type === 'TOKEN' || order.createToken

const UID_RULE = '1 to 200 characters of Unicode text without control characters'

const QrCodeUid = z
  .string(UID_RULE)
  .refine((uid) => uid !== '' && hasAtMost(200, uid) && uid.isWellFormed() && !/\p{Cc}/u.test(uid), UID_RULE)
  .meta({
    minLength: 1,
    maxLength: 200,
    description: 'Identifier of the request in the merchant’s system, unique within the site',
    examples: ['order-1001'],
  })

const TTL_RULE = 'whole minutes from 1 to 129600'
const Ttl = z
  .int(TTL_RULE)
  .min(1, TTL_RULE)
  .max(129_600, TTL_RULE)
  .meta({
    description: `Lifetime in minutes; ${DEFAULT_TTL} if absent, ${DEFAULT_TTL_WITH_TOKEN} where a token is requested`,
  })

const SIDE_RULE = 'whole pixels from 100 to 2000'
const side = () => z.int(SIDE_RULE).min(100, SIDE_RULE).max(2000, SIDE_RULE).optional()

const ImageRequest = z
  .object(
    {
      mediaType: z.enum(MEDIA_TYPES, `one of ${MEDIA_TYPES.join(', ')}`).default('image/png'),
      width: side().meta({
        description: `Pixels; the height, where only that is given, else ${DEFAULT_SIDE}`,
      }),
      height: side().meta({
        description: `Pixels; the width, where only that is given, else ${DEFAULT_SIDE}`,
      }),
    },
    'an object',
  )
  .transform(
    ({ mediaType, width, height }): Image => ({
      mediaType,
      width: width ?? height ?? DEFAULT_SIDE,
      height: height ?? width ?? DEFAULT_SIDE,
    }),
  )

const URL_RULE = 'an absolute http or https URL of at most 1000 characters without user info'

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
    qrCodeUid: QrCodeUid,
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
