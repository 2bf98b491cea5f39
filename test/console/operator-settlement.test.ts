// The operator's page of settlement.
import { exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { NO_FIGURES } from '../../src/contract/registry-entry.ts'
import { figuresWith } from '../../src/contract/settlements/month-figures.ts'
import { REGISTRY } from '../../src/contract/site-id.ts'
import { browserOf } from '../support/console.ts'

async function signedIn(scope: 'operator' | 'operator:read') {
  const browser = browserOf()
  await browser.signIn({ sub: '*', scope, jti: scope })
  return browser
}

/** A site that tells one month, of which no other test is. */
async function told(month: string, figures: Parameters<typeof figuresWith>[0]) {
  const siteId = `site-${crypto.randomUUID()}`
  const registry = exports.Registry.getByName(REGISTRY)
  await registry.record(siteId, { ...NO_FIGURES, epoch: 'first', createdAt: 1, name: 'Чай <b>' })
  await registry.recordSettlements(siteId, [{ month, ...figuresWith(figures) }])
  return siteId
}

describe.each(['operator', 'operator:read'] as const)('the page of settlement, for %s', (scope) => {
  it('has the figures of each site, what does not match, and the total', async () => {
    const month = scope === 'operator' ? '2019-11' : '2019-12'
    const site = await told(
      month,
      (name) => ({ gross: 1_000_050, net: 993_050, fee: -7_000, unknown: 2 })[name as string] ?? 0,
    )
    await told(month, (name) => (name === 'gross' ? 5 : 0))
    const answer = await (await signedIn(scope)).get(`/operator/settlement?month=${month}&lang=en`)
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(page).toContain(`href="../operator/sites/${site}"`)
    expect(page).toContain('Чай &lt;b&gt;')
    for (const text of ['10,000.50', '-', '9,930.50', '10,000.55', 'Only at the bank: 2'])
      expect(page).toContain(text)
    expect(page).not.toContain('Missing at the bank')
  })
})

it.each([
  ['?month=2018-05', 'За этот месяц файлов нет'],
  ['?month=2018-13', 'Месяц — это, например, 2026-11'],
  ['?month=%3Cscript%3E', 'Месяц — это, например, 2026-11'],
])('%s: %s', async (query, text) => {
  const answer = await (await signedIn('operator')).get(`/operator/settlement${query}`)
  const page = await answer.text()
  expect([answer.status, page.includes(text), page.includes('<script>')]).toEqual([200, true, false])
})

it('leads to the months beside it', async () => {
  const page = await (await (await signedIn('operator')).get('/operator/settlement?month=2018-01')).text()
  expect(page).toContain('href="?month=2017-12"')
  expect(page).toContain('href="?month=2018-02"')
})
