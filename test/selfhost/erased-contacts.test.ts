// The contact of a receipt is erased from the very file of a site that workerd writes.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, vi } from 'vitest'
import { objectsOf } from '../../bin/data/data-directory.ts'
import { asOperator, EXTERNAL, fileOf, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { linkIdIn } from '../support/site-at.ts'

const DAY = 86_400
const SETTINGS = { ...EXTERNAL, RETENTION_DAYS: '30' }

/** The files of all objects of a data directory, with their logs, as bytes. */
const bytesOf = (data: string): string =>
  readdirSync(objectsOf(data))
    .map((name) => readFileSync(join(objectsOf(data), name), 'latin1'))
    .join('\n')

it('no byte of a contact is left after the time of retention, and every byte before', async () => {
  const data = join(temporaryDirectory(), 'data')
  const served = await started(data, { settings: SETTINGS })
  const site = siteOf(served)
  const register = { kind: 'atol', ffd: '1.2' }
  expect((await site.ask('/settings', { method: 'PUT', body: {} })).status).toBe(200)
  const set = await asOperator(served, '/sites/demo/cashRegister', { method: 'PUT', body: register })
  expect(set.status).toBe(200)
  const receipts = { place: 'https://shop.example', email: 'shop@shop.example' }
  expect((await site.ask('/settings', { method: 'PATCH', body: { receipts } })).status).toBe(200)
  for (const name of ['old', 'new']) {
    const items = [{ name: 'Tea', price: '5.00', vat: 'none' }]
    const receipt = { taxation: 'osn', items, contact: { email: `${name}@payer.example` } }
    await site.report(linkIdIn(await site.create(name, { receipt })), `pay-${name}`)
    const [, receiptUid] =
      /"receiptUid":"(\w+)"/.exec((await site.ask(`/payments/pay-${name}/receipts`)).text) ?? []
    const path = `/network/v1/sites/demo/receipts/${receiptUid}`
    expect((await site.ask(path, { method: 'PUT', body: { state: 'REGISTERED' } })).status).toBe(200)
  }
  await served.stop()
  for (const name of ['old', 'new']) expect(bytesOf(data)).toContain(`${name}@payer.example`)
  // The days pass in the file.
  const database = new DatabaseSync(fileOf(data))
  const aged = database.prepare("UPDATE contacts SET used_at = used_at - ? WHERE row = 1 AND of = 'qrCode'")
  expect(aged.run(30 * DAY).changes).toBe(1)
  database.close()
  const again = await started(data, { settings: SETTINGS })
  const receiptsOf = async (name: string) => (await siteOf(again).ask(`/payments/pay-${name}/receipts`)).text
  // It starts with the first request.
  await vi.waitFor(async () => expect(await receiptsOf('old')).not.toContain('"contact"'), 30_000)
  expect(await receiptsOf('new')).toContain('"contact"')
  await again.stop()
  expect(bytesOf(data)).not.toContain('old@payer.example')
  expect(bytesOf(data)).toContain('new@payer.example')
})
