// The examples of the OpenAPI document; a test compares them with the schemas.
import type { Example } from '../http/operation.ts'

const request = {
  qrCode: { type: 'DYNAMIC', ttl: 60 },
  amount: { value: 0.01, currency: 'RUB' },
  paymentPurpose: 'Order 1001',
  redirectUrl: 'https://shop.example/orders/1001',
}

/** Create requests without the identifier: PUT has it in its path. */
export const PUT_REQUESTS = {
  dynamic: { summary: 'A payment of 0.01 RUB within an hour', value: request },
  picture: {
    summary: 'The same with a picture',
    value: {
      ...request,
      qrCode: { ...request.qrCode, image: { mediaType: 'image/svg+xml', width: 300, height: 300 } },
    },
  },
  token: {
    summary: 'A payment token alone',
    value: {
      qrCode: { type: 'TOKEN' },
      tokenizationPurpose: 'Subscription',
      tokenizationAccount: 'customer-7',
    },
  },
} satisfies Record<string, Example>

const withUid = ({ summary, value }: Example): Example => ({
  summary,
  value: { qrCodeUid: 'order-1001', ...value },
})

/** Create requests with the identifier. */
export const REQUESTS = {
  dynamic: withUid(PUT_REQUESTS.dynamic),
  picture: withUid(PUT_REQUESTS.picture),
  token: withUid(PUT_REQUESTS.token),
}

const PATH = 'AD100004BAL7227F9BNP6KNE007J9B3K?type=02&bank=100000000007&sum=1&cur=RUB&crc=AB75'

const created = {
  qrCodeUid: 'order-1001',
  qrCode: {
    type: 'DYNAMIC',
    ttl: 60,
    payload: `https://qr.nspk.ru/${PATH}`,
    status: 'CREATED',
  },
  createdOn: '2026-11-20T20:10:32+03:00',
  expiresOn: '2026-11-20T21:10:32+03:00',
  pageUrl: `https://qr.acquirer.example/pay/demo/${PATH}`,
  amount: { value: '0.01', currency: 'RUB' },
}
const inStatus = (status: string) => ({ ...created, qrCode: { ...created.qrCode, status } })

export const QR_CODE: Example = { summary: 'A QR code for 0.01 RUB', value: created }

const paid = {
  ...inStatus('PAYED'),
  payment: {
    paymentUid: 'A6325171030000001',
    paymentStatus: 'COMPLETED',
    amount: created.amount,
    dateTime: '2026-11-20T20:11:40+03:00',
  },
}

export const PAID: Example = { summary: 'A QR code that was paid', value: paid }

export const CANCELLED: Example = { summary: 'A QR code that was cancelled', value: inStatus('CANCELLED') }

export const QR_CODES: Example = { summary: 'The only page', value: { qrCodes: [paid] } }

const payment = {
  paymentId: 'A6325171030000001',
  qrCodeUid: 'order-1001',
  createdDateTime: '2026-11-20T20:11:40+03:00',
  amount: created.amount,
  refundedAmount: { value: '0.00', currency: 'RUB' },
  paymentMethod: { type: 'SBP' },
  status: { value: 'COMPLETED', changedDateTime: '2026-11-20T20:11:40+03:00' },
  applied: true,
  flags: ['SALE'],
}

export const PAYMENT: Example = {
  summary: 'A second payment, which the QR code could not take',
  value: {
    ...payment,
    paymentId: 'A6325171030000002',
    applied: false,
    notAppliedReason: 'ALREADY_PAYED',
  },
}

export const PAYMENTS: Example = { summary: 'The only attempt', value: { payments: [payment] } }

const events = [
  {
    id: 1,
    type: 'qrCode.created',
    dateTime: '2026-11-20T20:10:32+03:00',
    by: { actor: 'merchant', keyId: '3f1b1a52-6c1f-4c44-9a53-1f0a5d1c2f77' },
    qrCodeUid: 'order-1001',
    status: 'CREATED',
  },
  {
    id: 2,
    type: 'payment.completed',
    dateTime: '2026-11-20T20:11:40+03:00',
    by: { actor: 'network', keyId: 'b0a4a5b2-5d5c-4b6f-8a39-5d3f0e8f7c11' },
    qrCodeUid: 'order-1001',
    status: 'PAYED',
    payment: { paymentUid: 'A6325171030000001', status: 'COMPLETED', amount: created.amount, applied: true },
  },
]

export const EVENTS: Example = { summary: 'Created, then paid', value: { events } }

export const FEED: Example = {
  summary: 'A QR code is created and paid',
  value: { events, nextCursor: '8c1f0d5a9b3e7f42-2' },
}

/** The network's reports. */
export const REPORTS = {
  completed: { summary: 'Paid', value: { status: 'COMPLETED', amount: { value: 0.01, currency: 'RUB' } } },
  declined: {
    summary: 'Declined',
    value: { status: 'DECLINED', amount: { value: 0.01, currency: 'RUB' }, reason: 'insufficient funds' },
  },
} satisfies Record<string, Example>

/** Payments that the sandbox makes up. */
export const SANDBOX_PAYMENTS = {
  completed: { summary: 'Paid, with the QR code’s own amount', value: {} },
  declined: { summary: 'Declined', value: { status: 'DECLINED' } },
  amount: { summary: 'Paid, if the QR code has no amount', value: { amount: { value: 0.01 } } },
} satisfies Record<string, Example>
