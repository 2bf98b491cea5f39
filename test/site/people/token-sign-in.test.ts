// Who begins a session where the settings refuse tokens (contract, sections 12 and 17).
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { freshSite } from '../../support/admin.ts'
import { browserOf } from '../../support/console.ts'
import { joined } from '../../support/people.ts'

async function closed() {
  const site = freshSite()
  await site.ask('/settings', { method: 'PATCH', body: { tokenSignIn: false } })
  return {
    site,
    siteId: site.siteId,
    ask: site.ask,
    signIn: () => browserOf().signIn({ sub: site.siteId, scope: 'merchant:admin' }),
  }
}

describe('a sign-in by token, with tokenSignIn false', () => {
  it('works as long as no owner has a passkey', async () => {
    const { site, signIn } = await closed()
    expect((await signIn()).status).toBe(303)
    await joined(site, 'manager', 'manager')
    expect((await signIn()).status).toBe(303)
    await joined(site, 'owner', 'owner')
    expect((await signIn()).status).toBe(403)
  })

  it.each([
    ['ru', 'Этот магазин принимает только ключи доступа', 'Владелец'],
    ['en', 'This site takes passkeys alone', 'owner'],
  ])('is 403, and the page in %s says what to do', async (language, title, who) => {
    const { site, siteId, signIn } = await closed()
    await joined(site, 'owner', 'owner')
    const browser = browserOf()
    await browser.get(`/sign-in?lang=${language}`)
    const refused = await browser.signIn({ sub: siteId, scope: 'merchant:admin' })
    const page = await refused.text()
    expect([
      refused.status,
      refused.headers.getSetCookie().some((each) => each.startsWith('console-session')),
    ]).toEqual([403, false])
    expect(page).toContain(title)
    expect(page).toContain(who)
    expect((await signIn()).status).toBe(403)
  })

  it('is allowed again once the setting is', async () => {
    const { site, ask, signIn } = await closed()
    await joined(site, 'owner', 'owner')
    await ask('/settings', { method: 'PATCH', body: { tokenSignIn: true } })
    expect((await signIn()).status).toBe(303)
  })

  it('is not refused to a one-time link, nor to the API', async () => {
    const { site, siteId, ask } = await closed()
    await joined(site, 'owner', 'owner')
    const session = {
      ...{ id: 'a1', keyId: 'link', scopes: ['merchant:admin'] as const, link: 'one-time' },
      ...{ issuedAt: 1, tokenExpiresAt: 9e9, expiresAt: 9e9 },
    }
    const caller = { actor: 'merchant', keyId: 'link', scopes: session.scopes } as const
    const object = env.SITES.getByName(siteId)
    expect(await object.openSession(caller, session)).toMatchObject({ ok: true })
    expect(await object.openSession(caller, { ...session, id: 'a2', link: undefined })).toMatchObject({
      code: 'auth.forbidden',
    })
    expect((await ask('/settings')).status).toBe(200)
  })
})
