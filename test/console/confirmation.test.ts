// The second confirmation in the console: which forms ask, what the page says, and that an assertion confirms this form and no other
// (contract, section 12).
import { describe, expect, it } from 'vitest'
import { ROUTES } from '../../src/console/console.ts'
import { freshSite } from '../support/admin.ts'
import { browserOf } from '../support/console.ts'
import { questionIn } from '../support/passkey-pages.ts'
import { answerTo, type PersonBrowser, personBrowser } from '../support/person-browser.ts'
import { PICTURES } from '../support/pictures.ts'
import { connected, refundingSite } from '../support/refunds.ts'
import { CONNECTOR, serviceWith } from '../support/service.ts'

const KEY = { label: 'Касса', scope: 'merchant', days: '30' }
const keysOf = async ({ ask }: ReturnType<typeof freshSite>) =>
  ((await (await ask('/apiKeys')).json()) as { apiKeys: { label: string }[] }).apiKeys.filter(
    ({ label }) => label === KEY.label,
  )

async function owner(more: Parameters<typeof personBrowser>[1] = {}) {
  const site = freshSite()
  return { site, browser: await personBrowser(site, more) }
}

/** A site that asks before each refund, a payment of 5.00 RUB, and a manager. */
async function refunding(above = '0.00', fetch = connected) {
  const site = refundingSite()
  await site.ask('/settings', { method: 'PATCH', body: { confirmRefundsAbove: { value: above } } })
  const { paymentUid, qrCodeUid } = await site.paid()
  const browser = await personBrowser(site, { role: 'manager', fetch })
  const form = (refundId: string, amount = '3,50') => ({
    amount,
    comment: '',
    from: '',
    refundId,
    confirmed: 'yes',
  })
  return { site, paymentUid, qrCodeUid, browser, path: `/payments/${paymentUid}/refund`, form }
}

describe('a form of a person', () => {
  it('that changes keys is shown with its values and its fields, does nothing, and does it once it is confirmed', async () => {
    const { site, browser } = await owner()
    const asked = await questionIn(await browser.post('/keys', KEY))
    expect(await keysOf(site)).toEqual([])
    expect(Object.fromEntries(asked.fields)).toEqual(KEY)
    expect(asked.options).toMatchObject({ rpId: 'localhost', allowCredentials: [{ id: browser.passkey }] })
    for (const text of ['Подтвердите ключом доступа', 'Новый ключ', 'Касса', '30'])
      expect(asked.page).toContain(text)
    const made = await browser.post('/keys', await answerTo(asked, browser.authenticator))
    expect([made.status, await keysOf(site)]).toEqual([200, [expect.objectContaining({ label: 'Касса' })]])
  })

  it('that refunds more than the setting names the sum and the order, and refunds once it is confirmed', async () => {
    const { site, browser, path, form, paymentUid, qrCodeUid } = await refunding('3.00')
    const asked = await questionIn(await browser.post(path, form('r')))
    expect(await site.refundsOf(paymentUid)).toEqual([])
    expect(asked.page.replaceAll(/\s/g, ' ')).toContain('3,50 ₽')
    expect(asked.page).toContain(qrCodeUid)
    const done = await browser.post(path, await answerTo(asked, browser.authenticator))
    expect([done.status, await site.refundsOf(paymentUid)]).toEqual([
      303,
      [expect.objectContaining({ refundId: 'r' })],
    ])
  })

  it('that refunds no more than the setting asks nothing', async () => {
    const { browser, path, form } = await refunding('3.50')
    expect((await browser.post(path, form('r'))).status).toBe(303)
  })

  it('of the settings shows what it changes, and keeps a logo and every field that is there more than once', async () => {
    const { site, browser } = await owner()
    const page = await (await browser.get('/settings')).text()
    const etag = `"${/name="etag" value="&quot;(\w+)&quot;"/.exec(page)?.[1]}"`
    const fields = new URLSearchParams({
      etag,
      name: 'Чай & "кофе"',
      logo: Uint8Array.from(PICTURES['image/png']?.(8, 8) ?? []).toBase64(),
    })
    for (const type of ['PAYMENT', 'QR_CODE']) fields.append('notificationTypes', type)
    fields.append('confirmAbove', '5000')
    fields.append('confirmCurrency', 'RUB')
    fields.append('digitalRouble', 'yes')
    fields.append('tokenSignIn', 'yes')
    const asked = await questionIn(await browser.post('/settings', fields))
    expect([...asked.fields]).toEqual([...fields])
    for (const text of ['Чай &amp; &quot;кофе&quot;', 'новая картинка', 'Подтверждать возвраты больше']) {
      expect(asked.page).toContain(text)
    }
    expect(asked.page).toContain('СБП и цифровые рубли')
    for (const same of ['ИНН', 'Как войти в кабинет']) expect(asked.page).not.toContain(same)
    expect((await browser.post('/settings', await answerTo(asked, browser.authenticator))).status).toBe(303)
    const answer = await site.ask('/settings')
    expect(answer.headers.get('Link')).toContain('rel="icon"')
    expect(await answer.json()).toMatchObject({
      name: 'Чай & "кофе"',
      notificationTypes: ['PAYMENT', 'QR_CODE'],
    })
  })

  it('of a session of a token or of a link asks nothing', async () => {
    const site = freshSite()
    const browser = browserOf()
    await browser.signIn({ sub: site.siteId, scope: 'merchant:admin' })
    expect((await browser.post('/keys', KEY)).status).toBe(200)
    expect(await keysOf(site)).toHaveLength(1)
  })

  it.each([
    ['ru', 'Подтвердите ключом доступа', 'нужен JavaScript'],
    ['en', 'Confirm by passkey', 'needs JavaScript'],
  ])(
    'asks in %s on a page that cannot be framed, and says what a browser needs',
    async (language, title, script) => {
      const { browser } = await owner()
      await browser.get(`/keys?lang=${language}`)
      const response = await browser.post('/keys', KEY)
      const { headers } = response
      expect([headers.get('X-Frame-Options'), headers.get('Cache-Control')]).toEqual(['DENY', 'no-store'])
      expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
      const { page } = await questionIn(response)
      expect(page).toContain(`<h1>${title}</h1>`)
      expect(/<noscript>.*?<\/noscript>/s.exec(page)?.[0]).toContain(script)
      // Without script there is no button: nothing can be sent without an assertion.
      expect(page).toMatch(/<button class="primary" hidden>/)
    },
  )

  it('shows no value as markup', async () => {
    const { browser } = await owner()
    const { page } = await questionIn(
      await browser.post('/keys', { ...KEY, label: `"><img src=x>`, '"><b>': 'x' }),
    )
    expect(page).not.toContain('<img src=x>')
    expect(page).not.toContain('"><b>')
  })
})

/** Sends a form whose assertion does not count: the page asks again, and nothing is done. */
async function refused(browser: PersonBrowser, path: string, fields: URLSearchParams) {
  const again = await questionIn(await browser.post(path, fields))
  expect(again.page).toContain('Подтвердить не получилось')
  return again
}

describe('an assertion', () => {
  it.each<[string, (fields: URLSearchParams) => void]>([
    ['one field changed', (fields) => fields.set('label', 'Другая')],
    ['the scope raised', (fields) => fields.set('scope', 'merchant:admin')],
    ['one field more', (fields) => fields.append('more', '1')],
    ['a field twice', (fields) => fields.append('scope', 'merchant:admin')],
    ['one field less', (fields) => fields.delete('days')],
  ])('of another form, with %s, does nothing', async (_, change) => {
    const { site, browser } = await owner()
    const asked = await questionIn(await browser.post('/keys', KEY))
    const fields = await answerTo(asked, browser.authenticator)
    change(fields)
    await refused(browser, '/keys', fields)
    expect(await keysOf(site)).toEqual([])
  })

  it('of another path does nothing', async () => {
    const { site, browser } = await owner()
    const make = async () =>
      ((await (await site.ask('/apiKeys', { body: { ...KEY, days: 1 } })).json()) as { id: string }).id
    const [one, other] = [await make(), await make()]
    const asked = await questionIn(await browser.post(`/keys/${one}/revoke`))
    const answer = await answerTo(asked, browser.authenticator)
    await refused(browser, `/keys/${other}/revoke`, answer)
    await refused(browser, `/keys/${one}/revoke?a=1`, answer)
    const { apiKeys } = (await (await site.ask('/apiKeys')).json()) as { apiKeys: { revoked?: string }[] }
    expect(apiKeys.some(({ revoked }) => revoked !== undefined)).toBe(false)
  })

  it('of another session of the same person, or of another person, does nothing', async () => {
    const { site, browser } = await owner()
    const colleague = await personBrowser(site)
    const asked = await questionIn(await browser.post('/keys', KEY))
    for (const authenticator of [browser.authenticator, colleague.authenticator]) {
      await refused(colleague, '/keys', await answerTo(asked, authenticator))
    }
    // The right form and session, by the passkey of another one.
    await refused(browser, '/keys', await answerTo(asked, colleague.authenticator))
    expect(await keysOf(site)).toEqual([])
  })

  it('of another site does nothing', async () => {
    const { browser } = await owner({ id: 'anna' })
    const other = await owner({ id: 'anna' })
    const asked = await questionIn(await browser.post('/keys', KEY))
    await refused(other.browser, '/keys', await answerTo(asked, browser.authenticator))
    await refused(other.browser, '/keys', await answerTo(asked, other.browser.authenticator))
    expect(await keysOf(other.site)).toEqual([])
  })

  it.each([
    ['another origin', { client: { origin: 'http://localhost:8080' } }],
    ['a page in a frame of another origin', { client: { crossOrigin: true } }],
    ['another relying party', { rpId: 'other.test' }],
    ['another type', { client: { type: 'webauthn.create' } }],
    ['no user verification', { flags: 1 }],
    [
      'another signature',
      { signature: (bytes: Uint8Array<ArrayBuffer>) => bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1) },
    ],
  ])('with %s does nothing', async (_, spoiled) => {
    const { site, browser } = await owner()
    const asked = await questionIn(await browser.post('/keys', KEY))
    await refused(browser, '/keys', await answerTo(asked, browser.authenticator, spoiled))
    expect(await keysOf(site)).toEqual([])
  })

  it('that is no assertion does nothing', async () => {
    const { site, browser } = await owner()
    for (const assertion of ['', '{}', 'null', 'x'.repeat(5000)]) {
      await refused(browser, '/keys', new URLSearchParams({ ...KEY, assertion }))
    }
    expect(await keysOf(site)).toEqual([])
  })

  it('after five minutes does nothing', async () => {
    let later = 0
    const fetch = serviceWith({ settings: CONNECTOR, now: () => Date.now() + later })
    const { site, browser } = await owner({ fetch })
    const asked = await questionIn(await browser.post('/keys', KEY))
    const answer = await answerTo(asked, browser.authenticator)
    later = 300_000
    await refused(browser, '/keys', answer)
    expect(await keysOf(site)).toEqual([])
  })

  it('that was used confirms nothing more, and the page says that it may be done', async () => {
    const { site, browser } = await owner()
    const asked = await questionIn(await browser.post('/keys', KEY))
    const answer = await answerTo(asked, browser.authenticator)
    expect((await browser.post('/keys', answer)).status).toBe(200)
    const again = await questionIn(await browser.post('/keys', answer))
    expect(again.page).toContain('Это подтверждение уже использовано')
    expect(await keysOf(site)).toHaveLength(1)
  })

  it('sent many times at once acts once: a key, a refund', async () => {
    const { site, browser } = await owner()
    const answer = await answerTo(await questionIn(await browser.post('/keys', KEY)), browser.authenticator)
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => browser.post('/keys', answer)))).map(
      ({ status }) => status,
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(await keysOf(site)).toHaveLength(1)

    const { site: shop, browser: manager, path, form, paymentUid } = await refunding()
    const refund = await answerTo(
      await questionIn(await manager.post(path, form('r'))),
      manager.authenticator,
    )
    const all = await Promise.all(Array.from({ length: 8 }, () => manager.post(path, refund)))
    // The same refundId is the same refund, whose answer can have been lost.
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([303]))
    expect(await shop.refundsOf(paymentUid)).toHaveLength(1)
  })

  it('of one refund makes no other one', async () => {
    const { site, browser, path, form, paymentUid } = await refunding()
    const asked = await questionIn(await browser.post(path, form('r1', '1')))
    const answer = await answerTo(asked, browser.authenticator)
    answer.set('refundId', 'r2')
    await refused(browser, path, answer)
    answer.set('refundId', 'r1')
    answer.set('amount', '5')
    await refused(browser, path, answer)
    expect(await site.refundsOf(paymentUid)).toEqual([])
  })

  it('whose counter goes back does nothing, and is an event', async () => {
    const { site, browser } = await owner({ counts: true })
    expect((await browser.confirm('/keys', KEY)).status).toBe(200)
    expect((await browser.confirm('/keys', { ...KEY, label: 'b' }, { counter: 1 })).status).toBe(401)
    expect((await site.events()).map(({ type }) => type)).toContain('passkey.refused')
    expect(
      ((await (await site.ask('/apiKeys')).json()) as { apiKeys: { label: string }[] }).apiKeys.map(
        ({ label }) => label,
      ),
    ).not.toContain('b')
  })

  it('ends with the session', async () => {
    const { site, browser } = await owner()
    const asked = await questionIn(await browser.post('/keys', KEY))
    await site.ask(`/people/${browser.id}/sessions`, { method: 'DELETE' })
    const answer = await browser.post('/keys', await answerTo(asked, browser.authenticator))
    expect(answer.status).toBe(401)
    expect(await keysOf(site)).toEqual([])
  })
})

it('each form of the console whose act asks says what it does', () => {
  const asking = ROUTES.filter(({ confirms }) => confirms).map(({ path }) => path)
  expect(asking.toSorted()).toEqual(
    [
      ...['/settings', '/keys', '/keys/:id/revoke', '/notification-keys', '/notification-keys/:id/activate'],
      ...['/addresses', '/addresses/:id', '/addresses/:id/remove', '/payments/:id/refund'],
      ...['/people', '/people/:id', '/people/:id/invite', '/people/:id/remove'],
      ...['/people/:id/passkeys/:passkeyId/remove', '/me/passkeys', '/me/passkeys/remove'],
      ...['/operator/people', '/operator/people/:id', '/operator/people/:id/invite'],
      ...['/operator/people/:id/remove', '/operator/people/:id/passkeys/:passkeyId/remove'],
      ...['/operator/me/passkeys', '/operator/me/passkeys/remove'],
      ...['/addresses/:callback/keys', '/addresses/:callback/keys/:id/activate'],
    ].toSorted(),
  )
})
