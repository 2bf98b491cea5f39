// Examples of requests for QR codes (contract, section 3).
import type { Example } from './example.ts'

const request = {
  qrCode: { type: 'DYNAMIC', ttl: 60 },
  amount: { value: '0.01', currency: 'RUB' },
  paymentPurpose: 'Order 1001',
  redirectUrl: 'https://shop.example/orders/1001',
}

/** Create requests without the identifier: PUT has it in its path. */
export const QR_CODE_PUT_REQUEST_EXAMPLES = {
  dynamic: { summary: 'A payment of 0.01 RUB within an hour', value: request },
  picture: {
    summary: 'The same with a picture',
    value: {
      ...request,
      qrCode: { ...request.qrCode, image: { mediaType: 'image/svg+xml', width: 300, height: 300 } },
    },
  },
  receipt: {
    summary: 'The same with a receipt, which goes to the customer’s e-mail',
    value: {
      ...request,
      receipt: {
        contact: { email: 'mary@shop.example' },
        taxation: 'usnIncome',
        items: [{ name: 'Tea', price: '0.01', vat: 'none' }],
      },
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
  static: {
    summary: 'A printed code for donations: the payer types the sum',
    value: { qrCode: { type: 'STATIC' }, paymentPurpose: 'Donation' },
  },
  counter: {
    summary: 'A printed code for a counter, which is armed for each sale',
    value: { qrCode: { type: 'COUNTER' } },
  },
} satisfies Record<string, Example>

const withUid = ({ summary, value }: Example): Example => ({
  summary,
  value: { qrCodeUid: 'order-1001', ...value },
})

/** Create requests with the identifier. */
export const QR_CODE_REQUEST_EXAMPLES = {
  dynamic: withUid(QR_CODE_PUT_REQUEST_EXAMPLES.dynamic),
  picture: withUid(QR_CODE_PUT_REQUEST_EXAMPLES.picture),
  receipt: withUid(QR_CODE_PUT_REQUEST_EXAMPLES.receipt),
  token: withUid(QR_CODE_PUT_REQUEST_EXAMPLES.token),
  static: withUid(QR_CODE_PUT_REQUEST_EXAMPLES.static),
  counter: withUid(QR_CODE_PUT_REQUEST_EXAMPLES.counter),
}
