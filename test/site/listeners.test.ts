import { expect, it } from 'vitest'
import { waitersList } from '../../src/site/listeners.ts'

it('a wait ends when its QR code is woken, and no other', async () => {
  const waiters = waitersList()
  const ended: string[] = []
  const one = waiters.wait(1, 60_000)?.then(() => ended.push('one'))
  const alsoOne = waiters.wait(1, 60_000)?.then(() => ended.push('also one'))
  const two = waiters.wait(2, 60_000)?.then(() => ended.push('two'))
  expect(waiters.count()).toBe(3)
  waiters.wake(1)
  await Promise.all([one, alsoOne])
  expect([ended, waiters.count()]).toEqual([['one', 'also one'], 1])
  waiters.wake(2)
  await two
  expect(waiters.count()).toBe(0)
})

it('a wait whose time is over is forgotten, whoever still cares', async () => {
  const waiters = waitersList()
  await Promise.all(Array.from({ length: 100 }, (_, qrCode) => waiters.wait(qrCode % 7, 1)))
  expect(waiters.count()).toBe(0)
})

it('waking nobody is nothing', () => waitersList().wake(1))

it('5,000 may wait, and no more until one is gone', async () => {
  const waiters = waitersList()
  for (let qrCode = 0; qrCode < 5000; qrCode++) expect(waiters.wait(qrCode, 60_000)).toBeInstanceOf(Promise)
  expect(waiters.wait(1, 60_000)).toBeUndefined()
  waiters.wake(7)
  expect(waiters.wait(1, 60_000)).toBeInstanceOf(Promise)
  for (let qrCode = 0; qrCode < 5000; qrCode++) waiters.wake(qrCode)
  expect(waiters.count()).toBe(0)
})
