// The page of a receipt that the sandbox's cash register made: plausible, and marked as a test.
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { sandboxReceiptUrl } from '../../src/gateway/sandbox-receipt.ts'
import { open } from '../support/payer.ts'
import { CONTACT, FISCAL, item, receipt, receiptSite } from '../support/receipts.ts'
import { call, ORIGIN, sandbox } from '../support/service.ts'

const plain = (text: string) => text.replaceAll(/\s+/g, ' ')

/** A registered receipt of a site of the sandbox, of 5.00 RUB. */
async function registered(of: Record<string, unknown> = {}) {
  const site = await receiptSite()
  const receipts = { taxation: 'osn', vat: '22', place: 'https://tea.example', email: 'shop@tea.example' }
  const body = { name: 'Чайная лавка', legalName: 'ООО «Чай»', taxId: '7707083893', receipts }
  await site.ask('/settings', { method: 'PUT', body })
  const items = [item({ name: 'Чай', price: '2.50', quantity: '2', vat: '22' })]
  const { answer, receiptUid } = await site.paid(receipt({ taxation: undefined, items, ...of }))
  const { url: _, ...fiscal } = FISCAL
  await site.reportReceipt(receiptUid, { state: 'REGISTERED', fiscal })
  const config = readConfig({ ...env, PAYMENT_NETWORK: 'sandbox' })
  if (!config.ok) throw new Error('the configuration is refused')
  const address = sandboxReceiptUrl(config.config, site.siteId, receiptUid, ORIGIN)
  return { receiptUid, address, answer }
}

const see = (address: string, language = 'ru') =>
  call(
    address.slice(ORIGIN.length),
    { token: null, headers: { 'Accept-Language': language, Accept: 'text/html' } },
    sandbox,
  )

describe('a receipt of the sandbox', () => {
  it('has the seller, the items, the sums and the fiscal data, and says that it is a test', async () => {
    const { address } = await registered()
    const answer = await see(address)
    const page = plain(await answer.text())
    expect(answer.status).toBe(200)
    for (const text of [
      'ООО «Чай»',
      'ИНН 7707083893',
      'Приход',
      'Тест: это не фискальный документ',
      '2,50 ₽ × 2 шт.',
      '5,00 ₽',
      'в т. ч. НДС 22 %',
      '0,90 ₽',
      'ОСН',
      'https://tea.example',
      'shop@tea.example',
      'm…@shop.example',
      'РН ККТ',
      'ФПД',
      'data-print',
    ])
      expect(page, text).toContain(text)
    // No tax service and no operator of fiscal data stands behind it.
    expect(page).not.toMatch(/ФНС|налог\.|nalog|ОФД/i)
    expect(page).not.toContain(CONTACT.email)
    expect(plain(await (await see(address, 'en')).text())).toContain('Test: not a fiscal document')
  })

  it('has the computed rate of a prepayment', async () => {
    const items = [item({ name: 'Чай', vat: '22', method: 'fullPrepayment' })]
    const { address } = await registered({ items })
    const page = plain(await (await see(address)).text())
    for (const text of ['НДС 22/122 %', 'Предоплата 100 %', '0,90 ₽']) expect(page).toContain(text)
  })

  it('is at the address that the payer’s page has, and at no address that somebody made up', async () => {
    const { answer, address, receiptUid } = await registered()
    const page = await (await open(answer.qrCode.payload)).text()
    expect(page).toContain(`href="${address}"`)
    const [mark = ''] = address.split('/').slice(-1)
    const other = (await registered()).address
    for (const wrong of [
      address.replace(mark, '0'.repeat(mark.length)),
      address.replace(mark, mark.toUpperCase()),
      address.replace(receiptUid, 'A'.repeat(32)),
      other.replace(other.split('/').at(-1) ?? '', mark),
    ])
      expect([wrong, (await see(wrong)).status]).toEqual([wrong, 404])
  })
})
