// How a bank's settlement files name a payment and a refund: what reports say of it, and which one stays (contract, sections 7 and 8).
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { SETTLEMENT_BANKS } from '../../src/contract/settlement-bank.ts'
import { BANKS } from '../../src/settlement/sources.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { refundingSite, snapshot } from '../support/refunds.ts'
import { tokenSite } from '../support/tokens.ts'

type Site = Pick<FreshSite, 'stub'>

const rowOf = (site: Site, query: string) =>
  runInDurableObject(site.stub, (_, { storage }) => storage.sql.exec(query).one())

const namedIn = async (site: Site, paymentUid = 'p') => {
  const row = await rowOf(site, `SELECT bank, bank_order FROM payments WHERE payment_uid = '${paymentUid}'`)
  return [row.bank, row.bank_order]
}

const refundIn = async (site: Site) => (await rowOf(site, 'SELECT bank_number FROM refunds')).bank_number

it('the banks of a report are those whose files can be read', () => expect(SETTLEMENT_BANKS).toEqual(BANKS))

describe('the bank of a payment, and its order there', () => {
  it.each(BANKS)('%s is stored, and in no answer and no event', async (bank) => {
    const site = freshSite()
    const { qrCodeUid, linkId } = await site.make()
    const reported = await site.report(linkId, 'p', { bank, order: 'the-order' })
    expect(await namedIn(site)).toEqual([bank, 'the-order'])
    const shown = [
      ...[await reported.text(), JSON.stringify(await site.paymentOf('p'))],
      ...[JSON.stringify(await site.read(qrCodeUid)), JSON.stringify(await site.feed())],
    ]
    for (const each of shown) {
      expect(each).toContain('COMPLETED')
      expect(each).not.toMatch(new RegExp(`"bank"|"order"|"${bank}"|the-order`))
    }
  })

  it.each<[string, Record<string, unknown>, (string | null)[]]>([
    ['no bank of the list', { bank: 'sber', order: 'o' }, [null, 'o']],
    ['a bank that is no text', { bank: 1, order: 'o' }, [null, 'o']],
    ['an order of 200 characters', { bank: 'tbank', order: 'ы'.repeat(200) }, ['tbank', 'ы'.repeat(200)]],
    ['an order of 201 characters', { bank: 'tbank', order: 'ы'.repeat(201) }, ['tbank', null]],
    ['neither', {}, [null, null]],
  ])('%s: the payment is recorded with what keeps the rules', async (_, fields, stored) => {
    const site = freshSite()
    const { linkId } = await site.make()
    expect((await site.report(linkId, 'p', fields)).status).toBe(200)
    expect(await namedIn(site)).toEqual(stored)
  })

  it.each<[string, object, object, number, (string | null)[]]>([
    ['a repeat adds both', {}, { bank: 'tbank', order: 'o' }, 200, ['tbank', 'o']],
    ['a repeat adds the order alone', { bank: 'tbank' }, { bank: 'tbank', order: 'o' }, 200, ['tbank', 'o']],
    ['a repeat adds the bank alone', { order: 'o' }, { bank: 'tbank' }, 200, ['tbank', 'o']],
    [
      'the first ones stay',
      { bank: 'tbank', order: 'o' },
      { bank: 'tochka', order: 'x' },
      200,
      ['tbank', 'o'],
    ],
    ['a repeat without them keeps them', { bank: 'tbank', order: 'o' }, {}, 200, ['tbank', 'o']],
    ['a repeat with an unknown one adds none', {}, { bank: 'sber' }, 200, [null, null]],
    ['a refused report adds none', {}, { status: 'DECLINED', bank: 'tbank' }, 409, [null, null]],
    [
      'COMPLETED after DECLINED has its own',
      { status: 'DECLINED', bank: 'tbank', order: 'o' },
      { bank: 'raiffeisen' },
      200,
      ['raiffeisen', null],
    ],
  ])('of two reports %s', async (_, first, second, answered, stored) => {
    const site = freshSite()
    const { linkId } = await site.make()
    const send = (fields: object) => site.report(linkId, 'p', { status: 'COMPLETED', ...fields })
    expect((await send(first)).status).toBe(200)
    expect((await send(second)).status).toBe(answered)
    expect(await namedIn(site)).toEqual(stored)
  })

  it('a repeat that adds them is a replay: no version, no event, no other field changes', async () => {
    const site = freshSite()
    const { qrCodeUid, linkId } = await site.make()
    await site.report(linkId, 'p', { networkUid: 'first' })
    const path = `/sbp/qrCodes/${qrCodeUid}`
    const now = async () => [(await site.ask(path)).headers.get('ETag'), await site.feed()]
    const before = await now()
    const added = await site.report(linkId, 'p', { networkUid: 'second', bank: 'tbank', order: 'o' })
    expect(added.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await now()).toEqual(before)
    expect(await rowOf(site, 'SELECT network_uid, bank, bank_order FROM payments')).toEqual({
      ...{ network_uid: 'first', bank: 'tbank', bank_order: 'o' },
    })
  })

  it('of a charge are those of its report', async () => {
    const site = tokenSite()
    await site.rest()
    const { value } = await site.bound()
    const { qrCodeUid, linkId } = await site.make()
    await site.charge(qrCodeUid, value)
    const { paymentUid = '' } = (await site.read(qrCodeUid)).payment ?? {}
    await site.report(linkId, paymentUid, { bank: 'raiffeisen', order: 'o' })
    expect(await namedIn(site, paymentUid)).toEqual(['raiffeisen', 'o'])
  })
})

describe('a refund’s identifier at the bank', () => {
  const KEY = '0123456789abcdef0123456789abcdef01234567'
  const AMOUNT = { value: 5, currency: 'RUB' }

  it.each<[string, object[], string | null]>([
    ['is that of the report', [{ status: 'COMPLETED', networkUid: KEY }], KEY],
    ['is that of a declined one', [{ status: 'DECLINED', networkUid: KEY }], KEY],
    ['is added by a repeat', [{ status: 'COMPLETED' }, { status: 'COMPLETED', networkUid: KEY }], KEY],
    [
      'stays the first',
      [
        { status: 'COMPLETED', networkUid: KEY },
        { status: 'COMPLETED', networkUid: 'x' },
      ],
      KEY,
    ],
    [
      'stays where a repeat has none',
      [{ status: 'COMPLETED', networkUid: KEY }, { status: 'COMPLETED' }],
      KEY,
    ],
    [
      'of a held refund stays with its result',
      [{ status: 'WAITING', reason: 'held', networkUid: KEY }, { status: 'COMPLETED' }],
      KEY,
    ],
    [
      'is added to a held refund',
      [
        { status: 'WAITING', reason: 'held' },
        { status: 'WAITING', reason: 'held', networkUid: KEY },
      ],
      KEY,
    ],
    ['of 65 characters is ignored', [{ status: 'COMPLETED', networkUid: 'x'.repeat(65) }], null],
    ['is no number', [{ status: 'COMPLETED', networkUid: 5 }], null],
  ])('%s', async (_, reports, stored) => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 5, 'r')
    for (const each of reports) expect((await site.reportRefund(paymentUid, 'r', each)).status).toBe(200)
    expect(await refundIn(site)).toBe(stored)
  })

  it('a refund that nobody requested has it', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.reportRefund(paymentUid, 'r', { status: 'COMPLETED', amount: AMOUNT, networkUid: KEY })
    expect(await refundIn(site)).toBe(KEY)
  })

  it('a refused report adds none, and a repeat that adds it changes nothing that is shown', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 5, 'r')
    await site.reportRefund(paymentUid, 'r', { status: 'COMPLETED' })
    const before = await snapshot(site, paymentUid)
    const declined = await site.reportRefund(paymentUid, 'r', { status: 'DECLINED', networkUid: KEY })
    expect([declined.status, await refundIn(site)]).toEqual([409, null])
    const added = await site.reportRefund(paymentUid, 'r', { status: 'COMPLETED', networkUid: KEY })
    expect([added.headers.get('Idempotent-Replayed'), await refundIn(site)]).toEqual(['true', KEY])
    expect(await snapshot(site, paymentUid)).toEqual(before)
    expect(await added.text()).not.toContain(KEY)
  })
})
