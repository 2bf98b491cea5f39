// The bodies of Tochka's answers and webhooks: the fields that the connector reads (Tochka API 1.91, SBP and webhooks).
import * as z from 'zod'
import { IDENTIFIER } from '../identifiers.ts'

/** What can name something in a reference, an address and a report. */
const Identifier = z.string().regex(IDENTIFIER)

const of = <T extends z.ZodType>(data: T) => z.object({ Data: data })

/** POST sbp/v1.0/qr-code/merchant/{merchantId}/{accountId}, POST sbp/v1.0/cashbox-qr-code */
export const Registered = of(z.object({ qrcId: z.string(), payload: z.string() }))

/** GET sbp/v1.0/qr-codes/{qrcIds}/payment-status */
export const PaymentStatus = of(
  z.object({
    paymentList: z.array(
      z.object({ qrcId: z.string(), status: z.string().optional(), trxId: z.string().optional() }),
    ),
  }),
)

/** GET sbp/v1.0/get-sbp-payments; without `totalPages`, which the document requires, nobody knows whether it is complete. */
export const Payments = z.object({
  Data: z.object({
    Payments: z.array(
      z
        .object({
          qrcId: z.string(),
          status: z.string(),
          refTransactionId: z.string(),
          message: z.string().optional(),
        })
        // A payment that is not accepted may have no number yet. Two accepted payments without a number would count as one.
        .refine(({ status, refTransactionId }) => status !== 'Accepted' || refTransactionId !== ''),
    ),
  }),
  Meta: z.object({ totalPages: z.int() }),
})

/** POST sbp/v1.0/refund, GET sbp/v1.0/refund/{request_id} */
export const Refund = of(
  z.object({ requestId: z.string(), status: z.string(), statusDescription: z.string().optional() }),
)

/** POST sbp/v1.0/cashbox-qr-code/{qrcId}/activate */
export const Activated = of(
  z.object({ paramsId: Identifier, qrcId: z.string().nullish(), amount: z.int().nullish() }),
)

/** POST sbp/v1.0/cashbox-qr-code/{qrcId}/deactivate */
export const Disarmed = of(z.object({ result: z.literal(true) }))

/** GET sbp/v1.0/cashbox-qr-code/{qrcId}/operation */
export const Operation = of(
  z.object({
    qrCodeStatus: z.string(),
    trxStatus: z.string(),
    trxId: z.string().optional(),
    amount: z.int().positive().optional(),
    dateTime: z.string().optional(),
  }),
)

/** GET sbp/v1.0/customer/{customerCode}/{bankCode} */
export const Customer = of(
  z.object({
    status: z.string(),
    MerchantList: z
      .array(z.object({ merchantId: z.string(), status: z.string(), capabilities: z.string() }))
      .default([]),
    AccountList: z.array(z.object({ accountId: z.string(), status: z.string() })).default([]),
  }),
)

/** GET webhook/v1.0/{client_id} */
export const Webhooks = of(z.object({ webhooksList: z.array(z.string()), url: z.string() }))

/** The claims of the JWT of a webhook `incomingSbpPayment`; `amount` is roubles. */
export const IncomingPayment = z.object({
  webhookType: z.literal('incomingSbpPayment'),
  customerCode: z.string(),
  merchantId: z.string(),
  qrcId: z.string(),
  amount: z.string(),
  refTransactionId: z.string().min(1),
  payerMobileNumber: z.string().optional(),
})
