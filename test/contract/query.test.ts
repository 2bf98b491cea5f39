// Values of query parameters.
import { expect, it } from 'vitest'
import { STATUSES } from '../../src/contract/status.ts'
import { COLLECTION, call, errorOf } from '../support/service.ts'

it('a list names each wrong item by its parameter', async () => {
  const response = await call(`${COLLECTION}?status=CREATED,PAID,,PAYED`)
  const { errorCode, cause } = await errorOf(response)
  const rule = `must be one of ${STATUSES.join(', ')}`
  expect([response.status, errorCode]).toEqual([400, 'validation.error'])
  expect(cause).toEqual({ status: [`is "PAID", ${rule}`, `is "", ${rule}`] })
})

it.each(['CREATED', 'CREATED,PAYED', 'CREATED,CREATED', STATUSES.join(',')])(
  'a list can be %s',
  async (status) => expect((await call(`${COLLECTION}?status=${status}`)).status).toBe(200),
)
