// Examples of payments, for the OpenAPI document.
import { BINDING_EXAMPLE } from './binding.ts'
import type { Example } from './example.ts'

const payment = {
  paymentId: 'A6325171030000001',
  qrCodeUid: 'order-1001',
  createdDateTime: '2026-11-20T20:11:40+03:00',
  amount: { value: '0.01', currency: 'RUB' },
  refundedAmount: { value: '0.00', currency: 'RUB' },
  paymentMethod: { type: 'SBP' },
  method: 'sbp',
  status: { value: 'COMPLETED', changedDateTime: '2026-11-20T20:11:40+03:00' },
  applied: true,
  flags: ['SALE'],
}

export const NOT_APPLIED_PAYMENT_EXAMPLE: Example = {
  summary: 'A second payment, which the QR code could not take',
  value: {
    ...payment,
    paymentId: 'A6325171030000002',
    applied: false,
    notAppliedReason: 'ALREADY_PAYED',
  },
}

export const PAYMENTS_EXAMPLE: Example = { summary: 'The only attempt', value: { payments: [payment] } }

/** The network's reports. */
export const PAYMENT_REPORT_EXAMPLES = {
  completed: {
    summary: 'Paid',
    value: { status: 'COMPLETED', amount: { value: '0.01', currency: 'RUB' }, method: 'sbp' },
  },
  declined: {
    summary: 'Declined',
    value: { status: 'DECLINED', amount: { value: '0.01', currency: 'RUB' }, reason: 'insufficient funds' },
  },
  binding: {
    summary: 'Paid, and the account is bound',
    value: {
      status: 'COMPLETED',
      amount: { value: '0.01', currency: 'RUB' },
      binding: BINDING_EXAMPLE,
    },
  },
} satisfies Record<string, Example>

/** Payments that the sandbox simulates. */
export const SANDBOX_PAYMENT_EXAMPLES = {
  completed: { summary: 'Paid, with the QR code’s own amount', value: {} },
  declined: { summary: 'Declined', value: { status: 'DECLINED' } },
  amount: { summary: 'Paid, if the QR code has no amount', value: { amount: { value: '0.01' } } },
} satisfies Record<string, Example>
