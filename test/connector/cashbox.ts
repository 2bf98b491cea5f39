// Cashbox codes, as the service instructs them.
import { MINUTE, type Surroundings } from './harness.ts'

export const COUNTER = { type: 'COUNTER', amount: undefined, ttl: undefined, expiresOn: undefined }

/** Arms a code for a sale of five minutes. */
export const arm = (
  at: Surroundings,
  code: { qrcId: string; reference: string },
  saleUid: string,
  value = '5.00',
  changes: object = {},
) =>
  at.service.instruct(
    'sale.activate',
    {
      ...{ siteId: 'tea', qrcId: code.qrcId, reference: code.reference, saleUid, ttl: 5 },
      ...{ amount: { value, currency: 'RUB' }, expiresOn: new Date(at.clock.now + 5 * MINUTE).toISOString() },
      ...changes,
    },
    at.clock.now,
  )
