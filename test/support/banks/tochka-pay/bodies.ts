// The bodies of requests to Tochka Pay Gateway, as strict as its document states them.
import * as z from 'zod'
import { invalid, refusal } from './errors.ts'

const Id = z.string().regex(/^[0-9a-zA-Z-]{1,64}$/)
const Callback = z
  .string()
  .max(2_083)
  .regex(/^https?:\/\//)
const Page = z
  .string()
  .max(1_024)
  .regex(/^https?:\/\//)
const Metadata = z.string().max(2_048)
const Amount = z
  .strictObject({ amount: z.string().regex(/^\d{1,13}\.\d{2}$/), currency: z.literal('RUB') })
  .transform(({ amount }) => Math.round(Number(amount) * 100))
  .refine((kopecks) => kopecks > 0)
/** Without `ё`. */
const Purpose = z
  .string()
  .max(140)
  .regex(/^[A-Za-zА-Яа-я0-9№ -~]*$/)
const Methods = z.array(z.enum(['SBP', 'DIGITAL_RUBLE'])).min(1)
const Tokenization = z.strictObject({
  tokenizationPurpose: z.string().min(1).max(140),
  tokenizationServiceDetails: z.exactOptional(
    z.strictObject({
      serviceName: z.string().min(1).max(70),
      serviceId: z.string().regex(/^[a-zA-Z0-9]{1,32}$/),
    }),
  ),
})

const OfAll = {
  merchantQrcId: z.exactOptional(Id),
  callbackUrl: z.exactOptional(Callback),
  redirectUrl: z.exactOptional(Page),
  metadata: z.exactOptional(Metadata),
  imageParams: z.exactOptional(z.unknown()),
}
const Ttl = z.exactOptional(z.int().min(1).max(129_600))
const Payable = {
  ...OfAll,
  paymentPurpose: z.exactOptional(Purpose),
  paymentMethods: z.exactOptional(Methods),
  paymentPageUrl: z.exactOptional(Page),
}

export const NewCode = z.discriminatedUnion('qrcType', [
  z.strictObject({
    ...Payable,
    qrcType: z.literal('DYNAMIC'),
    amount: Amount,
    ttl: Ttl,
    paymentToken: z.exactOptional(Tokenization),
    customer: z.exactOptional(z.unknown()),
  }),
  z.strictObject({ ...Payable, qrcType: z.literal('STATIC'), amount: z.exactOptional(Amount) }),
  z.strictObject({
    ...OfAll,
    qrcType: z.literal('TOKEN'),
    ttl: Ttl,
    paymentToken: Tokenization,
    customer: z.exactOptional(z.unknown()),
  }),
])

export const NewCashboxCode = z.strictObject({
  qrcId: z.string().length(32),
  merchantQrcId: z.exactOptional(Id),
  paymentMethods: z.exactOptional(Methods),
  redirectUrl: z.exactOptional(Page),
  paymentPageUrl: z.exactOptional(Page),
  metadata: z.exactOptional(Metadata),
})

export const NewActivation = z.strictObject({
  activationUid: Id,
  amount: Amount,
  ttl: z.exactOptional(z.int().min(1).max(20)),
  paymentPurpose: z.exactOptional(z.string().max(140)),
  callbackUrl: z.exactOptional(Callback),
  metadata: z.exactOptional(Metadata),
})
export type NewActivation = z.output<typeof NewActivation>

export const NewCharge = z.strictObject({
  paymentUid: Id,
  amount: Amount,
  paymentMethod: z.union([
    z.strictObject({ type: z.literal('SBP_TOKEN'), token: z.string() }),
    z.strictObject({
      type: z.literal('SBP_NSPK_TOKEN'),
      token: z.string(),
      memberId: z.string().regex(/^\d{12}$/),
    }),
  ]),
  orderUid: z.exactOptional(z.string().regex(/^[0-9a-zA-Z:-]{1,64}$/)),
  comment: z.exactOptional(z.string().min(1).max(255)),
  callbackUrl: z.exactOptional(Callback),
  metadata: z.exactOptional(Metadata),
  customer: z.exactOptional(z.unknown()),
})

export const NewRefund = z.strictObject({
  refundUid: Id,
  amount: z.exactOptional(Amount),
  comment: z.exactOptional(z.string().min(1).max(255)),
  callbackUrl: z.exactOptional(Callback),
  metadata: z.exactOptional(Metadata),
})
export type NewRefund = z.output<typeof NewRefund>

/** @throws Refusal that names the field */
export function read<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const envelope = z.strictObject({ Data: z.looseObject({}) }).safeParse(body)
  if (!envelope.success) throw refusal('REQUEST_PARSING_ERROR')
  const parsed = schema.safeParse(envelope.data.Data)
  if (!parsed.success) throw invalid(['data', ...(parsed.error.issues[0]?.path ?? [])].join('.'))
  return parsed.data
}
