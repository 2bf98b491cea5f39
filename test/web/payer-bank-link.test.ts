// The payer's page of a QR code whose link a bank made (contract, sections 13 and 14).
import { expect, it } from 'vitest'
import { bankSite, linkOf } from '../support/bank-links.ts'
import { open } from '../support/payer.ts'
import { serviceWith } from '../support/service.ts'

const BANKS = {
  dictionary: [{ bankName: 'Сбер', schema: 'bank100000000111', logoURL: 'https://x.example/l.png' }],
}
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15'
/** What serves payers: another instance, of the same deployment. */
const service = serviceWith({
  settings: { PAYMENT_NETWORK: 'external', BANKS_URL: 'https://banks.example/' },
  fetchConnector: async () => Response.json(BANKS),
})
const bankLink = (index: number) => linkOf(`q-${index}`)

/** A site whose bank gives the links q-0, q-1, … */
function site() {
  let next = 0
  return bankSite(({ type }) =>
    type === 'qrCode.register' ? Response.json({ payload: bankLink(next++) }) : new Response(),
  )
}

it('opens and draws the link of the bank', async () => {
  const { answer } = await site().make()
  const page = await (await open(answer.pageUrl, { headers: { 'User-Agent': PHONE } }, service)).text()
  expect(page).toContain(`href="${bankLink(0).replaceAll('&', '&amp;')}"`)
  expect(page).toContain('5')
})

it('opens the link in the bank that the payer chooses', async () => {
  const { answer } = await site().make()
  const banks = answer.pageUrl.replace('?', '/banks?')
  // The first request finds out that there is a list.
  await open(answer.pageUrl, {}, service)
  const page = await (await open(banks, { headers: { 'User-Agent': PHONE } }, service)).text()
  expect(page).toContain(
    `bank100000000111://${bankLink(0).slice('https://'.length).replaceAll('&', '&amp;')}`,
  )
})

it.each([
  ['with another sum', (url: string) => url.replace('sum=500', 'sum=1')],
  ['with another bank', (url: string) => url.replace(/bank=\d/, 'bank=9')],
  ['with another checksum', (url: string) => url.replace(/.{4}$/, '0000')],
  ['by the id of the bank', (url: string) => url.replace(/[^/]+\?/, 'q-0?')],
])('is not found %s', async (_, alter) => {
  const { answer } = await site().make()
  expect((await open(alter(answer.pageUrl), {}, service)).status).toBe(404)
  expect((await open(answer.pageUrl, {}, service)).status).toBe(200)
})

it('tells the page of a payment that the network reports by the link of the bank', async () => {
  const shop = site()
  const { answer } = await shop.make()
  const state = async () => (await open(answer.pageUrl.replace('?', '/state?'), {}, service)).json()
  expect(await state()).toEqual({ status: 'CREATED' })
  await shop.report('q-0', 'p-1')
  expect(await state()).toEqual({ status: 'PAYED' })
})
