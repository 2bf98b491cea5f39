// The operator's pages of owners: a new site, its first owner, and another invitation.
import { describe, expect, it } from 'vitest'
import { freshSite } from '../support/admin.ts'
import { browserOf } from '../support/console.ts'
import { byOwner, codeOf, join } from '../support/guests.ts'
import { operator } from '../support/operator.ts'
import { confirmed } from '../support/person-browser.ts'
import { serviceWith } from '../support/service.ts'

async function signedIn() {
  const browser = browserOf()
  await browser.signIn({ sub: '*', scope: 'operator', jti: 'operator' })
  return browser
}

/** The code of the invitation that a page shows. */
const codeIn = (page: string) => /\/console\/join\?code=([\w.-]+)<\/textarea>/.exec(page)?.[1] ?? ''

const exists = async ({ siteId }: { siteId: string }) => (await operator(`/${siteId}`)).status === 200

describe('the form of a new site', () => {
  it('makes the site, and shows the invitation of its first owner', async () => {
    const { siteId } = freshSite()
    const browser = await signedIn()
    const answer = await browser.post('/operator/new-site', {
      siteId: ` ${siteId} `,
      id: 'o-1',
      name: 'Анна',
    })
    const page = await answer.text()
    expect([answer.status, page]).toEqual([200, expect.stringContaining(`operator/sites/${siteId}"`)])
    const joined = await join(codeIn(page))
    expect((await joined.browser.get('/settings')).status).toBe(200)
    expect(await (await browser.get(`/operator/sites/${siteId}`)).text()).toContain('Анна')
  })

  it('that is sent twice makes one owner, and shows the link once', async () => {
    const { siteId } = freshSite()
    const browser = await signedIn()
    const form = { siteId, id: 'o-1', name: 'Анна' }
    const pages = [
      await (await browser.post('/operator/new-site', form)).text(),
      await (await browser.post('/operator/new-site', form)).text(),
    ]
    expect(pages.map((page) => codeIn(page) !== '')).toEqual([true, false])
    expect(pages[1]).toContain('уже приглашён')
  })

  it('invites nobody to a site that exists: the operator can have mistyped its name', async () => {
    const site = freshSite()
    await site.make()
    const answer = await (await signedIn()).post('/operator/new-site', {
      ...{ siteId: site.siteId, id: 'o-1', name: 'Чужой' },
    })
    expect([answer.status, await answer.text()]).toEqual([
      409,
      expect.stringContaining('Такой сайт уже есть'),
    ])
    expect(await (await operator(`/${site.siteId}/owners`)).json()).toEqual({ owners: [] })
  })

  it.each([
    ['', 404],
    ['с пробелом', 404],
    ['a/b', 404],
    ['..', 404],
    ['x'.repeat(65), 404],
  ])('with the siteId %j says the rule, and keeps what was typed', async (siteId, status) => {
    const answer = await (await signedIn()).post('/operator/new-site', { siteId, id: 'o-1', name: 'Анна' })
    const page = await answer.text()
    expect([answer.status, page]).toEqual([status, expect.stringContaining('Имя сайта: от 1 до 64')])
    expect(page).toContain('value="Анна"')
  })

  it('without a name of the owner makes no site', async () => {
    const site = freshSite()
    const answer = await (await signedIn()).post('/operator/new-site', {
      ...{ siteId: site.siteId, id: 'o-1', name: ' ' },
    })
    expect([answer.status, await exists(site)]).toEqual([400, false])
  })

  it('is for the operator alone', async () => {
    const site = freshSite()
    const browser = browserOf()
    await browser.signIn({ sub: site.siteId, scope: 'merchant:admin' })
    const form = { siteId: site.siteId, id: 'o-1', name: 'Анна' }
    expect((await browser.get('/operator/new-site')).status).toBe(303)
    expect((await browser.post('/operator/new-site', form)).status).toBe(401)
    expect((await browser.post(`/operator/sites/${site.siteId}/owners`, form)).status).toBe(401)
    expect(await (await operator(`/${site.siteId}/owners`)).json()).toEqual({ owners: [] })
  })
})

describe('the owners on the page of a site', () => {
  it('are invited, and invited again', async () => {
    const site = freshSite()
    await site.make()
    const browser = await signedIn()
    const address = `/operator/sites/${site.siteId}`
    expect(await (await browser.get(address)).text()).toContain('Владельца с именем нет')
    const invited = await (await browser.post(`${address}/owners`, { id: 'o-1', name: 'Анна' })).text()
    const lost = await join(codeIn(invited))
    const again = await (await browser.post(`${address}/owners/o-1/invite`)).text()
    const found = await join(codeIn(again))
    expect((await lost.browser.get('/settings')).status).toBe(303)
    expect((await found.browser.get('/settings')).status).toBe(200)
  })

  it('says why a form is refused', async () => {
    const site = freshSite()
    await site.make()
    const browser = await signedIn()
    const address = `/operator/sites/${site.siteId}`
    const blank = await browser.post(`${address}/owners`, { id: 'o-1', name: ' ' })
    expect([blank.status, await blank.text()]).toEqual([400, expect.stringContaining('Имя: одна строка')])
    expect((await browser.post(`${address}/owners/nobody/invite`)).status).toBe(404)
  })
})

it('the audit names the person who removed another one', async () => {
  const site = freshSite()
  const answer = await operator(`/${site.siteId}/owners`, {
    ...{ method: 'POST', body: { id: 'anna', name: 'Анна <Петрова>' } },
  })
  const owner = await join(codeOf(await answer.json()))
  await byOwner(site.siteId, '', { method: 'POST', body: { id: 'ivan', name: 'Иван', role: 'cashier' } })
  expect((await confirmed(owner, '/people/ivan/remove')).status).toBe(303)
  const audit = await (await signedIn()).get(`/operator/audit?siteId=${site.siteId}`)
  const page = await audit.text()
  expect(page).toContain('Удаление сотрудника')
  expect(page).toContain('Анна &lt;Петрова&gt;')
})

it('a deployment without test sites makes none', async () => {
  const site = freshSite(undefined, '-test')
  const answer = await operator(
    `/${site.siteId}/owners`,
    { method: 'POST', body: { id: 'o-1', name: 'Anna' } },
    serviceWith({ settings: { TEST_SITES: undefined } }),
  )
  expect([answer.status, await exists(site)]).toEqual([404, false])
})
