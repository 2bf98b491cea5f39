// Examples of events, for the OpenAPI document.
import type { Example } from './example.ts'

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
    payment: {
      paymentUid: 'A6325171030000001',
      status: 'COMPLETED',
      amount: { value: '0.01', currency: 'RUB' },
      applied: true,
      method: 'sbp',
    },
  },
]

export const EVENTS_EXAMPLE: Example = { summary: 'Created, then paid', value: { events } }

export const FEED_EXAMPLE: Example = {
  summary: 'A QR code is created and paid',
  value: { events, nextCursor: '8c1f0d5a9b3e7f42-2' },
}
