// The deletion of a settlement file while the site's answers are lost.
import { describe, expect, it } from 'vitest'
import { removeSettlement } from '../../src/gateway/settlement-deletion.ts'
import { unwrap } from '../../src/gateway/site-client.ts'
import type { Site } from '../../src/site/site.ts'
import { imported, line } from '../support/settlement/imports.ts'
import { inNewSite, MERCHANT } from '../support/site.ts'

const LOST = Object.assign(new Error('Network connection lost.'), { retryable: true })

/** A service that reaches the site; what happens to the answer of each call of a deletion. */
function serviceOf(site: Site, answered: (call: number) => void) {
  const calls: string[] = []
  const stub = new Proxy(site, {
    get: (target, name) => {
      if (name !== 'deleteSettlement') {
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      }
      return async (...args: Parameters<Site['deleteSettlement']>) => {
        const step = await target.deleteSettlement(...args)
        calls.push(name)
        answered(calls.length)
        return step
      }
    },
  })
  const service = {
    ...{ site: () => stub, sleep: () => Promise.resolve(), waitUntil: () => {} },
    random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
  }
  return { calls, remove: () => removeSettlement({ service, siteId: 'demo', caller: MERCHANT }, 'a') }
}

const file = { settlementUid: 'a', entries: [line('1'), line('2')] }
const filesOf = async (site: Site) =>
  unwrap(await site.settlements(MERCHANT, { limit: 100 })).settlements.map(
    ({ settlementUid }) => settlementUid,
  )

describe('a deletion', () => {
  it('is done once, whichever answer is lost', () =>
    inNewSite(async (_, site) => {
      unwrap(await imported(site, file))
      const whole = serviceOf(site, () => {})
      await whole.remove()
      const steps = whole.calls.length
      expect(steps).toBeGreaterThan(3)
      for (let lost = 1; lost <= steps; lost++) {
        unwrap(await imported(site, file))
        const { calls, remove } = serviceOf(site, (call) => {
          if (call === lost) throw LOST
        })
        await remove()
        expect([lost, await filesOf(site)]).toEqual([lost, []])
        // The step of which the answer was lost was done.
        expect([lost, calls.length]).toEqual([lost, lost === steps ? steps + 1 : steps])
      }
    }))

  it('that fails is not in the way of what comes next', () =>
    inNewSite(async (_, site) => {
      unwrap(await imported(site, file))
      const { remove } = serviceOf(site, (call) => {
        if (call === 2) throw new Error('broken')
      })
      await expect(remove()).rejects.toThrow('broken')
      expect(await filesOf(site)).toEqual(['a'])
      unwrap(await imported(site, { settlementUid: 'b', entries: [line('3')] }))
      await serviceOf(site, () => {}).remove()
      expect(await filesOf(site)).toEqual(['b'])
    }))
})

it('a late call of a deletion that has ended deletes nothing', () =>
  inNewSite(async (_, site) => {
    unwrap(await imported(site, file))
    const first = unwrap(await site.deleteSettlement(MERCHANT, 'a', undefined, 'early'))
    expect(first).toEqual({ isDone: false, token: 'early' })
    unwrap(await site.abandonImport(MERCHANT, 'early'))
    expect(await site.deleteSettlement(MERCHANT, 'a', 'early')).toMatchObject({
      code: 'payin.incorrect-method-invocation',
    })
    expect(await filesOf(site)).toEqual(['a'])
  }))
