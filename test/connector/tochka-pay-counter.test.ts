// Codes and sales at Tochka Pay Gateway: what is registered, reserved ids, and activations of which only our own are ended.
import { describe, expect, it } from 'vitest'
import { COUNTER } from './cashbox.ts'
import {
  HOUR,
  launched,
  MINUTE,
  register,
  registerData,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

interface Link {
  qrcId: string
  reference: string
}

const saleData = (at: Surroundings, { qrcId, reference }: Link, saleUid: string, changes: object) => ({
  ...{ siteId: 'club', qrcId, reference, saleUid, ttl: 5, amount: { value: '5.00', currency: 'RUB' } },
  expiresOn: new Date(at.clock.now + 5 * MINUTE).toISOString(),
  ...changes,
})

const arm = (at: Surroundings, code: Link, saleUid: string, changes: object = {}) =>
  at.service.instruct('sale.activate', saleData(at, code, saleUid, changes), at.clock.now)

const disarm = (at: Surroundings, { qrcId, reference }: Link, saleUid: string) =>
  at.service.instruct('sale.deactivate', { siteId: 'club', qrcId, reference, saleUid }, at.clock.now)

const tryRegister = (at: Surroundings, changes: object = {}, siteId = 'club') =>
  at.service.instruct('qrCode.register', registerData(at, siteId, changes), at.clock.now)

const dataOf = (call: { body: unknown } | undefined): Record<string, unknown> => Object(call?.body).Data
const lastData = ({ tochkaPay }: Surroundings, operation: string) =>
  dataOf(tochkaPay.callsOf(operation).at(-1))

/** The activation that can be paid. */
const openAt = ({ tochkaPay }: Surroundings, { qrcId }: { qrcId: string }) =>
  tochkaPay.codes.salesOf(qrcId).open

const payments = (at: Surroundings) => Array.from(at.service.site('club').payments.values())

async function counter(setUp: (at: Surroundings) => void = () => {}) {
  const at = await surroundings()
  setUp(at)
  const running = await start(at)
  return { at, ...running, running, code: await register(at, 'club', COUNTER) }
}

describe('a registration', () => {
  it.each<[string, object, object, object]>([
    [
      'a DYNAMIC code',
      {},
      { redirectUrl: 'https://shop.example/done' },
      {
        ...{ qrcType: 'DYNAMIC', ttl: 60, amount: { amount: '100.00', currency: 'RUB' } },
        ...{ paymentPurpose: 'Tea', paymentMethods: ['SBP'], redirectUrl: 'https://shop.example/done' },
      },
    ],
    [
      'one of a site that takes digital roubles',
      { digitalRouble: true },
      {},
      {
        ...{ qrcType: 'DYNAMIC', ttl: 60, amount: { amount: '100.00', currency: 'RUB' } },
        ...{ paymentPurpose: 'Tea', paymentMethods: ['SBP', 'DIGITAL_RUBLE'] },
      },
    ],
    [
      'one that binds an account as well, by SBP alone',
      { digitalRouble: true },
      { flags: ['CREATE_TOKEN'], tokenizationPurpose: 'Подписка на чай' },
      {
        ...{ qrcType: 'DYNAMIC', ttl: 60, amount: { amount: '100.00', currency: 'RUB' } },
        ...{ paymentPurpose: 'Tea', paymentMethods: ['SBP'] },
        paymentToken: { tokenizationPurpose: 'Подписка на чай' },
      },
    ],
    [
      'a STATIC code with an amount, and an address of an app, which is not sent',
      {},
      { type: 'STATIC', ttl: undefined, expiresOn: undefined, redirectUrl: 'shop://done' },
      {
        ...{ qrcType: 'STATIC', amount: { amount: '100.00', currency: 'RUB' } },
        ...{ paymentPurpose: 'Tea', paymentMethods: ['SBP'] },
      },
    ],
    [
      'a STATIC code without an amount',
      {},
      { type: 'STATIC', ttl: undefined, expiresOn: undefined, amount: undefined },
      { qrcType: 'STATIC', paymentPurpose: 'Tea', paymentMethods: ['SBP'] },
    ],
    [
      'a TOKEN code, which takes no payment',
      { digitalRouble: true },
      { type: 'TOKEN', amount: undefined, tokenizationPurpose: 'Чай' },
      { qrcType: 'TOKEN', ttl: 60, paymentToken: { tokenizationPurpose: 'Чай' } },
    ],
    [
      'a purpose of which nothing is left is not sent',
      {},
      { paymentPurpose: '茶😀' },
      {
        ...{ qrcType: 'DYNAMIC', ttl: 60, amount: { amount: '100.00', currency: 'RUB' } },
        paymentMethods: ['SBP'],
      },
    ],
  ])('%s has the fields of the document', async (_, site, changes, expected) => {
    const at = await surroundings()
    Object.assign(at.config.sites.club, site)
    const { core } = await start(at)
    const { reference } = await register(at, 'club', changes)
    const { merchantQrcId, callbackUrl, ...body } = lastData(at, 'register')
    expect(body).toEqual(expected)
    expect(merchantQrcId).toMatch(/^[0-9a-f]{32}$/)
    expect(callbackUrl).toBe(core.banks.get('pay-club')?.webhookUrl)
    expect(reference.split('#')[0]).toBe(`pay-club:${merchantQrcId}`)
  })

  it.each([
    ['ёлка, Ёж', 'елка, Еж'],
    ['№ 7!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', '№ 7!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'],
    ['two\nlines\tand «quotes» – 😀, Україна', 'two lines and  quotes     , Укра на'],
    ['ы'.repeat(150), 'ы'.repeat(140)],
    [`${'😀'.repeat(139)}ab`, `${' '.repeat(139)}a`],
  ])('the purpose “%s” is sent in the characters of the document', async (paymentPurpose, sent) => {
    const { at } = await launched()
    await register(at, 'club', { paymentPurpose })
    expect(lastData(at, 'register').paymentPurpose).toBe(sent)
  })

  it('with a purpose of the consent of which nothing is left is refused, and not sent', async () => {
    const { at } = await launched()
    const { status, body } = await tryRegister(at, {
      type: 'TOKEN',
      amount: undefined,
      tokenizationPurpose: '茶',
    })
    expect([status, body.description]).toEqual([
      422,
      'Tochka Pay Gateway: tokenizationPurpose has no character that the bank takes',
    ])
    expect(at.tochkaPay.calls).toEqual([])
  })

  it('of more minutes than the document allows is refused by name', async () => {
    const { at } = await launched()
    const { status, body } = await tryRegister(at, { ttl: 129_601 })
    expect([status, body.description]).toEqual([
      422,
      'Tochka Pay Gateway: the ttl is 129601 minutes, must be at most 129600',
    ])
  })

  it('whose answer is of another merchantQrcId is no answer', async () => {
    const { at } = await launched()
    at.tochkaPay.fail('register', { changes: { merchantQrcId: 'another' } })
    expect((await tryRegister(at)).status).toBe(503)
  })

  it('whose answer is lost is sent again under another merchantQrcId', async () => {
    const { at } = await launched()
    const data = registerData(at, 'club')
    at.tochkaPay.fail('register', { broken: 'after' })
    const send = () => at.service.instruct('qrCode.register', data, at.clock.now)
    expect((await send()).status).toBe(503)
    expect((await send()).status).toBe(200)
    const [first, second] = at.tochkaPay.callsOf('register').map((call) => dataOf(call).merchantQrcId)
    expect(first).not.toBe(second)
  })
})

describe('reserved ids', () => {
  const idsOf = (at: Surroundings): string[] => Object(at.config.sites.club).cashRegisterQrcIds

  it('are assigned one by one, in their order; without a free one the create is refused by name', async () => {
    const { at } = await launched()
    const made = [1, 2, 3, 4].map(() => register(at, 'club', COUNTER))
    const codes = await Promise.all(made)
    expect(new Set(codes.map(({ qrcId }) => qrcId))).toEqual(new Set(idsOf(at)))
    expect(lastData(at, 'register_cashbox')).toMatchObject({ paymentMethods: ['SBP'] })
    const { status, body } = await tryRegister(at, COUNTER)
    expect([status, body.description]).toEqual([
      422,
      'Tochka Pay Gateway: none of the 4 cashRegisterQrcIds of club is free',
    ])
    expect(at.tochkaPay.callsOf('register_cashbox')).toHaveLength(4)
  })

  it('without any, the create is refused by name', async () => {
    const at = await surroundings()
    Object.assign(at.config.sites.club, { cashRegisterQrcIds: [] })
    await start(at)
    expect((await tryRegister(at, COUNTER)).body.description).toBe(
      'Tochka Pay Gateway: none of the 0 cashRegisterQrcIds of club is free',
    )
  })

  it('stay assigned after a restart', async () => {
    const { at, running, code } = await counter()
    await running.stop()
    await start(at)
    const { qrcId } = await register(at, 'club', COUNTER)
    expect([code.qrcId, qrcId]).toEqual(idsOf(at).slice(0, 2))
  })

  it('are assigned once by two sites with one siteUid', async () => {
    const at = await surroundings()
    Object.assign(at.config.banks, { 'pay-other': at.config.banks['pay-club'] })
    Object.assign(at.config.sites, {
      tea: { ...at.config.sites.club, token: { env: 'TEA_TOKEN' }, bank: 'pay-other' },
    })
    await start(at)
    const codes = [await register(at, 'club', COUNTER), await register(at, 'tea', COUNTER)]
    expect(codes.map(({ qrcId }) => qrcId)).toEqual(idsOf(at).slice(0, 2))
  })

  it.each(['code', 'register_cashbox'])('are on disk before the bank is called: %s', async (asked) => {
    const { at, running } = await launched()
    const free: string[][] = []
    at.tochkaPay.beforeExecution = async (operation) => {
      if (operation === asked) free.push(running.core.disk.reservedIds.free('tochka-pay:site-1', idsOf(at)))
    }
    await register(at, 'club', COUNTER)
    expect(free).toEqual([idsOf(at).slice(1)])
  })

  it('one whose registration may have been executed is not given to another create', async () => {
    const { at } = await launched()
    at.tochkaPay.fail('register_cashbox', { status: 502 })
    expect((await tryRegister(at, COUNTER)).status).toBe(503)
    expect((await register(at, 'club', COUNTER)).qrcId).toBe(idsOf(at)[1])
  })

  it('one whose registration had no answer is the id of the repeat, also after a restart', async () => {
    const { at, running } = await launched()
    const data = registerData(at, 'club', COUNTER)
    const send = () => at.service.instruct('qrCode.register', data, at.clock.now)
    at.tochkaPay.fail('register_cashbox', { broken: 'after' })
    expect((await send()).status).toBe(503)
    await running.stop()
    await start(at)
    at.tochkaPay.fail('code', { status: 502 })
    expect((await send()).status).toBe(503)
    const { status, body } = await send()
    expect([status, body.qrcId]).toEqual([200, idsOf(at)[0]])
    // The bank had it: it is not registered twice.
    expect(at.tochkaPay.callsOf('register_cashbox')).toHaveLength(1)
  })

  it('one that the bank refuses is assigned again, after the others', async () => {
    const { at } = await launched()
    const [refused, ...others] = idsOf(at)
    at.tochkaPay.codes.reserved.splice(0, 1)
    const { status, body } = await tryRegister(at, COUNTER)
    expect([status, body.description]).toEqual([422, expect.stringContaining('REQUEST_VALIDATION_ERROR')])
    at.tochkaPay.codes.reserved.push(refused ?? '')
    const made: string[] = []
    for (let i = 0; i < 4; i++) made.push((await register(at, 'club', COUNTER)).qrcId)
    expect(made).toEqual([...others, refused])
  })

  it('one that another program, or a lost disk, has registered is never registered again', async () => {
    const { at, running } = await launched()
    const [first = '', second = '', third] = idsOf(at)
    at.tochkaPay.codes.registerCashbox({ Data: { qrcId: first, merchantQrcId: 'ELSEWHERE' } })
    at.tochkaPay.codes.registerCashbox({ Data: { qrcId: second } })
    const sale = at.tochkaPay.codes.activateElsewhere(first, 700, 5)
    expect((await register(at, 'club', COUNTER)).qrcId).toBe(third)
    expect(at.tochkaPay.callsOf('register_cashbox')).toHaveLength(1)
    expect(openAt(at, { qrcId: first })?.activationUid).toBe(sale)
    expect(running.log).toContainEqual(
      expect.objectContaining({ message: 'the bank has registered this reserved id for another code' }),
    )
  })

  it('those of codes that the service lists are not free on a new disk, whatever the bank answers', async () => {
    const { at, running, code } = await counter()
    await running.loseDisk()
    const { qrcId, reference } = code
    at.service.qrCodes = [
      {
        ...{ siteId: 'club', qrcId, reference, type: 'COUNTER', status: 'CREATED' },
        createdOn: new Date(at.clock.now).toISOString(),
      },
    ]
    const second = await start(at)
    await second.connector.settle()
    at.tochkaPay.fail('code', { status: 400, body: { code: '400', id: 'x', ...UNKNOWN } }, 9)
    expect((await register(at, 'club', COUNTER)).qrcId).toBe(idsOf(at)[1])
  })

  it('an answer that does not say whether a code is registered registers none', async () => {
    const { at } = await launched()
    for (const status of [401, 403, 404, 429, 500, 503]) {
      at.tochkaPay.fail('code', { status, body: '<html></html>' })
      expect((await tryRegister(at, COUNTER)).status).toBe(503)
    }
    expect(at.tochkaPay.callsOf('register_cashbox')).toEqual([])
    // Nor does it use an id up.
    expect(idsOf(at)).toContain((await register(at, 'club', COUNTER)).qrcId)
  })
})

const UNKNOWN = {
  message: 'REQUEST_VALIDATION_ERROR',
  Errors: [{ errorCode: 'qrcId', message: 'x', url: 'x' }],
}

describe('a sale', () => {
  it('is activated once under our id, and its payment is reported as that of the sale', async () => {
    const { at, connector, core, code } = await counter()
    const first = await arm(at, code, 's1', { paymentPurpose: 'Чай с мёдом' })
    const { activationUid } = lastData(at, 'activate')
    expect(activationUid).toMatch(/^[0-9a-f]{32}$/)
    expect(lastData(at, 'activate')).toEqual({
      ...{
        activationUid,
        amount: { amount: '5.00', currency: 'RUB' },
        ttl: 5,
        paymentPurpose: 'Чай с медом',
      },
      callbackUrl: core.banks.get('pay-club')?.webhookUrl,
    })
    expect(first).toEqual({
      status: 200,
      body: { reference: `${code.reference}:${activationUid}`, expiresOn: '2026-11-20T10:05:00.000Z' },
    })
    expect(await arm(at, code, 's1')).toEqual(first)
    expect(at.tochkaPay.callsOf('activate')).toHaveLength(1)
    const networkUid = await at.tochkaPay.pay(code.qrcId)
    await connector.settle()
    expect(payments(at)).toMatchObject([
      { saleUid: 's1', status: 'COMPLETED', amount: { value: '5.00' }, networkUid },
    ])
    expect(core.disk.webhooks.countWaiting()).toBe(0)
  })

  it.each([0, -1, 21, 1_440])('of %d minutes is refused by name, and the bank is not asked', async (ttl) => {
    const { at, core, code } = await counter()
    const before = at.tochkaPay.calls.length
    const { status, body } = await arm(at, code, 's1', { ttl })
    expect([status, body.description]).toEqual([
      422,
      `Tochka Pay Gateway: the ttl is ${ttl} minutes, must be 1 to 20`,
    ])
    expect(at.tochkaPay.calls).toHaveLength(before)
    expect(core.disk.sales.has('club', code.qrcId, 's1')).toBe(false)
  })

  it.each([1, 20])('can be of %d minutes', async (ttl) => {
    const { at, code } = await counter()
    expect((await arm(at, code, 's1', { ttl })).status).toBe(200)
    expect(lastData(at, 'activate').ttl).toBe(ttl)
  })

  it('whose webhook is lost is found by its activation, and its end is stated', async () => {
    const { at, later, core, code } = await counter()
    await arm(at, code, 's1')
    await at.tochkaPay.pay(code.qrcId, { times: 0 })
    await later(MINUTE)
    await arm(at, code, 's2')
    await later(HOUR, 3)
    expect(payments(at)).toMatchObject([{ saleUid: 's1' }])
    expect(core.disk.sales.get('club', code.qrcId, 's2')).toMatchObject({ state: 'ENDED', rests: true })
    expect(core.disk.lateAsks.countUnresolved()).toBe(0)
  })

  it('is not over while its activation is current, or its payment in progress', async () => {
    const { at, later, core, code } = await counter()
    await arm(at, code, 's1')
    await at.tochkaPay.pay(code.qrcId, { status: 'WAITING', times: 0 })
    await later(HOUR, 3)
    expect(core.disk.sales.get('club', code.qrcId, 's1')?.state).toBe('OPEN')
    const [payment] = at.tochkaPay.ledger.payments
    await at.tochkaPay.finish(payment?.paymentUid ?? '', 'COMPLETED', { times: 0 })
    await later(HOUR)
    expect(payments(at)).toMatchObject([{ saleUid: 's1' }])
  })

  it('two of one amount are told apart by their webhooks, in any order', async () => {
    const { at, connector, code } = await counter()
    await arm(at, code, 's1')
    const first = await at.tochkaPay.pay(code.qrcId, { times: 0 })
    await arm(at, code, 's2')
    const second = await at.tochkaPay.pay(code.qrcId, { times: 0 })
    for (const uid of [second, first, second]) {
      await at.tochkaPay.deliver(uid)
      await connector.settle(1)
    }
    expect(payments(at)).toMatchObject([
      { saleUid: 's2', networkUid: second },
      { saleUid: 's1', networkUid: first },
    ])
  })

  it('that was declined can be paid as long as it is active', async () => {
    const { at, connector, later, core, code } = await counter()
    await arm(at, code, 's1')
    await at.tochkaPay.pay(code.qrcId, { status: 'INSUFFICIENT_FUNDS' })
    await connector.settle()
    await later(MINUTE)
    expect(payments(at)).toEqual([])
    expect(core.disk.webhooks.countWaiting()).toBe(0)
    expect(core.disk.sales.get('club', code.qrcId, 's1')?.state).toBe('OPEN')
    await at.tochkaPay.pay(code.qrcId)
    await connector.settle()
    expect(payments(at)).toMatchObject([{ saleUid: 's1', status: 'COMPLETED' }])
  })

  it('that was declined is not paid by an older event of the same payment', async () => {
    const { at, connector, code } = await counter()
    await arm(at, code, 's1')
    const paymentUid = await at.tochkaPay.pay(code.qrcId, { times: 0 })
    await at.tochkaPay.deliver(paymentUid, { times: 0 })
    at.clock.now += 1
    await at.tochkaPay.finish(paymentUid, 'LIMIT_EXCEEDED')
    await connector.settle()
    const [older] = at.tochkaPay.webhooks.of(paymentUid)
    if (!older) throw new Error('there is no older event')
    await at.tochkaPay.webhooks.send([older], {})
    await connector.settle()
    expect(payments(at)).toEqual([])
  })

  it('of another program that is paid is no sale of ours: its webhook is kept for a person', async () => {
    const { at, connector, core, code } = await counter()
    at.tochkaPay.codes.activateElsewhere(code.qrcId, 700, 5)
    await at.tochkaPay.pay(code.qrcId)
    await connector.settle()
    expect(payments(at)).toEqual([])
    expect(core.disk.webhooks.waiting()).toMatchObject([{ problem: 'NO_SALE' }])
  })
})

describe('an activation whose answer is lost', () => {
  it('is decided by the status: it is active, and the till gets its sale', async () => {
    const { at, code } = await counter()
    at.tochkaPay.fail('activate', { broken: 'after' })
    expect((await arm(at, code, 's1')).status).toBe(200)
    expect(at.tochkaPay.callsOf('activate')).toHaveLength(1)
  })

  it('is decided by the status before the service stops waiting', async () => {
    const { at, code } = await counter()
    at.tochkaPay.fail('activate', { silent: true })
    expect((await arm(at, code, 's1')).status).toBe(200)
  })

  it.each([{ broken: 'before' as const }, { status: 503 }, { status: 200, body: '<html></html>' }])(
    'is decided by the status: it is not active, and is sent again: %o',
    async (fault) => {
      const { at, code } = await counter()
      at.tochkaPay.fail('activate', fault)
      expect((await arm(at, code, 's1')).status).toBe(503)
      expect((await arm(at, code, 's1')).status).toBe(200)
      expect(openAt(at, code)?.amount).toBe(500)
    },
  )

  it('and whose status is not answered either is found by the repeat, and not sent again', async () => {
    const { at, code } = await counter()
    at.tochkaPay.fail('activate', { broken: 'after' })
    // The first question of the sale is answered.
    at.tochkaPay.beforeExecution = async (operation) => {
      if (operation === 'activate') at.tochkaPay.fail('cashbox_status', { status: 502 })
    }
    expect((await arm(at, code, 's1')).status).toBe(503)
    expect((await arm(at, code, 's1')).status).toBe(200)
    expect(at.tochkaPay.callsOf('activate')).toHaveLength(1)
  })

  const lose = async (of: Awaited<ReturnType<typeof counter>>) => {
    const { at, code } = of
    at.tochkaPay.fail('activate', { broken: 'after' })
    at.tochkaPay.beforeExecution = async (operation) => {
      if (operation === 'activate') at.tochkaPay.fail('cashbox_status', { status: 502 })
    }
    expect((await arm(at, code, 's1')).status).toBe(503)
    at.tochkaPay.beforeExecution = async () => {}
  }

  it.each(['a webhook', 'a question'])(
    'and that is paid is reported by %s with its sale; the repeat activates nothing',
    async (by) => {
      const of = await counter()
      const { at, connector, later, code } = of
      await lose(of)
      await at.tochkaPay.pay(code.qrcId, { times: by === 'a webhook' ? 1 : 0 })
      await connector.settle()
      if (by === 'a question') await later(MINUTE)
      expect(payments(at)).toMatchObject([{ saleUid: 's1', amount: { value: '5.00' } }])
      expect((await arm(at, code, 's1')).status).toBe(200)
      expect(at.tochkaPay.callsOf('activate')).toHaveLength(1)
    },
  )

  it('and that is paid before anybody asks is not activated again by the repeat', async () => {
    const of = await counter()
    const { at, connector, code } = of
    await lose(of)
    await at.tochkaPay.pay(code.qrcId, { times: 0 })
    expect((await arm(at, code, 's1')).status).toBe(200)
    expect(at.tochkaPay.callsOf('activate')).toHaveLength(1)
    expect(openAt(at, code)).toBeUndefined()
    await connector.settle()
  })

  it('on a disk that is lost is found by the repeat all the same', async () => {
    const of = await counter()
    const { at, running, code } = of
    await lose(of)
    await at.tochkaPay.pay(code.qrcId, { times: 0 })
    await running.loseDisk()
    await start(at)
    expect((await arm(at, code, 's1')).status).toBe(200)
    expect(at.tochkaPay.callsOf('activate')).toHaveLength(1)
  })

  /** The list of the service has a sale whose arming it has no answer of. */
  const list = ({ service, clock }: Surroundings, { qrcId, reference }: Link) => {
    const createdOn = new Date(clock.now).toISOString()
    const expiresOn = new Date(clock.now + 5 * MINUTE).toISOString()
    const amount = { value: '5.00', currency: 'RUB' }
    service.qrCodes = [
      {
        ...{ siteId: 'club', qrcId, reference, type: 'COUNTER', status: 'CREATED', createdOn },
        sales: [{ saleUid: 's1', status: 'ACTIVE', amount, createdOn, expiresOn }],
      },
    ]
  }

  it('on a disk that is lost is learned by its key from the list of the service, and its payment reported', async () => {
    const of = await counter()
    const { at, running, code } = of
    await lose(of)
    const paymentUid = await at.tochkaPay.pay(code.qrcId, { times: 0 })
    await running.loseDisk()
    list(at, code)
    const next = await start(at)
    await next.connector.settle()
    await at.tochkaPay.deliver(paymentUid)
    await next.connector.settle()
    expect(payments(at)).toMatchObject([{ saleUid: 's1', networkUid: paymentUid }])
    expect(next.core.disk.webhooks.waiting()).toEqual([])
  })

  it('on a disk that is lost is ended by the next sale, as the list says that it is ours', async () => {
    const of = await counter()
    const { at, running, code } = of
    await lose(of)
    await running.loseDisk()
    list(at, code)
    await (await start(at)).connector.settle()
    expect((await arm(at, code, 's2')).status).toBe(200)
    expect(at.tochkaPay.callsOf('deactivate')).toHaveLength(1)
  })

  it('that never reached the bank is learned from the list, and is activated by the repeat', async () => {
    const { at, running, code } = await counter()
    at.tochkaPay.fail('activate', { broken: 'before' })
    expect((await arm(at, code, 's1')).status).toBe(503)
    await running.loseDisk()
    list(at, code)
    await (await start(at)).connector.settle()
    expect((await arm(at, code, 's1')).status).toBe(200)
    expect(openAt(at, code)?.amount).toBe(500)
  })

  it('is not repeated for another amount; the next sale ends it first, as it is ours', async () => {
    const of = await counter()
    const { at, connector, code } = of
    await lose(of)
    const other = { amount: { value: '7.00', currency: 'RUB' } }
    const { status, body } = await arm(at, code, 's1', other)
    expect([status, body.description]).toEqual([
      422,
      'the sale s1 was armed for 5.00 RUB until 2026-11-20T10:05:00.000Z, must be another saleUid',
    ])
    expect((await arm(at, code, 's2', other)).status).toBe(200)
    expect(at.tochkaPay.callsOf('deactivate')).toHaveLength(1)
    expect(openAt(at, code)?.amount).toBe(700)
    expect(at.tochkaPay.wronglyEnded).toEqual([])
    await connector.settle()
  })

  it('is paid, although a repeat for another amount was refused: it is reported with its own', async () => {
    const of = await counter()
    const { at, later, code } = of
    await lose(of)
    await at.tochkaPay.pay(code.qrcId, { times: 0 })
    await arm(at, code, 's1', { amount: { value: '7.00', currency: 'RUB' } })
    await later(MINUTE)
    expect(payments(at)).toMatchObject([{ saleUid: 's1', amount: { value: '5.00' } }])
  })

  it.each(['CANCELED', 'HEARD_FOR_THE_FIRST_TIME'])(
    'and whose payment is %s is neither activated nor answered, until the bank says more',
    async (value) => {
      const of = await counter()
      const { at, code } = of
      await lose(of)
      await at.tochkaPay.pay(code.qrcId, { times: 0 })
      at.tochkaPay.fail('sale_payment', { changes: { status: { value, changedDateTime: 'x' } } })
      expect((await arm(at, code, 's1')).status).toBe(503)
      expect((await arm(at, code, 's1')).status).toBe(200)
      expect(at.tochkaPay.callsOf('activate')).toHaveLength(1)
    },
  )

  it('under whose id a payment was declined is refused: the till takes another saleUid', async () => {
    const of = await counter()
    const { at, clock, code } = { ...of, clock: of.at.clock }
    await lose(of)
    await at.tochkaPay.pay(code.qrcId, { status: 'LIMIT_EXCEEDED', times: 0 })
    clock.now += 6 * MINUTE
    const { status, body } = await arm(at, code, 's1')
    expect([status, body.description]).toEqual([
      422,
      'Tochka Pay Gateway: the payment of this sale was declined, must be another saleUid',
    ])
  })
})

describe('a code has one activation', () => {
  it('one of another program is neither replaced nor ended', async () => {
    const { at, code } = await counter()
    const foreign = at.tochkaPay.codes.activateElsewhere(code.qrcId, 700, 5)
    const { status, body } = await arm(at, code, 's1')
    expect([status, body.description]).toEqual([
      422,
      'Tochka Pay Gateway: another program has activated the code',
    ])
    expect((await disarm(at, code, 's1')).status).toBe(200)
    expect(openAt(at, code)?.activationUid).toBe(foreign)
    expect(at.tochkaPay.callsOf('deactivate')).toEqual([])
    at.clock.now += 6 * MINUTE
    expect((await arm(at, code, 's1')).status).toBe(200)
  })

  it('an earlier one of ours that the bank still has is ended first', async () => {
    const { at, code } = await counter()
    await arm(at, code, 's1', { ttl: 20 })
    expect((await arm(at, code, 's2')).status).toBe(200)
    expect(at.tochkaPay.callsOf('deactivate')).toHaveLength(1)
    expect(openAt(at, code)?.activationUid).toBe(lastData(at, 'activate').activationUid)
  })

  it('an earlier one of ours that is being paid is not ended: the till gets 503', async () => {
    const { at, code } = await counter()
    await arm(at, code, 's1', { ttl: 20 })
    await at.tochkaPay.pay(code.qrcId, { status: 'WAITING', times: 0 })
    expect((await arm(at, code, 's2')).status).toBe(503)
    expect((await disarm(at, code, 's1')).status).toBe(503)
    expect(at.tochkaPay.callsOf('deactivate')).toEqual([])
  })

  it('an earlier one of ours that the status still has after its end is not another program’s: the till gets 503', async () => {
    const { at, code } = await counter()
    await arm(at, code, 's1', { ttl: 20 })
    const stated = { status: 'WAITING_PAYMENT', activationUid: openAt(at, code)?.activationUid }
    at.tochkaPay.beforeAnswer = async (operation) => {
      const lags = { status: 200, body: { Data: stated, Meta: { totalPages: 1 } } }
      if (operation === 'deactivate') at.tochkaPay.fail('cashbox_status', lags)
    }
    expect((await arm(at, code, 's2')).status).toBe(503)
    expect((await arm(at, code, 's2')).status).toBe(200)
    expect(openAt(at, code)?.activationUid).toBe(lastData(at, 'activate').activationUid)
  })

  it('a program that activates after our own was ended keeps its sale', async () => {
    const { at, code } = await counter()
    await arm(at, code, 's1', { ttl: 20 })
    let foreign = ''
    at.tochkaPay.beforeAnswer = async (operation) => {
      if (operation === 'deactivate') foreign = at.tochkaPay.codes.activateElsewhere(code.qrcId, 700, 5)
    }
    expect((await arm(at, code, 's2')).status).toBe(422)
    expect(openAt(at, code)?.activationUid).toBe(foreign)
    expect(at.tochkaPay.wronglyEnded).toEqual([])
  })

  it('a status without the id of the activation ends and replaces nothing', async () => {
    const { at, code } = await counter()
    await arm(at, code, 's1')
    at.tochkaPay.fail('cashbox_status', { changes: { activationUid: undefined } }, 2)
    expect((await arm(at, code, 's2')).status).toBe(503)
    expect((await disarm(at, code, 's1')).status).toBe(503)
    expect(at.tochkaPay.callsOf('deactivate')).toEqual([])
  })
})

describe('a cancelled sale', () => {
  it('is ended where it is current', async () => {
    const { at, code } = await counter()
    await arm(at, code, 's1')
    expect((await disarm(at, code, 's1')).status).toBe(200)
    expect(openAt(at, code)).toBeUndefined()
  })

  it('is ended on a new disk by the reference that the service has', async () => {
    const { at, running, code } = await counter()
    const { body } = await arm(at, code, 's1')
    await running.loseDisk()
    await start(at)
    expect((await disarm(at, { ...code, reference: String(body.reference) }, 's1')).status).toBe(200)
    expect(openAt(at, code)).toBeUndefined()
  })

  it('of which nobody knows the activation ends nothing', async () => {
    const { at, running, code } = await counter()
    await arm(at, code, 's1')
    await running.loseDisk()
    await start(at)
    expect((await disarm(at, code, 's2')).status).toBe(200)
    expect(openAt(at, code)).toBeDefined()
  })

  it('leaves a sale of another program that took its place', async () => {
    const { at, code } = await counter()
    await arm(at, code, 's1', { ttl: 1 })
    at.clock.now += 2 * MINUTE
    const foreign = at.tochkaPay.codes.activateElsewhere(code.qrcId, 700, 5)
    expect((await disarm(at, code, 's1')).status).toBe(200)
    expect(openAt(at, code)?.activationUid).toBe(foreign)
    expect(at.tochkaPay.callsOf('deactivate')).toEqual([])
  })

  it.each<[string, object, number]>([
    ['was executed', { broken: 'after' }, 200],
    ['was not executed', { broken: 'before' }, 503],
    ['was refused by the document', { status: 400, body: { code: '400', id: 'x', ...UNKNOWN } }, 422],
    ['came from a gateway', { status: 400, body: '<html></html>' }, 503],
  ])('whose answer %s is decided by the status', async (_, fault, status) => {
    const { at, code } = await counter()
    await arm(at, code, 's1')
    at.tochkaPay.fail('deactivate', fault as { broken: 'after' })
    expect((await disarm(at, code, 's1')).status).toBe(status)
    expect((await disarm(at, code, 's1')).status).toBe(200)
    expect(openAt(at, code)).toBeUndefined()
  })
})

it('a deactivation that the bank executes late ends the next sale, which the guide says: the till sets another one', async () => {
  const { at, code } = await counter()
  await arm(at, code, 's1')
  at.tochkaPay.fail('deactivate', { broken: 'before' })
  expect((await disarm(at, code, 's1')).status).toBe(503)
  at.clock.now += 6 * MINUTE
  expect((await arm(at, code, 's2')).status).toBe(200)
  const { activationUid } = lastData(at, 'activate')
  at.tochkaPay.codes.deactivate(at.tochkaPay.code(code.qrcId))
  expect(at.tochkaPay.wronglyEnded).toEqual([`${activationUid} at ${code.qrcId} was deactivated`])
  expect(openAt(at, code)).toBeUndefined()
  expect((await arm(at, code, 's3')).status).toBe(200)
})

it('calls about one code run one at a time', async () => {
  const { at, code } = await counter()
  let [running, most] = [0, 0]
  at.tochkaPay.beforeExecution = async (operation) => {
    if (operation !== 'activate' && operation !== 'deactivate' && operation !== 'cashbox_status') return
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
  }
  const calls = [arm(at, code, 's1'), disarm(at, code, 's1'), arm(at, code, 's2'), arm(at, code, 's3')]
  await Promise.all(calls)
  expect(most).toBe(1)
  expect(at.tochkaPay.callsOf('activate').length).toBeGreaterThan(1)
})
