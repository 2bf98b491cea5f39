// The body of a notification as the console shows it: that of the wire, with line breaks (docs/console.md).
import { expect, it } from 'vitest'
import { NotificationAnswer } from '../../src/contract/notifications/log.ts'
import { browserOf } from '../support/console.ts'
import { codeIn, textOf } from '../support/html.ts'
import { logOf, merchantServer } from '../support/merchant.ts'
import { notifiedSite } from '../support/notified-site.ts'
import { tokenOf } from '../support/service.ts'

it.each(['350.00', '0.10', '999999999.99', '90071992547409.91'])(
  'of a payment of %s has its hundredths',
  async (value) => {
    merchantServer()
    const site = await notifiedSite()
    const { linkId } = await site.make({ amount: undefined })
    await site.pay(linkId, { amount: { value } })
    const [{ id = '' } = {}] = (await logOf(site)).notifications
    const { body } = NotificationAnswer.parse(await (await site.ask(`/notifications/${id}`)).json())
    const browser = browserOf()
    await browser.post('/sign-in', { token: await tokenOf({ sub: site.siteId, scope: 'merchant' }) })
    const page = await (await browser.get(`/notifications/${id}`)).text()
    const [shown = ''] = codeIn(page)
    expect(shown).toContain(`\n      "value": ${value},\n`)
    expect(shown.replaceAll(/\n */g, '').replaceAll('": ', '":')).toBe(body)
    expect(textOf(/data-copy="([^"]*)"/.exec(page)?.[1] ?? '')).toBe(body)
  },
)
