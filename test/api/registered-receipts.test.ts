// Receipts that ride on what a bank is told of a code or a sale, where its cash register takes them so (contract, section 18).
import { describe, expect, it } from 'vitest'
import { type Answer, bankSite, willing } from '../support/bank-links.ts'
import { CONTACT, item, receipt, setRegister } from '../support/receipts.ts'
import { errorOf } from '../support/service.ts'

const TBANK = { kind: 'tbank', ffd: '1.05' }

/** A site with a cash register, whose links its bank makes. */
async function registeringSite(register: object | undefined, answer: Answer = willing) {
  const site = bankSite(answer)
  await site.ask('/settings', { method: 'PUT', body: {} })
  if (register) await setRegister(site, register, site.service)
  return site
}

const RIDING = {
  register: TBANK,
  items: [
    {
      ...{ name: 'Tea', price: '5.00', quantity: '1', amount: '5.00', vat: 'none' },
      ...{ method: 'fullPayment', object: 'commodity', unit: 0 },
    },
  ],
  taxation: 'usnIncome',
  contact: CONTACT,
}

describe('the registration of a QR code', () => {
  it('has the receipt, with the settings of the time', async () => {
    const site = await registeringSite(TBANK)
    const receipts = { place: 'https://shop.example', email: 'shop@shop.example', taxation: 'osn', vat: '10' }
    await site.ask('/settings', { method: 'PATCH', body: { receipts } })
    await site.make({ receipt: receipt({ taxation: undefined, items: [item({ vat: undefined })] }) })
    const [asked] = site.askedFor('qrCode.register')
    expect(asked?.data.receipt).toEqual({
      ...RIDING,
      items: [{ ...RIDING.items[0], vat: '10' }],
      taxation: 'osn',
      place: 'https://shop.example',
      email: 'shop@shop.example',
    })
  })

  it('has another key with another receipt or contact, and the same with the same', async () => {
    const site = await registeringSite(TBANK, ({ type }) =>
      type === 'qrCode.register' ? new Error('the connection broke') : new Response(null, { status: 204 }),
    )
    const qrCodeUid = 'order-1'
    for (const stated of [
      receipt(),
      receipt(),
      receipt({ contact: { phone: '+79001234567' } }),
      receipt({ items: [item({ name: 'Coffee' })] }),
    ])
      expect((await site.create({ qrCodeUid, receipt: stated })).status).toBe(503)
    const [first, again, ...others] = site.askedFor('qrCode.register').map(({ data }) => `${data.key}`)
    expect(again).toBe(first)
    expect(new Set([first, ...others]).size).toBe(3)
  })

  it.each<[string, object | undefined, object | undefined]>([
    [
      'with a register that does not ride',
      { kind: 'raiffeisen', ffd: '1.05' },
      receipt({ taxation: undefined }),
    ],
    ['without a receipt', TBANK, undefined],
    ['at a site without a register', undefined, undefined],
  ])('has none %s', async (_, register, stated) => {
    const site = await registeringSite(register)
    await site.make(stated && { receipt: stated })
    expect(site.askedFor('qrCode.register')[0]?.data).not.toHaveProperty('receipt')
  })

  it('is refused by the bank for its receipt: 409 with its reason, and nothing is created', async () => {
    const site = await registeringSite(TBANK, () =>
      Response.json({ description: 'the receipt is refused: no such taxation' }, { status: 422 }),
    )
    const response = await site.create({ qrCodeUid: 'order-1', receipt: receipt() })
    const { errorCode, description } = await errorOf(response)
    expect([response.status, errorCode, description]).toEqual([
      ...[409, 'network.refused', 'the receipt is refused: no such taxation'],
    ])
    expect((await site.ask('/sbp/qrCodes/order-1')).status).toBe(404)
  })

  it('whose receipt is refused here is not asked for', async () => {
    const site = await registeringSite(TBANK)
    expect((await site.create({ receipt: receipt({ contact: undefined }) })).status).toBe(400)
    expect(site.asked).toEqual([])
  })
})

describe('the arming of a sale', () => {
  it('has the receipt of the sale', async () => {
    const site = await registeringSite(TBANK, (asked) =>
      asked.type === 'sale.activate' ? Response.json({}) : willing(asked),
    )
    const { qrCodeUid } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const put = (saleUid: string, more: object) =>
      site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`, {
        method: 'PUT',
        body: { amount: { value: 5 }, ...more },
      })
    expect((await put('sale-1', { receipt: receipt() })).status).toBe(200)
    const [asked] = site.askedFor('sale.activate')
    expect(asked?.data.receipt).toEqual(RIDING)
  })

  it('has none where the sale has none', async () => {
    const site = await registeringSite(TBANK, (asked) =>
      asked.type === 'sale.activate' ? Response.json({}) : willing(asked),
    )
    const { qrCodeUid } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const body = { amount: { value: 5 } }
    await site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/sale-1`, { method: 'PUT', body })
    expect(site.askedFor('sale.activate')[0]?.data).not.toHaveProperty('receipt')
    expect(site.askedFor('qrCode.register')[0]?.data).not.toHaveProperty('receipt')
  })
})
