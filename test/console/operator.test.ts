// The operator's pages: sites, what is stuck, and what is done to one site.
import { runInDurableObject } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { NO_FIGURES, type RegistryEntry } from '../../src/contract/registry-entry.ts'
import { REGISTRY } from '../../src/contract/site-id.ts'
import { freshSite } from '../support/admin.ts'
import { bankTokenSite } from '../support/bank-tokens.ts'
import { textIn } from '../support/client.ts'
import { browserOf } from '../support/console.ts'
import { merchantServer } from '../support/merchant.ts'
import { notifiedSite, until } from '../support/notified-site.ts'
import { healthOf, operator } from '../support/operator.ts'
import { refundingSite } from '../support/refunds.ts'

async function signedIn() {
  const browser = browserOf()
  await browser.signIn({ sub: '*', scope: 'operator', jti: 'operator' })
  return browser
}
const textOf = async (response: Promise<Response>) => (await response).text()

const registry = () => exports.Registry.getByName(REGISTRY)
const HEALTHY: RegistryEntry = {
  ...NO_FIGURES,
  bytes: 4096,
  epoch: 'first',
  name: 'Чайная <b>на</b> Садовой',
  createdAt: 1,
}

/** A site that the registry lists, and what it tells. */
async function listedSite(figures: Partial<RegistryEntry> = {}) {
  const site = freshSite()
  await site.ask('/settings', { method: 'PUT', body: { name: 'Чайная <b>на</b> Садовой' } })
  await vi.waitFor(async () => {
    expect(await (await operator(`?q=${site.siteId}`)).text()).toContain('Чайная')
  }, 30_000)
  await registry().record(site.siteId, { ...HEALTHY, ...figures })
  return site
}

describe('the sites', () => {
  it('are found by what their names begin with, with shop and creation', async () => {
    const site = await listedSite()
    const page = await textOf((await signedIn()).get(`/operator/sites?q=${site.siteId}`))
    expect(page).toContain(`href="../operator/sites/${site.siteId}"`)
    expect(page).toContain('Чайная &lt;b&gt;на&lt;/b&gt; Садовой')
  })

  it.each(['nobody-has-this-name', 'с пробелом', '<script>', 'x'.repeat(200)])(
    'that begin with %j are none, which is no error',
    async (q) => {
      const answer = await (await signedIn()).get(`/operator/sites?q=${encodeURIComponent(q)}`)
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Такого сайта нет')])
    },
  )
})

describe('what is stuck', () => {
  it.each<[string, Partial<RegistryEntry>, string]>([
    ['a failed notification', { failedNotifications: 3 }, 'Уведомления не доставлены: 3'],
    ['a notification that waits', { notifications: 2, oldestNotification: 1_700_000_000_000 }, 'ждут: 2'],
    ['an instruction that waits', { instructions: 4 }, 'Поручения ждут: 4'],
    ['an overdue instruction', { overdueInstructions: 5 }, 'больше часа: 5'],
    ['a restore', { isRestored: true }, 'ждёт возобновления'],
  ])('is a site with %s', async (_, figures, said) => {
    const [site, healthy] = [await listedSite(figures), await listedSite()]
    const { sites } = await (await operator('?stuck=true&limit=100')).json<{ sites: { siteId: string }[] }>()
    const names = sites.map(({ siteId }) => siteId)
    expect([names.includes(site.siteId), names.includes(healthy.siteId)]).toEqual([true, false])
    const page = await textOf((await signedIn()).get(`/operator/sites?q=${site.siteId}`))
    expect(page).toContain(said)
    expect(await textOf((await signedIn()).get('/operator/stuck'))).toContain(said)
    await registry().record(site.siteId, HEALTHY)
  })
})

describe('one site', () => {
  it('shows what it has', async () => {
    const site = await listedSite()
    const { linkId } = await site.make()
    await site.pay(linkId)
    const page = await textOf((await signedIn()).get(`/operator/sites/${site.siteId}`))
    for (const said of ['Оплачен</span> 1', 'Прошёл</span> 1', 'Чайная &lt;b&gt;'])
      expect(page).toContain(said)
    expect(page).toMatch(/<span title="[\d\s]+ Б">[\d,]+ [кМ]?Б<\/span>/u)
    // No status is shown by its name in the API.
    expect(page.replaceAll(/<[^>]*>/g, '')).not.toMatch(/PAYED|COMPLETED/)
  })

  it('names a code that bound an account and its token alike', async () => {
    const site = bankTokenSite()
    await site.bound('t')
    const page = await textOf((await signedIn()).get(`/operator/sites/${site.siteId}`))
    expect(page.match(/Счёт привязан<\/span> 1/g)).toHaveLength(2)
  })

  it('shows its one notification that was given up', async () => {
    merchantServer(() => new Response(null, { status: 410 }))
    const site = await notifiedSite()
    await site.pay((await site.make()).linkId)
    await until(site, { status: 'FAILED' })
    const page = await textOf((await signedIn()).get(`/operator/sites/${site.siteId}`))
    expect(page).toContain('Не доставлено</span> 1')
  })

  it('that nobody wrote to is 404, and its page makes none', async () => {
    const { siteId, stub } = freshSite()
    expect((await (await signedIn()).get(`/operator/sites/${siteId}`)).status).toBe(404)
    const tables = await runInDurableObject(stub, (_, { storage }) => storage.sql.databaseSize)
    expect(tables).toBeLessThanOrEqual(4096)
  })

  it('has its export as the API has it', async () => {
    const site = await listedSite()
    await site.make()
    const file = await (await signedIn()).get(`/operator/sites/${site.siteId}/export`)
    expect([file.status, file.headers.get('Content-Type'), file.headers.get('Content-Disposition')]).toEqual([
      200,
      'application/x-ndjson',
      `attachment; filename="${site.siteId}.ndjson"`,
    ])
    expect(await textIn(file)).toBe(await textIn(await operator(`/${site.siteId}/export`)))
  })

  it('that is restored is resumed', async () => {
    const site = await listedSite()
    await runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec('UPDATE site SET restored = 1').toArray(),
    )
    const browser = await signedIn()
    expect(await textOf(browser.get(`/operator/sites/${site.siteId}`))).toContain('Возобновить')
    const done = await browser.post(`/operator/sites/${site.siteId}/resume`)
    expect([done.status, done.headers.get('Location')]).toEqual([
      303,
      `../../../operator/sites/${site.siteId}?done=resumed`,
    ])
    expect(await textOf(browser.get(`/operator/sites/${site.siteId}`))).not.toContain('Возобновить')
  })

  it('has limits, which are set, shown, and refused by the field that is wrong', async () => {
    const site = await listedSite()
    const browser = await signedIn()
    const address = `/operator/sites/${site.siteId}`
    const done = await browser.post(`${address}/limits`, {
      ...{ maxPayment: ' 1 500,50 ', maxPaymentCurrency: 'RUB' },
      ...{ maxRefundsPerDay: '', maxRefundsPerDayCurrency: 'RUB' },
    })
    expect([done.status, done.headers.get('Location')]).toEqual([
      303,
      `../../../operator/sites/${site.siteId}?done=limited`,
    ])
    expect(await healthOf(site)).toMatchObject({ limits: { maxPayment: { value: '1500.50' } } })
    expect(await textOf(browser.get(address))).toMatch(/name="maxPayment"[^>]* value="1500,50"/)
    const refused = await browser.post(`${address}/limits`, {
      ...{ maxPayment: '7', maxPaymentCurrency: 'RUB' },
      ...{ maxRefundsPerDay: 'сто <b>', maxRefundsPerDayCurrency: 'RUB' },
    })
    const page = await refused.text()
    expect([refused.status, page]).toEqual([400, expect.stringContaining('Введите сумму')])
    expect(page).toMatch(/name="maxRefundsPerDay"[^>]* value="сто &lt;b&gt;"[^>]* aria-invalid="true"/)
    expect(page).toMatch(/name="maxPayment"[^>]* value="7"/)
    expect((await healthOf(site)).limits?.maxPayment?.value).toBe('1500.50')
    await browser.post(`${address}/limits`, {})
    expect(await healthOf(site)).not.toHaveProperty('limits')
  })

  it('is deleted only by its typed name', async () => {
    const site = await listedSite()
    const browser = await signedIn()
    const address = `/operator/sites/${site.siteId}/delete`
    for (const fields of [
      {},
      { siteId: '' },
      { siteId: `${site.siteId}x` },
      { siteId: 'demo', force: 'yes' },
    ]) {
      expect([fields, (await browser.post(address, fields)).status]).toEqual([fields, 400])
    }
    expect((await site.ask('/events')).status).toBe(200)
    const done = await browser.post(address, { siteId: site.siteId })
    expect([done.status, done.headers.get('Location')]).toEqual([303, '../../../operator/sites?done=deleted'])
    expect((await site.ask('/events')).status).toBe(410)
  })

  it('with a QR code that can be paid is deleted only with force', async () => {
    const site = await listedSite()
    await site.make()
    const browser = await signedIn()
    const address = `/operator/sites/${site.siteId}/delete`
    const refused = await browser.post(address, { siteId: site.siteId })
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining('Ничего не удалено'),
    ])
    expect((await browser.post(address, { siteId: site.siteId, force: 'yes' })).status).toBe(303)
  })

  it('has its overdue instructions, each with a button that sends it now', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 1, 'refund-1')
    await runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec("UPDATE outbox SET created_at = 1000 WHERE queue <> 'merchant'").toArray(),
    )
    const browser = await signedIn()
    const page = await textOf(browser.get(`/operator/sites/${site.siteId}`))
    expect(page).toContain('refund-1')
    const [, action = ''] = /action="[./]*(operator\/sites\/[^"]+\/send)"/.exec(page) ?? []
    const done = await browser.post(`/${action}`)
    expect([done.status, done.headers.get('Location')]).toEqual([
      303,
      expect.stringMatching(/\?done=(sent|failed)$/),
    ])
  })
})

it.each(['merchant:admin', 'operator'])(
  'a token of a site with the scope %s sees no page of the operator',
  async (scope) => {
    const site = await listedSite()
    const browser = browserOf()
    await browser.signIn({ sub: site.siteId, scope: `merchant ${scope}` })
    const address = `/operator/sites/${site.siteId}`
    for (const path of ['/operator/sites', '/operator/stuck', address, `${address}/export`]) {
      const { status, headers } = await browser.get(path)
      expect([path, status, headers.get('Location')?.includes('sign-in?next=operator')]).toEqual([
        path,
        303,
        true,
      ])
    }
    for (const path of ['resume', 'delete', 'limits', 'instructions/a/send']) {
      const answer = await browser.post(`${address}/${path}`, { siteId: site.siteId, force: 'yes' })
      expect([path, answer.status]).toEqual([path, 401])
    }
    expect((await site.ask('/events')).status).toBe(200)
  },
)
