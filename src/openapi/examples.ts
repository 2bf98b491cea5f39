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

const settings = {
  name: 'Чайная на Садовой',
  supportContact: '+7 800 555-01-00',
  callbackUrl: 'https://shop.example/notifications',
  notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN'],
}

export const SETTINGS: Example = { summary: 'A shop that receives notifications', value: settings }

/** Settings that replace the present ones. */
export const SETTINGS_REQUESTS = {
  notified: SETTINGS,
  expiries: {
    summary: 'Notifications of expired and cancelled QR codes too',
    value: { ...settings, notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE'] },
  },
  defaults: { summary: 'The defaults', value: {} },
} satisfies Record<string, Example>

const notificationKey = { id: '5c0d3f6a8b1e2d47', created: '2026-11-20T20:10:32+03:00', active: true }

export const NOTIFICATION_KEY: Example = { summary: 'The active key', value: notificationKey }

export const NOTIFICATION_KEYS: Example = {
  summary: 'A key and the next one',
  value: {
    notificationKeys: [
      notificationKey,
      { id: '91b7e4c2d05f6a38', created: '2026-11-21T09:00:00+03:00', active: false },
    ],
  },
}

export const NEW_NOTIFICATION_KEY: Example = {
  summary: 'The first key',
  value: { ...notificationKey, key: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' },
}

const apiKey = {
  id: '0f3b6c1d8a724e5f9b0c1d2e3f4a5b6c',
  label: 'Till 3',
  scope: 'merchant',
  created: '2026-11-20T20:10:32+03:00',
  expires: '2027-11-20T20:10:32+03:00',
}

/** Requests for API keys. */
export const API_KEY_REQUESTS = {
  till: { summary: 'A key for a year', value: { label: 'Till 3', scope: 'merchant', days: 365 } },
} satisfies Record<string, Example>

export const API_KEYS: Example = {
  summary: 'A key that is used, and a revoked one',
  value: {
    apiKeys: [
      { ...apiKey, lastUsed: '2026-11-21T09:00:00+03:00' },
      { ...apiKey, id: '7d1e2f3a4b5c6d7e8f90a1b2c3d4e5f6', revoked: '2026-11-20T21:00:00+03:00' },
    ],
  },
}

export const NEW_API_KEY: Example = {
  summary: 'A key for a year',
  value: { ...apiKey, token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.signature' },
}

const notification = {
  id: '8c1f0d5a9b3e7f42-2',
  type: 'PAYMENT',
  qrCodeUid: 'order-1001',
  paymentId: 'A6325171030000001',
  status: 'DELIVERED',
  createdDateTime: '2026-11-20T20:11:40+03:00',
  attempts: [{ dateTime: '2026-11-20T20:11:40+03:00', httpStatus: 200, ms: 84 }],
}

export const NOTIFICATIONS: Example = { summary: 'The only page', value: { notifications: [notification] } }

export const NOTIFICATION: Example = {
  summary: 'A notification that was delivered at once',
  value: {
    ...notification,
    body: '{"payment":{"paymentId":"A6325171030000001","qrCodeUid":"order-1001","type":"PAYMENT"},"type":"PAYMENT","version":"1"}',
  },
}

export const DELIVERY: Example = { summary: 'Delivered', value: { httpStatus: 200, ms: 84 } }
