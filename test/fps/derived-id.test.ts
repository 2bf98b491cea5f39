// Keys that are a hash of a request.
import { expect, it } from 'vitest'
import { registerKey } from '../../src/fps/derived-id.ts'

it('a registration keeps the key that 0.3.0 gave it, and gets another one with a callbackUrl', () => {
  const spec = { qrCodeUid: 'order-1001', type: 'DYNAMIC', ttl: 60, createToken: false } as const
  expect(registerKey('demo', spec)).toBe('ATHJEP998VLF08KATQJKOTLS4HNAI76D')
  const keys = ['https://shop.example/1', 'https://shop.example/2', undefined].map((callbackUrl) =>
    registerKey('demo', { ...spec, callbackUrl }),
  )
  expect(new Set(keys).size).toBe(3)
  expect(keys[2]).toBe(registerKey('demo', spec))
})

it('a registration with another receipt has another key, and the receipt of the request alone changes none', () => {
  const spec = { qrCodeUid: 'order-1001', type: 'DYNAMIC', ttl: 60, createToken: false } as const
  const receipt = { items: [{ name: 'Tea' }], contact: { email: 'a@shop.example' } }
  const keys = [
    registerKey('demo', spec),
    registerKey('demo', spec, receipt),
    registerKey('demo', spec, { ...receipt, contact: { email: 'b@shop.example' } }),
    registerKey('demo', { ...spec, callbackUrl: 'https://shop.example/1' }, receipt),
  ]
  expect(new Set(keys).size).toBe(keys.length)
  expect(registerKey('demo', { ...spec, receipt: { items: [] } })).toBe(keys[0])
})
