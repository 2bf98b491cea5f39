// The examples of the documentation; a test holds them against the schemas.
import type { Example } from '../http/operation.ts'

const order = {
  qrCode: { type: 'DYNAMIC', ttl: 60 },
  amount: { value: 0.01, currency: 'RUB' },
  paymentPurpose: 'Order 1001',
  redirectUrl: 'https://shop.example/orders/1001',
}

/** Creation requests without the identifier: PUT has it in its path. */
export const ORDERS = {
  dynamic: { summary: 'A payment of 0.01 RUB within an hour', value: order },
  picture: {
    summary: 'The same with a picture',
    value: {
      ...order,
      qrCode: { ...order.qrCode, image: { mediaType: 'image/svg+xml', width: 300, height: 300 } },
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

/** Creation requests as POST sends them. */
export const REQUESTS = {
  dynamic: withUid(ORDERS.dynamic),
  picture: withUid(ORDERS.picture),
  token: withUid(ORDERS.token),
}

const LINK =
  'https://qr.nspk.ru/AD100004BAL7227F9BNP6KNE007J9B3K?type=02&bank=100000000007&sum=1&cur=RUB&crc=AB75'

export const QR_CODE: Example = {
  summary: 'A QR code for 0.01 RUB',
  value: {
    qrCodeUid: 'order-1001',
    qrCode: {
      type: 'DYNAMIC',
      ttl: 60,
      payload: LINK,
      status: 'CREATED',
    },
    createdOn: '2026-11-20T20:10:32+03:00',
    amount: { value: '0.01', currency: 'RUB' },
  },
}

const paid = {
  ...QR_CODE.value,
  qrCode: { ...order.qrCode, payload: LINK, status: 'PAYED' },
  payment: { paymentUid: 'A6325171030000001', paymentStatus: 'COMPLETED' },
}

export const PAID: Example = { summary: 'A QR code that was paid', value: paid }

export const CANCELLED: Example = {
  summary: 'A QR code that was cancelled',
  value: { ...QR_CODE.value, qrCode: { ...order.qrCode, payload: LINK, status: 'CANCELLED' } },
}

export const QR_CODES: Example = { summary: 'The only page', value: { qrCodes: [paid] } }

export const EVENTS: Example = {
  summary: 'Declined, then paid',
  value: {
    events: [
      { status: 'CREATED', dateTime: '2026-11-20T20:10:32+03:00', by: 'merchant' },
      {
        status: 'DECLINED',
        dateTime: '2026-11-20T20:11:05+03:00',
        by: 'network',
        payment: { paymentUid: 'A6325171030000000', amount: { value: '0.01', currency: 'RUB' } },
      },
      {
        status: 'PAYED',
        dateTime: '2026-11-20T20:11:40+03:00',
        by: 'network',
        payment: { paymentUid: 'A6325171030000001', amount: { value: '0.01', currency: 'RUB' } },
      },
    ],
  },
}

/** The network's reports. */
export const REPORTS = {
  completed: { summary: 'Paid', value: { status: 'COMPLETED', amount: { value: 0.01, currency: 'RUB' } } },
  declined: { summary: 'Declined', value: { status: 'DECLINED', amount: { value: 0.01, currency: 'RUB' } } },
} satisfies Record<string, Example>

/** Payments that the sandbox makes up. */
export const SANDBOX_PAYMENTS = {
  completed: { summary: 'Paid, the QR code’s own amount', value: {} },
  declined: { summary: 'Declined', value: { status: 'DECLINED' } },
  amount: { summary: 'Paid, where the QR code has no amount', value: { amount: { value: 0.01 } } },
} satisfies Record<string, Example>
