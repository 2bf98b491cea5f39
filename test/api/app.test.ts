// The application that every instance loads, and the full one, which is loaded for what the other has no route for: a caller sees one.
import { describe, expect, it } from 'vitest'
import { frequentOperations } from '../../src/api/frequent-operations.ts'
import { operationsOf } from '../../src/api/operations.ts'
import { COLLECTION, call, serviceWith } from '../support/service.ts'

const CONFIG = { currencies: ['RUB'], hasSandbox: true }
const routesOf = (operations: readonly { operationId: string; method: string; path: string }[]) =>
  operations.map(({ operationId, method, path }) => `${operationId}: ${method} ${path}`)

it('each frequent operation is one of the full application', () => {
  expect(routesOf(operationsOf(CONFIG))).toEqual(expect.arrayContaining(routesOf(frequentOperations(CONFIG))))
})

describe('a request', () => {
  it.each([
    ['of a frequent operation', 'GET', COLLECTION, 200],
    ['of another operation', 'GET', '/payin/v1/sites/demo/payments', 200],
    ['to no endpoint', 'GET', '/payin/v1/sites/demo/unknown', 404],
    ['by a method that the endpoint lacks', 'DELETE', COLLECTION, 405],
    ['for a page', 'GET', '/', 200],
  ])('%s is answered and logged once, with one trace id', async (_, method, path, status) => {
    const lines: string[] = []
    const response = await call(path, { method }, serviceWith({ log: (line) => lines.push(line) }))
    await response.text()
    expect(response.status).toBe(status)
    expect(lines.map((line) => JSON.parse(line).traceId)).toEqual([response.headers.get('X-Trace-Id')])
  })

  it('by a method that a frequent endpoint lacks is told those of all operations', async () => {
    const path = `${COLLECTION}/order-1/payments`
    const response = await call(path, { method: 'DELETE' })
    expect(response.headers.get('Allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'POST'])
    const ofCode = await call(`${COLLECTION}/order-1`, { method: 'POST', body: {} })
    expect(ofCode.headers.get('Allow')?.split(', ').toSorted()).toEqual(['DELETE', 'GET', 'HEAD', 'PUT'])
  })
})
