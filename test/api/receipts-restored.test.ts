// Documents of a site that was restored from a backup: no second one is made, and none is lost (contract, sections 16 and 17).
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { NetworkReceiptsAnswer } from '../../src/contract/receipts/network-list.ts'
import { FISCAL, type FiscalSite, fiscalSite, TEN } from '../support/fiscal-site.ts'
import { operator } from '../support/operator.ts'
import { receiptIn } from '../support/receipts.ts'
import { connected } from '../support/refunds.ts'

/** What a restore leaves: the site as the backup has it, and nothing is known of what came after it. */
const restore = (site: FiscalSite, forget: string[] = []) =>
  runInDurableObject(site.stub, (_, { storage: { sql } }) => {
    sql.exec('UPDATE site SET restored = 1')
    for (const statement of forget) sql.exec(statement)
  })

/** What the connector is to register. */
const network = async (site: FiscalSite, state: string) =>
  NetworkReceiptsAnswer.parse(await (await site.network(`/receipts?state=${state}`)).json())

describe('before resume', () => {
  it('the list is refused, so that no connector takes it for empty, and reports are taken', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.sold()
    const [{ receiptUid = '' } = {}] = await site.receiptsOf(paymentUid)
    expect((await network(site, 'WAITING')).receipts).toMatchObject([{ receiptUid }])
    await restore(site)
    for (const state of ['WAITING', 'SENT']) {
      const refused = await site.network(`/receipts?state=${state}`)
      expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('site.restored')])
    }
    expect((await site.register(receiptUid)).status).toBe(200)
    expect(await site.receiptOf(receiptUid)).toMatchObject({ state: 'REGISTERED', fiscal: FISCAL })
  })

  it('a payment that the backup does not have gets the same document again, once it is reported', async () => {
    const site = await fiscalSite()
    const { linkId } = await site.sell()
    await site.pay(linkId, TEN, 'p1')
    const [before] = await site.receiptsOf('p1')
    await restore(site, [
      'DELETE FROM outbox',
      'DELETE FROM receipts',
      'DELETE FROM payments',
      "UPDATE qr_codes SET payment = NULL, status = 'CREATED'",
    ])
    expect((await site.register(before?.receiptUid ?? '')).status).toBe(404)
    await site.pay(linkId, TEN, 'p1')
    const [after] = await site.receiptsOf('p1')
    expect(after?.receiptUid).toBe(before?.receiptUid)
    expect((await site.register(before?.receiptUid ?? '')).status).toBe(200)
  })
})

it('an attempt that the backup does not have is made again by the report of its document', async () => {
  const site = await fiscalSite()
  const { paymentUid } = await site.sold()
  const [{ receiptUid = '' } = {}] = await site.receiptsOf(paymentUid)
  await site.fail(receiptUid)
  const retried = await receiptIn(await site.retry(receiptUid))
  await restore(site, [
    `DELETE FROM outbox WHERE content ->> 'receiptUid' = '${retried.receiptUid}'`,
    `DELETE FROM receipts WHERE receipt_uid = '${retried.receiptUid}'`,
    'UPDATE payments SET receipt = (SELECT max(number) FROM receipts)',
  ])
  expect((await site.register(retried.receiptUid)).status).toBe(200)
  expect(await site.receiptsOf(paymentUid)).toMatchObject([
    { receiptUid, state: 'FAILED' },
    { receiptUid: retried.receiptUid, state: 'REGISTERED', items: retried.items },
  ])
  expect((await site.register('0'.repeat(32))).status).toBe(404)
})

it('a document that the service of before had sent is repeated until it has a result, also where it would wait now', async () => {
  const site = await fiscalSite()
  const { paymentUid } = await site.sold()
  const refund = await site.refunded(paymentUid, 3)
  expect(refund).toMatchObject({ waitsFor: 'sale' })
  const sent = { state: 'SENT', isHeld: true, reason: 'the answer is lost' }
  expect((await site.tell(`/receipts/${refund?.receiptUid}`, sent)).status).toBe(200)
  expect(await site.receiptOf(refund?.receiptUid ?? '')).toMatchObject({ state: 'SENT' })
  expect((await site.instructed()).map((data) => data.receiptUid)).toContain(refund?.receiptUid)
})

it('after resume, what is open is sent', async () => {
  const site = await fiscalSite()
  await site.sold()
  await restore(site)
  expect((await operator(`/${site.siteId}/resume`, { method: 'POST' }, connected)).status).toBeLessThan(300)
  expect((await network(site, 'WAITING')).receipts).toHaveLength(1)
})
