// Settings that older clients do not know: those of people's acts, and whether payers are told of digital roubles (contract, section 12).
import { describe, expect, it } from 'vitest'
import { SettingsAnswer } from '../../src/contract/settings.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { errorOf } from '../support/service.ts'

const patch = ({ ask }: FreshSite, body: object) => ask('/settings', { method: 'PATCH', body })
const put = ({ ask }: FreshSite, body: object) => ask('/settings', { method: 'PUT', body })
const stored = async ({ ask }: FreshSite) => SettingsAnswer.parse(await (await ask('/settings')).json())

describe('a PUT of an older client', () => {
  const NEW = {
    redirectSchemes: ['teashop'],
    confirmRefundsAbove: { value: '5000.00', currency: 'RUB' },
    tokenSignIn: false,
    digitalRouble: true,
  }
  it.each(Object.entries(NEW))('that lacks %s leaves it as it is', async (name, value) => {
    const site = freshSite()
    expect((await patch(site, { [name]: value })).status).toBe(200)
    const answer = SettingsAnswer.parse(await (await put(site, { name: 'Tea' })).json())
    expect(answer).toMatchObject({ name: 'Tea', [name]: value })
    expect(await stored(site)).toEqual(answer)
  })

  it('leaves the addresses besides callbackUrl as they are', async () => {
    const site = freshSite()
    const address = { url: 'https://till.example/', types: ['PAYMENT'] }
    await site.ask('/settings/callbacks/till', { method: 'PUT', body: address })
    await put(site, { name: 'Tea' })
    expect((await site.ask('/settings/callbacks/till')).status).toBe(200)
  })

  it('that has one of them replaces it', async () => {
    const site = freshSite()
    await patch(site, NEW)
    const people = { confirmRefundsAbove: { value: 0 }, tokenSignIn: true }
    const others = { redirectSchemes: [], ...people, digitalRouble: false }
    const answer = await (await put(site, others)).json()
    expect(answer).toMatchObject({ confirmRefundsAbove: { value: '0.00', currency: 'RUB' } })
    for (const name of ['redirectSchemes', 'tokenSignIn', 'digitalRouble'])
      expect(answer).not.toHaveProperty(name)
  })
})

describe('these settings', () => {
  it('are, before they are set, no confirmation of refunds, a sign-in by token and no digital roubles', async () => {
    const settings = await stored(freshSite())
    expect(settings).not.toHaveProperty('digitalRouble')
    expect(settings).not.toHaveProperty('tokenSignIn')
    expect(settings).not.toHaveProperty('confirmRefundsAbove')
  })

  it('are removed by null, and a default that is set is no change', async () => {
    const site = freshSite()
    await patch(site, { confirmRefundsAbove: { value: '5000' }, tokenSignIn: false, digitalRouble: true })
    expect(await stored(site)).toMatchObject({ tokenSignIn: false, digitalRouble: true })
    await patch(site, { confirmRefundsAbove: null, tokenSignIn: null, digitalRouble: null })
    expect(await stored(site)).toEqual(await stored(freshSite()))
    const etag = (await site.ask('/settings')).headers.get('ETag')
    const defaults = { tokenSignIn: true, digitalRouble: false }
    expect((await patch(site, defaults)).headers.get('ETag')).toBe(etag)
  })

  it.each([
    [{ confirmRefundsAbove: { value: '-1' } }, 'confirmRefundsAbove.value'],
    [{ confirmRefundsAbove: { value: '0.001' } }, 'confirmRefundsAbove.value'],
    [{ confirmRefundsAbove: { value: '1000000000.00' } }, 'confirmRefundsAbove.value'],
    [{ confirmRefundsAbove: { value: '1', currency: 'USD' } }, 'confirmRefundsAbove.currency'],
    [{ confirmRefundsAbove: '5000' }, 'confirmRefundsAbove'],
    [{ confirmRefundsAbove: {} }, 'confirmRefundsAbove.value'],
    [{ tokenSignIn: 'no' }, 'tokenSignIn'],
    [{ tokenSignIn: 0 }, 'tokenSignIn'],
    [{ digitalRouble: 'true' }, 'digitalRouble'],
    [{ digitalRouble: 1 }, 'digitalRouble'],
  ])('refuse %j, and stay', async (wrong, field) => {
    const site = freshSite()
    await patch(site, { confirmRefundsAbove: { value: '5' }, tokenSignIn: false })
    for (const send of [patch, put]) {
      const refused = await send(site, wrong)
      expect([refused.status, Object.keys((await errorOf(refused)).cause ?? {})]).toEqual([400, [field]])
    }
    expect(await stored(site)).toMatchObject({ confirmRefundsAbove: { value: '5.00' }, tokenSignIn: false })
  })
})
