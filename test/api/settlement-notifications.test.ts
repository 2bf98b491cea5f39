// Notifications of settlement files over HTTP, to a merchant's server inside the test (contract, sections 11 and 19).
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { SettlementNotification } from '../../src/contract/notifications/bodies.ts'
import { notificationSignature } from '../../src/gateway/signatures.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { setCallback, shopOf } from '../support/callbacks-of.ts'
import { configure, logOf, makeKey, merchantServer, type Received } from '../support/merchant.ts'
import { notifiedSite, paymentIn } from '../support/notified-site.ts'
import { encode } from '../support/settlement/files.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { strict } from '../support/strict.ts'

afterEach(() => void vi.restoreAllMocks())

const QUERY = 'bank=tbank&format=registry'
/** Two operations that the site does not have. */
const FILE = encode(
  tbankText([
    tbankLine({ number: '1', paymentId: '700000001', operationId: `A${'1'.padStart(31, '0')}` }),
    tbankLine({ number: '2', paymentId: '700000002', operationId: `A${'2'.padStart(31, '0')}` }),
  ]),
  'windows-1251',
)

async function upload({ ask }: FreshSite, uid: string, body: unknown = FILE): Promise<number> {
  const headers = { 'Content-Type': 'text/csv' }
  return (await ask(`/settlements/${uid}?${QUERY}`, { method: 'PUT', body, headers })).status
}
const remove = ({ ask }: FreshSite, uid: string) => ask(`/settlements/${uid}`, { method: 'DELETE' })

const settlementIn = ({ body }: Received) => strict(SettlementNotification).parse(JSON.parse(body)).settlement

describe('a settlement file', () => {
  it('that is imported or deleted is notified to an address that chose SETTLEMENT, with both signatures', async () => {
    const server = merchantServer()
    const site = await notifiedSite({ notificationTypes: ['PAYMENT', 'SETTLEMENT'] })
    expect(await upload(site, 'tbank-1')).toBe(201)
    await server.got(1)
    expect((await remove(site, 'tbank-1')).status).toBe(204)
    const received = await server.got(2)
    const file = {
      settlementUid: 'tbank-1',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      ...{ entries: 2, mismatched: 0, unknown: 2, merchantSiteUid: site.siteId },
    }
    const changedDateTime = expect.any(String)
    expect(received.map(settlementIn)).toEqual([
      { ...file, status: { value: 'IMPORTED', changedDateTime } },
      { ...file, status: { value: 'DELETED', changedDateTime } },
    ])
    for (const each of received) {
      const { status } = settlementIn(each)
      expect(new Webhook(site.key).verify(each.body, Object.fromEntries(each.headers))).toBeTruthy()
      expect(each.headers.get('Signature')).toBe(
        notificationSignature(site.key, [site.siteId, 'tbank-1', status.value, status.changedDateTime]),
      )
    }
    expect((await logOf(site)).notifications).toMatchObject([
      { type: 'SETTLEMENT', settlementUid: 'tbank-1' },
      { type: 'SETTLEMENT', settlementUid: 'tbank-1' },
    ])
  })

  it('is not notified by default, nor to an address with all other types', async () => {
    const server = merchantServer()
    const site = await notifiedSite()
    await setCallback(site, 'others', { types: ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE', 'RECEIPT'] })
    await makeKey(site, '/callbacks/others')
    expect(await upload(site, 'tbank-1')).toBe(201)
    expect((await remove(site, 'tbank-1')).status).toBe(204)
    await site.pay((await site.make()).linkId)
    expect((await server.got(2)).map((each) => paymentIn(each).paymentId)).toHaveLength(2)
    expect((await logOf(site)).notifications).toHaveLength(2)
  })

  it('is notified to the one address that chose it, and to no other', async () => {
    const server = merchantServer()
    const site = freshSite()
    await configure(site, {})
    await setCallback(site, 'shop', { types: ['PAYMENT'] })
    await setCallback(site, 'accounting', { types: ['SETTLEMENT'] })
    for (const id of ['shop', 'accounting']) await makeKey(site, `/callbacks/${id}`)
    expect(await upload(site, 'tbank-1')).toBe(201)
    await site.pay((await site.make()).linkId)
    const types = (await server.got(2)).map((each) => [shopOf(each), JSON.parse(each.body).type])
    expect(types.toSorted()).toEqual([
      ['accounting', 'SETTLEMENT'],
      ['shop', 'PAYMENT'],
    ])
  })

  it('that changes nothing is not notified: the same one again, a refused one, a deletion of none', async () => {
    const server = merchantServer()
    const site = await notifiedSite({ notificationTypes: ['SETTLEMENT'] })
    expect(await upload(site, 'tbank-1')).toBe(201)
    expect(await upload(site, 'tbank-1')).toBe(200)
    expect(await upload(site, 'tbank-2')).toBe(409)
    expect(await upload(site, 'tbank-3', encode('a', 'windows-1251'))).toBe(400)
    expect((await remove(site, 'tbank-4')).status).toBe(204)
    await server.got(1)
    expect((await logOf(site)).notifications).toHaveLength(1)
  })
})
