// The payer's page of a code whose redirectUrl is in the shop's own app: a button, and nothing that opens by itself (contract, section 13).
import { describe, expect, it } from 'vitest'
import { freshSite } from '../support/admin.ts'
import { qrCodeBody, qrCodeIn } from '../support/client.ts'
import { amount, open, read, submit } from '../support/payer.ts'

const APP = 'teashop://orders/1?a=1&b=2'
const LINK = 'href="teashop://orders/1?a=1&amp;b=2" rel="noopener noreferrer"'

/** A site whose settings have the scheme, and its page of a code. */
async function appSite(redirectUrl = APP) {
  const site = freshSite()
  const name = (redirectSchemes: readonly string[] | null) =>
    site.ask('/settings', { method: 'PATCH', body: { redirectSchemes } })
  await name(['teashop'])
  const answer = await site.ask('/sbp/qrCodes', { body: qrCodeBody({ amount, redirectUrl }) })
  const { qrCode, qrCodeUid } = await qrCodeIn(answer)
  return {
    site,
    name,
    qrCodeUid,
    link: qrCode.payload,
    page: (language?: string) => read(qrCode.payload, language),
  }
}

describe('a redirectUrl in an app', () => {
  it.each([
    ['ru', 'Вернуться в приложение', 'Откроется, если приложение магазина есть на этом устройстве'],
    ['en', 'Back to the app', 'It opens if the shop’s app is on this device'],
  ])(
    'in %s is a button after the payment, which says that the app may be missing',
    async (language, text, hint) => {
      const { link, page } = await appSite()
      expect(await page(language)).not.toContain('teashop')
      await submit(link, { action: 'pay' })
      const paid = await page(language)
      expect(paid).toContain(`<a class="button primary" ${LINK}>${text}</a>`)
      expect(paid).toContain(hint)
      // Once, as the address of the button.
      expect(paid.match(/teashop/g)).toHaveLength(1)
    },
  )

  it('opens by nothing but a tap: no reload, no countdown, no form and no script leads there', async () => {
    const { link, page } = await appSite()
    await submit(link, { action: 'pay' })
    for (const shown of [await page(), await (await open(`${link}&until=0`)).text()])
      expect(shown).not.toMatch(/http-equiv|data-leaves|class="leaving"|data-stay|<form/)
    const sent = await submit(link, { action: 'pay' })
    expect(sent.headers.get('Location')).toBe(new URL(link).search)
  })

  it('leaves the headers as they are: the policy, the referrer, no Refresh', async () => {
    const headersOf = async (redirectUrl: string) => {
      const { link } = await appSite(redirectUrl)
      const before = await open(link)
      await submit(link, { action: 'pay' })
      return [before, await open(link)].map(({ headers }) =>
        Object.fromEntries([...headers].filter(([name]) => name !== 'x-trace-id')),
      )
    }
    const inApp = await headersOf(APP)
    expect(inApp).toEqual(await headersOf('https://shop.example/'))
    for (const headers of inApp) {
      expect(headers).not.toHaveProperty('refresh')
      expect(headers['content-security-policy']).not.toMatch(/teashop|unsafe|\*/)
    }
  })

  it.each([
    ['declined', ({ link }: { link: string }) => submit(link, { action: 'decline' })],
    [
      'cancelled',
      ({ site, qrCodeUid }: { site: ReturnType<typeof freshSite>; qrCodeUid: string }) =>
        site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' }),
    ],
  ] as const)('leads there too when the payment was %s', async (_, act) => {
    const at = await appSite()
    await act(at)
    expect(await at.page()).toContain(LINK)
  })

  it('is not shown while its scheme is not in the settings, whatever became of the payment', async () => {
    const { name, link, page } = await appSite()
    await submit(link, { action: 'decline' })
    await name(['otherapp'])
    expect(await page()).not.toMatch(/teashop|Вернуться/)
    await submit(link, { action: 'pay' })
    for (const none of [['otherapp'], null]) {
      await name(none)
      const paid = await page()
      expect(paid).toContain('Оплачено')
      expect(paid).not.toMatch(/teashop|Вернуться|class="bar"/)
    }
    await name(['teashop'])
    expect(await page()).toContain(LINK)
  })
})
