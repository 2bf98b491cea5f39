import { expect, it } from 'vitest'
import { lazily } from '../src/lazily.ts'

const MODULE = { name: 'module' }

it('a module is loaded once, and remembered', async () => {
  let loads = 0
  const part = lazily(async () => {
    loads++
    return MODULE
  })
  expect([await part(), await part(), loads]).toEqual([MODULE, MODULE, 1])
})

it('a module that could not be loaded is asked for again', async () => {
  const loads = [() => Promise.reject(new Error('no module')), async () => MODULE]
  const part = lazily(async () => loads.shift()?.() ?? MODULE)
  await expect(part()).rejects.toThrow('no module')
  expect(await part()).toBe(MODULE)
})

it('a request that ends while it loads a module keeps no later one waiting', async () => {
  const loads = [() => new Promise<never>(() => {}), async () => MODULE]
  const part = lazily(async () => loads.shift()?.() ?? MODULE)
  void part()
  expect(await part()).toBe(MODULE)
})
