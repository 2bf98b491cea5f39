// The test scenarios of Pay Gateway: JSON in a text field of a test site chooses what the bank does.
import * as z from 'zod'

/** The first value of each is what happens without a choice. */
const VALUES = {
  createQrc: [
    ...(['OK_WITHOUT_CALLBACKS', 'OK_PAYMENT_ACCEPTED', 'OK_PAYMENT_REJECTED'] as const),
    ...(['OK_SUBSCRIPTION_ACCEPTED', 'OK_PAYMENT_AND_SUBSCRIPTION_ACCEPTED'] as const),
    ...(['OK_SUBSCRIPTION_REJECTED', 'ERROR'] as const),
  ],
  payWithToken: ['OK', 'OK_WITHOUT_CALLBACKS', 'OK_REJECTED', 'ERROR'],
  refund: ['OK_WITHOUT_CALLBACKS', 'OK_ACCEPTED', 'OK_REJECTED', 'ERROR'],
  activateCRQRC: ['OK_WITHOUT_CALLBACKS', 'OK_PAYMENT_ACCEPTED', 'OK_PAYMENT_REJECTED', 'ERROR'],
  deactivateCRQRC: ['OK', 'ERROR'],
  getCRQRCStatus: ['OK_WAITING_PAYMENT', 'OK_IN_PROGRESS', 'ERROR'],
} as const

const Scenarios = z.object({
  createQrc: z.enum(VALUES.createQrc).default(VALUES.createQrc[0]),
  payWithToken: z.enum(VALUES.payWithToken).default(VALUES.payWithToken[0]),
  refund: z.enum(VALUES.refund).default(VALUES.refund[0]),
  activateCRQRC: z.enum(VALUES.activateCRQRC).default(VALUES.activateCRQRC[0]),
  deactivateCRQRC: z.enum(VALUES.deactivateCRQRC).default(VALUES.deactivateCRQRC[0]),
  getCRQRCStatus: z.enum(VALUES.getCRQRCStatus).default(VALUES.getCRQRCStatus[0]),
})
export type Scenarios = z.output<typeof Scenarios>

const DEFAULTS = Scenarios.parse({})

/** @param text of the field; no or invalid JSON chooses nothing */
export function scenariosOf(text: string | undefined): Scenarios {
  try {
    return Scenarios.safeParse(JSON.parse(text ?? '')).data ?? DEFAULTS
  } catch {
    return DEFAULTS
  }
}
