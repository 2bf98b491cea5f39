// The items that a report states: what the cash register has is what the site has, also where a restore lost a correction (contract, section 18).
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { FISCAL, type FiscalSite, fiscalSite } from '../support/fiscal-site.ts'
import { item, receiptIn } from '../support/receipts.ts'

/** The items of the instruction of a document, as a connector keeps them. */
async function itemsTold(site: FiscalSite, receiptUid: string) {
  const told = (await site.instructed()).find((each) => each.receiptUid === receiptUid)
  if (!told) throw new Error('the document was not sent')
  return told.items
}

const registerWith = (site: FiscalSite, receiptUid: string, items: unknown) =>
  site.reportReceipt(receiptUid, { state: 'REGISTERED', fiscal: FISCAL, items })

/** What a restore leaves of a document that was made after the backup: nothing. */
const lose = (site: FiscalSite, receiptUid: string) =>
  runInDurableObject(site.stub, (_, { storage: { sql } }) => {
    for (const statement of [
      `DELETE FROM outbox WHERE content ->> 'receiptUid' = '${receiptUid}'`,
      `UPDATE payments SET receipt = (SELECT max(number) FROM receipts WHERE kind = 'sale' AND receipt_uid <> '${receiptUid}')`,
      `DELETE FROM receipts WHERE receipt_uid = '${receiptUid}'`,
    ])
      sql.exec(statement)
  })

const named = (name: string, price: string, more = {}) => item({ name, price, vat: '22', ...more })
const namesOf = ({ items }: { items: readonly { name: string; amount: string }[] }) =>
  items.map(({ name, amount }) => `${name} ${amount}`)

describe('an attempt that a restore lost', () => {
  it('of a sale has the items that were registered, and so has a later refund', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.sold({}, { items: [named('Tea', '10')] })
    const [first] = await site.receiptsOf(paymentUid)
    await site.fail(first?.receiptUid ?? '')
    const corrected = [named('Coffee', '4', { method: 'fullPrepayment' }), named('Cup', '6')]
    const { receiptUid } = await receiptIn(
      await site.retry(first?.receiptUid ?? '', { receipt: { items: corrected } }),
    )
    const told = await itemsTold(site, receiptUid)
    await lose(site, receiptUid)
    // A refund that was requested before the report follows.
    await site.refund(paymentUid, 5, 'refund-1')
    expect((await registerWith(site, receiptUid, told)).status).toBe(200)
    expect(await site.receiptOf(receiptUid)).toMatchObject({ state: 'REGISTERED', items: told })
    await site.reportRefund(paymentUid, 'refund-1', { status: 'COMPLETED' })
    const refund = await site.latestOf(paymentUid)
    expect([refund.kind, ...namesOf(refund)]).toEqual(['refund', 'Coffee 2.00', 'Cup 3.00'])
  })

  it('of a refund takes the items that were registered', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.registered({}, { items: [named('Tea', '5'), named('Cup', '5')] })
    const refund = await site.refunded(paymentUid, 5, [named('Tea', '5')])
    await site.fail(refund?.receiptUid ?? '')
    const body = { receipt: { items: [named('Cup', '5')] } }
    const { receiptUid } = await receiptIn(await site.retry(refund?.receiptUid ?? '', body))
    const told = await itemsTold(site, receiptUid)
    // The plan of the refund is as the backup has it, too.
    await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      sql.exec(`UPDATE refunds SET items = replace(replace(items, 'Cup', 'Tea'), '"place":1', '"place":0')`)
    })
    await lose(site, receiptUid)
    await registerWith(site, receiptUid, told)
    expect(namesOf(await site.receiptOf(receiptUid))).toEqual(['Cup 5.00'])
    const rest = await site.refunded(paymentUid, 5)
    expect(rest && namesOf(rest)).toEqual(['Tea 5.00'])
  })
})

it('a closing that was repeated with other items after a restore has those that were registered', async () => {
  const site = await fiscalSite()
  const method = 'fullPrepayment'
  const { paymentUid } = await site.registered(
    {},
    { items: [named('Tea', '5', { method }), named('Cup', '5', { method })] },
  )
  await site.close(paymentUid, 'closing-1', { items: [named('Tea', '5')] })
  const first = await site.latestOf(paymentUid)
  const told = await itemsTold(site, first.receiptUid)
  await lose(site, first.receiptUid)
  const again = await receiptIn(await site.close(paymentUid, 'closing-1', { items: [named('Cup', '5')] }))
  expect(again.receiptUid).toBe(first.receiptUid)
  await registerWith(site, first.receiptUid, told)
  expect(namesOf(await site.receiptOf(first.receiptUid))).toEqual(['Tea 5.00'])
  expect(namesOf(await receiptIn(await site.close(paymentUid, 'closing-2')))).toEqual(['Cup 5.00'])
})

describe('the items of a report are ignored', () => {
  const right = {
    ...named('Coffee', '10.00'),
    quantity: '1',
    amount: '10.00',
    method: 'fullPayment',
    object: 'commodity',
    unit: 0,
  }
  it.each<[string, unknown]>([
    ['where their sum is another one', [{ ...right, price: '9.00', amount: '9.00' }]],
    ['where a field is not valid', [{ ...right, vat: '21' }]],
    ['where a field is absent', [{ ...right, unit: undefined }]],
    ['where there is none', []],
  ])('%s', async (_, items) => {
    const site = await fiscalSite()
    const { paymentUid } = await site.sold({}, { items: [named('Tea', '10')] })
    const { receiptUid } = await site.latestOf(paymentUid)
    expect((await registerWith(site, receiptUid, items)).status).toBe(200)
    const { state, ...document } = await site.receiptOf(receiptUid)
    expect([state, ...namesOf(document)]).toEqual(['REGISTERED', 'Tea 10.00'])
  })

  it('of a document that is registered already', async () => {
    const site = await fiscalSite()
    const { receiptUid } = await site.registered({}, { items: [named('Tea', '10')] })
    const again = await registerWith(site, receiptUid, [right])
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(namesOf(await site.receiptOf(receiptUid))).toEqual(['Tea 10.00'])
  })
})

it('where an earlier attempt is registered after all, refunds that wait take its items', async () => {
  const site = await fiscalSite()
  const { paymentUid } = await site.sold({}, { items: [named('Tea', '10')] })
  const first = await site.latestOf(paymentUid)
  await site.fail(first.receiptUid)
  await site.refunded(paymentUid, 5, undefined, 'refund-1')
  await site.retry(first.receiptUid, { receipt: { items: [named('Coffee', '10')] } })
  const waiting = (await site.receiptsOf(paymentUid)).find(({ kind }) => kind === 'refund')
  expect([waiting?.waitsFor, ...namesOf(waiting ?? { items: [] })]).toEqual(['sale', 'Coffee 5.00'])
  await site.register(first.receiptUid)
  const told = (await site.instructed()).filter(({ kind }) => kind === 'refund')
  expect(told).toMatchObject([{ items: [{ name: 'Tea', amount: '5.00' }] }])
})
