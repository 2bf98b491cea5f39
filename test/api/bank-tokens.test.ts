// Tokens of accounts that are bound at a bank: what the connector is instructed, and what its reports change
// (contract, section 9).
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BankTokenSite, bankTokenSite } from '../support/bank-tokens.ts'
import { qrCodeIn } from '../support/client.ts'
import { operator } from '../support/operator.ts'
import { errorOf } from '../support/service.ts'
import { pass, tokenSite } from '../support/tokens.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => vi.useRealTimers())

const DAY = 24 * 60
const YEAR = 366 * DAY

describe('a TOKEN code', () => {
  it('is registered without an amount, for the name of the site', async () => {
    const site = bankTokenSite()
    await site.ask('/settings', { method: 'PUT', body: { name: 'Чайная' } })
    await site.tokenCode('t', { amount: { value: 5 } })
    expect(site.asked.at(-1)?.data).toEqual({
      siteId: site.siteId,
      key: expect.stringMatching(/^[A-Z0-9]{32}$/),
      type: 'TOKEN',
      ttl: 60,
      expiresOn: expect.any(String),
      tokenizationPurpose: 'Чайная',
    })
  })

  it.each([
    ['TOKEN', {}, { type: 'TOKEN' }],
    ['DYNAMIC', { flags: ['CREATE_TOKEN'] }, {}],
  ])('and what requests a token is registered for its own purpose: %s', async (_, more, qrCode) => {
    const site = bankTokenSite()
    await site.make('t', { tokenizationPurpose: 'Подписка', ...more }, qrCode)
    expect(site.asked[0]?.data.tokenizationPurpose).toBe('Подписка')
  })

  it('has a purpose of nothing where no token is requested', async () => {
    const site = bankTokenSite()
    await site.make('a')
    expect(site.asked[0]?.data).not.toHaveProperty('tokenizationPurpose')
  })

  it('that was registered under another name of the site has the same key: it is the same request', async () => {
    const site = bankTokenSite()
    await site.tokenCode('t')
    await site.ask('/settings', { method: 'PUT', body: { name: 'Another' } })
    await runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec('DELETE FROM events; DELETE FROM qr_codes'),
    )
    await site.tokenCode('t')
    const [first, second] = site.askedFor('qrCode.register')
    expect(second?.data.key).toBe(first?.data.key)
  })
})

describe('the reference of a binding', () => {
  it('is in the charges and the deletion of its token', async () => {
    const site = bankTokenSite()
    const token = await site.bound('t')
    const paymentUid = await site.charged('order', token, { paymentPurpose: 'Чай' })
    await runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec('UPDATE outbox SET attempted = 1'),
    )
    await site.deleteToken(token)
    expect(await site.instructions()).toEqual([
      {
        type: 'payment.charge',
        siteId: site.siteId,
        qrcId: 'order',
        reference: 'bank order',
        paymentUid,
        bindingUid: 'binding-t',
        bindingReference: 'sub t',
        amount: { value: '5.00', currency: 'RUB' },
        paymentPurpose: 'Чай',
        expiresOn: expect.any(String),
      },
      {
        type: 'token.delete',
        siteId: site.siteId,
        qrcId: 't',
        reference: 'bank t',
        bindingUid: 'binding-t',
        bindingReference: 'sub t',
      },
    ])
  })

  it('can come with the report of a payment, and with a later report of the binding', async () => {
    const site = bankTokenSite()
    await site.make('both', { flags: ['CREATE_TOKEN'] })
    const binding = { bindingUid: 'b', status: 'REJECTED', reference: 'first' }
    await site.report('both', 'p', { binding })
    await site.bind('both', { reference: 'second' }, 'b')
    expect(await site.bindings('?status=CREATED')).toMatchObject({
      bindings: [{ bindingReference: 'second' }],
    })
  })

  it('stays where a later report has none', async () => {
    const site = bankTokenSite()
    await site.tokenCode('t')
    await site.bind('t', { status: 'REJECTED', reference: 'first' }, 'b')
    await site.bind('t', {}, 'b')
    expect(await site.bindings('?status=CREATED')).toMatchObject({
      bindings: [{ bindingReference: 'first' }],
    })
  })

  it('of more than 200 characters is left out, and the consent is recorded', async () => {
    const site = bankTokenSite()
    expect(await site.bound('t', { reference: 'x'.repeat(201) })).not.toBe('')
    const { bindings } = await site.bindings('?status=CREATED')
    expect(bindings).toMatchObject([{ bindingUid: 'binding-t' }])
    expect(bindings[0]).not.toHaveProperty('bindingReference')
  })
})

describe('the end of a binding', () => {
  it('is instructed when its token expires, and the report DELETED ends the instruction and nothing else', async () => {
    const site = bankTokenSite()
    await site.bound('t')
    pass(YEAR)
    // This records it too. The alarm would send it: the Worker of the tests has no connector.
    const before = await site.feed()
    expect(await site.instructions()).toMatchObject([{ type: 'token.delete', bindingUid: 'binding-t' }])
    const report = await site.bind('t', { status: 'DELETED' }, 'binding-t')
    expect(report.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await site.instructions()).toEqual([])
    expect(await site.feed()).toEqual(before)
    expect((await site.read('t')).token?.status).toBe('EXPIRED')
  })

  it('is instructed once, also where the merchant deletes the expired token', async () => {
    const site = bankTokenSite()
    const token = await site.bound('t')
    pass(YEAR)
    expect((await site.deleteToken(token)).status).toBe(204)
    expect(await site.instructions()).toMatchObject([{ type: 'token.delete' }])
    await site.bind('t', { status: 'DELETED' }, 'binding-t')
    expect(await site.instructions()).toEqual([])
    expect((await site.deleteToken(token)).status).toBe(204)
    expect(await site.instructions()).toEqual([])
  })

  it('by the bank is notified, and nothing is instructed', async () => {
    const site = bankTokenSite()
    await site.bound('t')
    await site.bind('t', { status: 'DELETED' }, 'binding-t')
    expect((await site.feed()).at(-1)).toMatchObject({ type: 'token.deleted', by: { actor: 'network' } })
    expect(await site.instructions()).toEqual([])
  })

  it('is not instructed for a request that the clock rejected: nobody agreed', async () => {
    const site = bankTokenSite()
    await site.make('both', { flags: ['CREATE_TOKEN'] }, { ttl: 10 })
    await site.report('both', 'p')
    pass(11)
    await runDurableObjectAlarm(site.stub)
    expect((await site.read('both')).token?.status).toBe('REJECTED')
    expect(await site.instructions()).toEqual([])
  })
})

describe('a charge that a restored site has lost', () => {
  const lose = (site: BankTokenSite) =>
    runInDurableObject(
      site.stub,
      (_, { storage: { sql } }) =>
        void sql.exec(
          "DELETE FROM outbox; DELETE FROM payments; UPDATE qr_codes SET status = 'CREATED', payment = NULL WHERE type = 'DYNAMIC'",
        ),
    )
  const completed = { reference: 'charge', networkUid: 'c-1' }

  it.each([
    ['with its bindingUid is a payment by token again', 'binding-t', 'TOKEN'],
    ['without it is taken for a payment of the link', undefined, 'SBP'],
    ['of a binding that the site does not know, too', 'binding-x', 'SBP'],
    ['with a bindingUid that is none, too: the payment is a fact', '', 'SBP'],
  ])('and that is reported %s', async (_, bindingUid, type) => {
    const site = bankTokenSite()
    const paymentUid = await site.charged('order', await site.bound('t', { bankMemberId: '100000000004' }))
    await lose(site)
    await site.report('order', paymentUid, { ...completed, bindingUid })
    expect(await site.paymentOf(paymentUid)).toMatchObject({
      status: { value: 'COMPLETED' },
      applied: true,
      paymentMethod: { type },
    })
    expect((await site.read('order')).qrCode.status).toBe('PAYED')
  })

  it('and that is reported before its binding is a payment by token after the next report', async () => {
    const site = bankTokenSite()
    const paymentUid = await site.charged('order', await site.bound('t'))
    await lose(site)
    const report = () => site.report('order', paymentUid, { ...completed, bindingUid: 'binding-later' })
    await report()
    await site.bound('later', { bankMemberId: '100000000004' })
    expect(await site.paymentOf(paymentUid)).toMatchObject({ paymentMethod: { type: 'SBP' } })
    const events = await site.feed()
    for (let times = 0; times < 2; times++) {
      await report()
      expect(await site.paymentOf(paymentUid)).toMatchObject({ paymentMethod: { type: 'TOKEN' } })
    }
    expect(await site.feed()).toEqual(events)
  })

  it('keeps its own token where a report names another binding', async () => {
    const site = bankTokenSite()
    await site.bound('other')
    const paymentUid = await site.charged('order', await site.bound('t'))
    await site.report('order', paymentUid, { ...completed, bindingUid: 'binding-other' })
    const token = await runInDurableObject(site.stub, (_, { storage: { sql } }) =>
      sql.exec('SELECT binding_uid FROM payments JOIN tokens ON tokens.number = token').one(),
    )
    expect(token).toEqual({ binding_uid: 'binding-t' })
  })
})

describe('a consent that comes late is a fact', () => {
  it('after the clock expired a TOKEN code: the token can be charged, the code stays EXPIRED', async () => {
    const site = bankTokenSite()
    await site.tokenCode('t', {}, 10)
    pass(11)
    await runDurableObjectAlarm(site.stub)
    await site.bind('t', { reference: 'late' }, 'b')
    const { qrCode, token } = await site.read('t')
    expect([qrCode.status, token?.status]).toEqual(['EXPIRED', 'CREATED'])
    await site.charged('order', token?.value ?? '')
    expect(await site.instructions()).toMatchObject([{ type: 'payment.charge', bindingReference: 'late' }])
  })

  it('after the clock rejected the token of a paid code', async () => {
    const site = bankTokenSite()
    await site.make('both', { flags: ['CREATE_TOKEN'] }, { ttl: 10 })
    await site.report('both', 'p')
    pass(11)
    await runDurableObjectAlarm(site.stub)
    await site.bind('both', {}, 'b')
    expect(await site.read('both')).toMatchObject({
      qrCode: { status: 'PAYED' },
      token: { status: 'CREATED' },
    })
  })
})

describe('a charge that the connector declined', () => {
  const declined = { status: 'DECLINED', reference: 'charge', networkUid: 'c-1' }

  it('because the link is paid: the link’s payment pays the code, whichever report comes first', async () => {
    for (const isFirst of [true, false]) {
      const site = bankTokenSite()
      const paymentUid = await site.charged('order', await site.bound('t'))
      await runInDurableObject(site.stub, (_, { storage }) =>
        storage.sql.exec('UPDATE outbox SET attempted = 1'),
      )
      const decline = () => site.report('order', paymentUid, { ...declined, reason: 'LINK_PAID' })
      const pay = () => site.report('order', 'link', { networkUid: 'l-1' })
      if (isFirst) await decline()
      await pay()
      if (!isFirst) await decline()
      expect(await site.read('order')).toMatchObject({
        qrCode: { status: 'PAYED' },
        payment: { paymentUid: 'link' },
      })
      expect(await site.paymentOf(paymentUid)).toMatchObject({
        status: { value: 'DECLINED', reason: 'LINK_PAID' },
        applied: isFirst,
      })
      expect(await site.instructions()).toEqual([])
    }
  })

  it('because its token was deleted: the code can be paid by its link', async () => {
    const site = bankTokenSite()
    const token = await site.bound('t')
    const paymentUid = await site.charged('order', token)
    await site.deleteToken(token)
    await site.report('order', paymentUid, { ...declined, reason: 'TOKEN_DELETED' })
    await site.bind('t', { status: 'DELETED' }, 'binding-t')
    const { qrCode } = await site.read('order')
    expect([qrCode.status, qrCode.payload]).toEqual(['DECLINED', expect.stringContaining('order')])
    expect((await site.paymentOf(paymentUid)).status.reason).toBe('TOKEN_DELETED')
    expect(await site.instructions()).toEqual([])
  })

  it('after it cancelled the link: the code has none, and takes other tokens', async () => {
    const site = bankTokenSite()
    const paymentUid = await site.charged('order', await site.bound('t'))
    await site.report('order', paymentUid, { ...declined, linkCancelled: true })
    const { qrCode } = await site.read('order')
    expect([qrCode.status, qrCode.payload]).toEqual(['DECLINED', ''])
    const image = await site.ask('/sbp/qrCodes/order/image')
    expect([image.status, (await errorOf(image)).errorCode]).toEqual([
      409,
      'payin.incorrect-method-invocation',
    ])
    // The same request again shows it as it stands.
    const replay = await site.create({ qrCodeUid: 'order' })
    expect((await qrCodeIn(replay)).qrCode).toMatchObject({ status: 'DECLINED', payload: '' })
    const second = await site.charge('order', await site.bound('t2'))
    expect(second.status).toBe(200)
  })

  it('after it cancelled the link: nobody is told again to cancel it, by the merchant or by another charge', async () => {
    const site = bankTokenSite()
    for (const order of ['cancelled', 'charged']) {
      const paymentUid = await site.charged(order, await site.bound(`t-${order}`))
      await site.report(order, paymentUid, { ...declined, linkCancelled: true })
    }
    await site.ask('/sbp/qrCodes/cancelled', { method: 'DELETE' })
    const token = await site.bound('t')
    const second = await site.charge('charged', token)
    const { payment } = await second.json<{ payment: { paymentUid: string } }>()
    await site.report('charged', payment.paymentUid)
    expect((await site.read('charged')).qrCode.status).toBe('PAYED')
    expect(await site.instructions()).toEqual([])
  })

  it('after it cancelled the link, which was paid all the same: the payment is a fact', async () => {
    const site = bankTokenSite()
    const paymentUid = await site.charged('order', await site.bound('t'))
    await site.report('order', paymentUid, { ...declined, linkCancelled: true })
    await site.report('order', 'link')
    expect((await site.read('order')).qrCode.status).toBe('PAYED')
  })

  it.each([
    ['no boolean', 'yes'],
    ['false', false],
  ])('with a linkCancelled that is %s: the link stays', async (_, linkCancelled) => {
    const site = bankTokenSite()
    const paymentUid = await site.charged('order', await site.bound('t'))
    await site.report('order', paymentUid, { ...declined, linkCancelled })
    expect((await site.read('order')).qrCode.payload).toContain('order')
  })

  it('is known to a restored site too, which lost the charge: the code has no link, and is not charged again', async () => {
    const site = bankTokenSite()
    const token = await site.bound('t')
    const paymentUid = await site.charged('order', token)
    await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      sql.exec(
        "DELETE FROM outbox; DELETE FROM payments; UPDATE qr_codes SET status = 'CREATED', payment = NULL WHERE type = 'DYNAMIC'",
      )
    })
    await site.report('order', paymentUid, { ...declined, linkCancelled: true })
    expect((await site.read('order')).qrCode).toMatchObject({ status: 'DECLINED', payload: '' })
    const again = await site.charge('order', token)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await site.instructions()).toEqual([])
  })

  it('and whose link is one of this service: nobody cancelled it, so it stays', async () => {
    const site = tokenSite()
    const { value } = await site.bound()
    const { qrCodeUid, linkId } = await site.make()
    const { payment, qrCode: charging } = await qrCodeIn(await site.charge(qrCodeUid, value))
    expect(charging.payload).toBe('')
    await site.report(linkId, payment?.paymentUid ?? '', { ...declined, linkCancelled: true })
    const { qrCode } = await site.read(qrCodeUid)
    expect([qrCode.status, qrCode.payload]).toEqual(['DECLINED', expect.stringContaining(linkId)])
    expect((await site.charge(qrCodeUid, (await site.bound()).value)).status).toBe(200)
  })
})

describe('a charge and a payment of the link that are both completed', () => {
  it.each([
    ['the charge', ['charge', 'link']],
    ['the link', ['link', 'charge']],
  ])('%s first: the later is not applied, and its refund goes to it', async (_, [first, second]) => {
    const site = bankTokenSite()
    await site.ask('/settings', { method: 'PUT', body: { callbackUrl: 'https://shop.example/' } })
    const charge = await site.charged('order', await site.bound('t'))
    await runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec('UPDATE outbox SET attempted = 1'),
    )
    const uidOf = (which?: string) => (which === 'charge' ? charge : 'link')
    const report = (which?: string) =>
      site.report('order', uidOf(which), { reference: `ref ${which}`, networkUid: `uid ${which}` })
    await report(first)
    await report(second)
    expect((await site.read('order')).payment?.paymentUid).toBe(uidOf(first))
    expect(await site.paymentOf(uidOf(second))).toMatchObject({
      applied: false,
      notAppliedReason: 'ALREADY_PAYED',
    })
    await site.refund(uidOf(second), 5)
    expect((await site.instructions()).filter(({ type }) => type === 'refund.create')).toMatchObject([
      { paymentUid: uidOf(second), reference: `ref ${second}`, networkUid: `uid ${second}` },
    ])
    const { notifications } = await (await site.ask('/notifications')).json<{
      notifications: { type: string }[]
    }>()
    expect(notifications.filter(({ type }) => type === 'PAYMENT')).toHaveLength(2)
  })
})

it('a charge that nobody can decide stays WAITING, and is among the operator’s overdue instructions', async () => {
  const site = bankTokenSite()
  const paymentUid = await site.charged('order', await site.bound('t'), {
    qrCode: { type: 'DYNAMIC', ttl: 10 },
  })
  pass(3 * DAY)
  await runDurableObjectAlarm(site.stub)
  expect((await site.read('order')).qrCode.status).toBe('INIT_PAYMENT_BY_TOKEN')
  const { instructions } = await (await operator(`/${site.siteId}`)).json<{
    instructions: { overdue: unknown[] }
  }>()
  expect(instructions.overdue).toMatchObject([{ type: 'payment.charge', paymentUid, taken: false }])
})
