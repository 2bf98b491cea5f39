// The cash register of a site on the operator's page: which one it is, set and removed, and how its receipts go.
import { describe, expect, it } from 'vitest'
import { browserOf } from '../support/console.ts'
import { fiscalSite } from '../support/fiscal-site.ts'
import { healthOf } from '../support/operator.ts'
import { plain } from '../support/receipt-console.ts'
import { connected } from '../support/refunds.ts'

/** An operator at the page of a site with a register of ATOL. */
async function atSite(scope = 'operator') {
  const site = await fiscalSite()
  const browser = browserOf(connected)
  await browser.signIn({ sub: '*', scope })
  const address = `/operator/sites/${site.siteId}`
  const page = async (query = '') => plain(await (await browser.get(address + query)).text())
  const send = (fields: Record<string, string>) => browser.post(`${address}/cash-register`, fields)
  const register = async () => (await healthOf(site)).limits?.cashRegister
  return { site, page, send, register }
}

describe('the cash register of a site', () => {
  it('is set, and removed', async () => {
    const { page, send, register, site } = await atSite()
    expect(await page()).toContain('АТОЛ Онлайн, 1.2')
    const stated = { kind: 'tbank', ffd: '1.05', maxItems: '50', decimals: '2', vats: '22, 5' }
    const set = await send(stated)
    expect([set.status, set.headers.get('Location')]).toEqual([
      303,
      expect.stringMatching(new RegExp(`/${site.siteId}\\?done=registerSet#cash-register$`)),
    ])
    expect(await register()).toEqual({
      kind: 'tbank',
      ffd: '1.05',
      maxItems: 50,
      decimals: 2,
      vats: ['5', '22'],
    })
    const shown = await page('?done=registerSet')
    for (const text of [
      'касса Т-Банка, 1.05',
      'value="50"',
      'value="2"',
      'value="5, 22"',
      '<strong>Касса сохранена</strong>',
    ])
      expect(shown).toContain(text)
    expect((await send({ remove: 'yes', kind: 'tbank', ffd: '1.05' })).status).toBe(303)
    expect([await register(), (await page()).includes('Без кассы')]).toEqual([undefined, true])
  })

  it.each<[Record<string, string>, string]>([
    [{ kind: 'atol', ffd: '1.05' }, 'Эта касса делает чеки в другом формате'],
    [{ kind: 'atol', ffd: '1.2', maxItems: '101' }, 'Целое число от 1 до 100'],
    [{ kind: 'atol', ffd: '1.2', maxItems: 'x' }, 'Целое число от 1 до 100'],
    [{ kind: 'atol', ffd: '1.2', decimals: '4' }, 'Число от 0 до 3'],
    [{ kind: 'atol', ffd: '1.2', vats: '18' }, 'Ставки через запятую: none, 0, 5, 7, 10, 20, 22'],
    [{ kind: 'sandbox', ffd: '1.2' }, 'Касса стенда — только для тестовых магазинов'],
  ])('refuses %j in the page’s language, and stays', async (fields, rule) => {
    const { send, register } = await atSite()
    const refused = await send(fields)
    const text = plain(await refused.text())
    expect([refused.status, text.includes(rule)]).toEqual([400, true])
    expect(await register()).toEqual({ kind: 'atol', ffd: '1.2' })
  })

  it('has the figures of its receipts, for support too, which changes nothing', async () => {
    const { site, page } = await atSite('operator:read')
    const { paymentUid } = await site.sold()
    await site.fail((await site.latestOf(paymentUid)).receiptUid)
    await site.sold()
    const shown = plain(await page())
    expect(shown).toMatch(/Чеки ждут<\/dt><dd><bdi>1\. Самое старое ждёт с/)
    expect(shown).toMatch(
      /Чеки не прошли<\/dt><dd><bdi><span class="counts"><span><span class="badge bad">Не прошёл<\/span> 1/,
    )
    expect(shown).not.toContain('/cash-register"')
  })
})
