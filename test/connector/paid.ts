// A paid code whose payment is refunded, for tests; and how the answer to a refund gets lost.
import { expect } from 'vitest'
import { type Fake, launched, pay, register } from './harness.ts'

/** A connector, and a paid code of the bank's site. */
export async function paid(bank: Fake) {
  const { at, running } = await launched()
  const link = await register(at, bank.site)
  await pay(at, bank.site, link.qrcId)
  await running.connector.settle()
  expect(at.service.site(bank.site).payments.size).toBe(1)
  return { at, running, link, bank: bank.of(at) }
}

export const HTML = '<html><body><h1>nginx</h1></body></html>'

export const LOST = [
  ['the answer is lost', { broken: 'after' }],
  ['the request is lost', { broken: 'before' }],
  ['the bank answers 500', { status: 500, executed: true }],
  ['the bank answers 504 and has done nothing', { status: 504 }],
  ['the bank answers 408', { status: 408, executed: true }],
  ['the bank answers 401', { status: 401, executed: true }],
  ['the bank answers 403', { status: 403, executed: true }],
  ['the bank answers 429', { status: 429, retryAfter: 90, executed: true }],
  ['a gateway answers 404 in HTML', { status: 404, body: HTML, executed: true }],
  ['a gateway answers 400 in HTML', { status: 400, body: HTML, executed: true }],
  ['a gateway answers 200 in HTML', { status: 200, body: HTML, executed: true }],
  ['a gateway answers 400 in JSON', { status: 400, body: { error: 'Bad Request' }, executed: true }],
  ['a gateway answers 404 in JSON', { status: 404, body: { code: '404', message: 'no route' } }],
] as const
