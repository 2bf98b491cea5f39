// Registers: what is refused, what is unavailable, and that nothing of a failed one stays.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import {
  FAKES,
  fakeOf,
  HOUR,
  launched,
  MINUTE,
  register,
  registerData,
  start,
  surroundings,
} from './harness.ts'

const SITES = FAKES.map(({ site }) => site)

describe.each(SITES)('%s', (site) => {
  it.each([
    ['a code without an amount', { amount: undefined }, /without an amount/],
    [
      'another currency',
      { amount: { value: '100.00', currency: 'USD' } },
      /the currency is USD, must be RUB/,
    ],
  ])('422 with the bank’s name for %s', async (_, changes, expected) => {
    const { at } = await launched()
    const { status, body } = await at.service.instruct(
      'qrCode.register',
      registerData(at, site, changes),
      at.clock.now,
    )
    expect([status, body.description]).toEqual([422, expect.stringMatching(expected)])
    expect(String(body.description)).toMatch(/^(Tochka|T-Bank|Raiffeisenbank|Tochka Pay Gateway): /)
    expect(FAKES.flatMap(({ of }) => of(at).calls)).toEqual([])
  })

  it.each([-20_000, 20_000])(
    'a code of one minute is registered where the bank’s clock is %d ms ahead',
    async (ahead) => {
      const { at } = await launched()
      for (const { of } of FAKES) of(at).now = () => at.clock.now + ahead
      const expiresOn = new Date(at.clock.now + MINUTE).toISOString()
      expect(await register(at, site, { ttl: 1, expiresOn })).toMatchObject({ expiresOn })
    },
  )

  it.each([
    ['500', { status: 500 }],
    ['429', { status: 429 }],
    ['a refusal of the credentials', { status: 403 }],
    ['a broken connection', { broken: 'after' }],
  ] as const)('503 for %s, and the same request registers anew under a fresh order', async (_, fault) => {
    const { at } = await launched()
    const bank = fakeOf(site).of(at)
    bank.fail('*', fault)
    const data = registerData(at, site)
    const send = () => at.service.instruct('qrCode.register', data, at.clock.now)
    expect((await send()).status).toBe(503)
    const { status, body } = await send()
    expect(status).toBe(200)
    expect(body.payload).toMatch(/^https:\/\/qr\.nspk\.ru\//)
    const orders = bank.calls
      .flatMap(({ body: sent }) => Object.entries({ ...Object(sent), ...Object(sent).Data }))
      .filter(([name]) => name === 'OrderId' || name === 'order' || name === 'merchantQrcId')
      .map(([, value]) => value)
    expect(new Set(orders).size).toBe(orders.length)
    for (const order of orders) expect(order).toMatch(/^[a-z0-9]{1,36}$/)
  })

  it('a slow bank is waited for, and a site of another bank is not delayed', async () => {
    const { at } = await launched()
    const bank = fakeOf(site).of(at)
    const allowed = Promise.withResolvers<void>()
    bank.beforeExecution = () => allowed.promise
    const slow = register(at, site)
    expect(await register(at, SITES.find((each) => each !== site) ?? '')).toMatchObject({
      qrcId: expect.any(String),
    })
    allowed.resolve()
    expect(await slow).toMatchObject({ qrcId: expect.any(String) })
  })
})

it.each(['cafe', 'farm'])('%s: the order is on disk before the bank is called', async (site) => {
  const { at, core } = await launched()
  const states: (string | undefined)[] = []
  const bank = site === 'cafe' ? at.tbank : at.raiffeisen
  bank.beforeAnswer = async () => {
    const sent = Object.entries(bank.calls[0]?.body ?? {}).find(([name]) => /^order(id)?$/i.test(name))
    states.push(core.disk.codes.get(String(sent?.[1]))?.state)
  }
  await register(at, site)
  expect(states[0]).toBe('CALLING')
})

it('422 where the bank refuses, with its own words, and not at the limits of its amounts', async () => {
  const { at } = await launched()
  for (const value of ['9.99', '100000000.00']) {
    const data = registerData(at, 'cafe', { amount: { value, currency: 'RUB' } })
    expect(await at.service.instruct('qrCode.register', data, at.clock.now)).toEqual({
      status: 422,
      body: { description: 'T-Bank takes payments from 10.00 to 99999999.99 RUB' },
    })
  }
  for (const value of ['10.00', '99999999.99']) {
    const data = registerData(at, 'cafe', { amount: { value, currency: 'RUB' } })
    expect((await at.service.instruct('qrCode.register', data, at.clock.now)).status).toBe(200)
  }
  const code = 'ERROR.MERCHANT_NOT_REGISTERED'
  at.raiffeisen.fail('register', { status: 400, body: { code, message: 'не зарегистрирован' } })
  expect(await at.service.instruct('qrCode.register', registerData(at, 'farm'), at.clock.now)).toMatchObject({
    status: 422,
    body: { description: `Raiffeisenbank: ${code}, не зарегистрирован` },
  })
})

it('422 where T-Bank says that the fields are wrong', async () => {
  const { at } = await launched()
  const body = { Success: false, ErrorCode: '309', Message: 'Неверные параметры', Details: 'Description' }
  at.tbank.fail('Init', { status: 200, body })
  expect(await at.service.instruct('qrCode.register', registerData(at, 'cafe'), at.clock.now)).toMatchObject({
    status: 422,
    body: { description: 'T-Bank: 309, Неверные параметры, Description' },
  })
})

it.each(['1001', '3040', '3041', '3042', '9999'])(
  '503 where T-Bank answers %s: try again later',
  async (ErrorCode) => {
    const { at } = await launched()
    const body = { Success: false, ErrorCode, Message: 'Внутренняя ошибка системы' }
    at.tbank.fail('Init', { status: 200, body })
    const register = () => at.service.instruct('qrCode.register', registerData(at, 'cafe'), at.clock.now)
    expect((await register()).status).toBe(503)
    expect((await register()).status).toBe(200)
  },
)

it.each([
  ['Init', { OrderId: 'another' }],
  ['Init', { Amount: 1 }],
  ['GetQr', { OrderId: 'another' }],
  ['GetQr', { PaymentId: 1 }],
])('503 where T-Bank answers %s about something else: %o', async (operation, changes) => {
  const { at } = await launched()
  at.tbank.fail(operation, { changes })
  const register = () => at.service.instruct('qrCode.register', registerData(at, 'cafe'), at.clock.now)
  expect((await register()).status).toBe(503)
  expect((await register()).status).toBe(200)
})

it('a link of T-Bank is registered where GetQr states an amount that none can have: it is not read', async () => {
  const { at } = await launched()
  at.tbank.fail('GetQr', { changes: { Amount: 0.5 } })
  const data = registerData(at, 'cafe')
  expect((await at.service.instruct('qrCode.register', data, at.clock.now)).status).toBe(200)
})

const LINK = 'https://qr.nspk.ru/AD10005HUN8J172G8JOO6GQRSR2BQ2AJ'

it.each([
  ['tea', 'register', { payload: 'AD10005HUN8J172G8JOO6GQRSR2BQ2AJ' }],
  ['tea', 'register', { payload: LINK }],
  ['tea', 'register', { qrcId: 'another' }],
  ['cafe', 'GetQr', { Data: LINK.replace('https', 'http') }],
  ['cafe', 'GetQr', { Data: `${LINK}?sum=1&cur=RUB` }],
  ['cafe', 'GetQr', { Data: `${LINK}?sum=10000&cur=USD` }],
  ['cafe', 'GetQr', { Data: `${LINK}?${'a'.repeat(512 - LINK.length)}` }],
  ['farm', 'register', { qrId: 'another' }],
])(
  '503 where %s gets by %s a link that nobody could take, and it is not repeated: %o',
  async (site, operation, changes) => {
    const { at } = await launched()
    fakeOf(site).of(at).fail(operation, { changes })
    const data = registerData(at, site)
    const send = () => at.service.instruct('qrCode.register', data, at.clock.now)
    expect((await send()).status).toBe(503)
    expect(await send()).toMatchObject({
      status: 200,
      body: { payload: expect.stringContaining('&sum=10000&') },
    })
  },
)

it.each([
  ['tea', { type: 'COUNTER', amount: undefined }, 'register', {}],
  ['tea', { type: 'STATIC', amount: undefined }, 'register', {}],
  ['cafe', {}, 'GetQr', { Data: LINK }],
  ['cafe', {}, 'GetQr', { Data: `${LINK}?${'a'.repeat(511 - LINK.length)}` }],
  ['cafe', { flags: ['CREATE_TOKEN'] }, 'GetQr', { Data: `${LINK}?type=02&sum=10000&cur=RUB` }],
  // The link has an id of its own in each example of the document.
  [
    'farm',
    { type: 'TOKEN', amount: undefined },
    'subscribe',
    { qr: { id: 'AD10001', payload: 'https://sub.nspk.ru/AS30002', url: 'https://bank.example/AS30002' } },
  ],
])('%s gives a link that can be taken: %o', async (site, asked, operation, changes) => {
  const { at } = await launched()
  fakeOf(site).of(at).fail(operation, { changes })
  await expect(register(at, site, asked)).resolves.toBeDefined()
})

it('a link that an older version stored and the service refuses is not repeated', async () => {
  const { at, stop } = await launched()
  const data = registerData(at, 'tea')
  const send = async () => (await at.service.instruct('qrCode.register', data, at.clock.now)).body
  const first = await send()
  expect(await send()).toEqual(first)
  await stop()
  const database = new DatabaseSync(join(at.directory, 'connector.sqlite'))
  database.exec(`UPDATE codes SET payload = replace(payload, 'sum=10000', 'sum=20000')`)
  database.close()
  await start(at)
  expect((await send()).payload).toContain('sum=10000')
})

it('503 where T-Bank gives null for the request to bind an account', async () => {
  const { at } = await launched()
  at.tbank.fail('GetQr', { changes: { RequestKey: null } })
  const data = registerData(at, 'cafe', { flags: ['CREATE_TOKEN'], tokenizationPurpose: 'Monthly tea' })
  const register = () => at.service.instruct('qrCode.register', data, at.clock.now)
  expect((await register()).status).toBe(503)
  expect((await register()).status).toBe(200)
})

it('a wrong password is the operator’s fault: 503, not 422', async () => {
  const at = await surroundings()
  at.env.TBANK_PASSWORD = 'wrong'
  await start(at)
  expect((await at.service.instruct('qrCode.register', registerData(at, 'cafe'), at.clock.now)).status).toBe(
    503,
  )
})

it('a purpose that is missing is the shop’s name, and redirectUrl goes where the bank takes it', async () => {
  const at = await surroundings()
  Object.assign(at.config.sites.tea, { name: 'Tea & more' })
  await start(at)
  const changes = { paymentPurpose: undefined, redirectUrl: 'https://shop.example/thanks' }
  for (const site of SITES) await register(at, site, changes)
  expect(at.tochka.callsOf('register')[0]?.body).toEqual({
    Data: {
      ...{ amount: 10_000, currency: 'RUB', paymentPurpose: 'Tea & more', qrcType: '02', ttl: 60 },
      redirectUrl: 'https://shop.example/thanks',
    },
  })
  expect(JSON.stringify([at.tbank.calls, at.raiffeisen.calls])).not.toContain('shop.example')
})

it.each([
  ['an unknown site', { siteId: 'nobody' }, 503],
  ['no key', { key: undefined }, 503],
])('%s: %j', async (_, changes, status) => {
  const { at } = await launched()
  const data = { ...registerData(at, 'tea'), ...changes }
  expect((await at.service.instruct('qrCode.register', data, at.clock.now)).status).toBe(status)
})

it.each([
  ['another secret', `whsec_${Buffer.alloc(32, 9).toString('base64')}`, 401],
  ['the right secret', undefined, 200],
])('an instruction signed by %s gets %s', async (_, secret, status) => {
  const { at } = await launched()
  expect(
    (await at.service.instruct('qrCode.register', registerData(at, 'tea'), at.clock.now, secret)).status,
  ).toBe(status)
})

it('an unsigned instruction gets 401, an unknown type 501', async () => {
  const { at, url } = await launched()
  const response = await fetch(`${url}/instructions`, { method: 'POST', body: '{"type":"refund.create"}' })
  expect(response.status).toBe(401)
  expect((await at.service.instruct('payment.capture', { siteId: 'tea' }, at.clock.now)).status).toBe(501)
})

it('a cancelled link of Raiffeisenbank cannot be paid, and its key is registered anew', async () => {
  const { at, later } = await launched()
  const data = registerData(at, 'farm')
  const send = async () => (await at.service.instruct('qrCode.register', data, at.clock.now)).body
  const { qrcId, reference } = await send()
  const cancel = { siteId: 'farm', qrcId, reference }
  expect((await at.service.instruct('qrCode.cancel', cancel, at.clock.now)).status).toBe(204)
  expect(at.raiffeisen.codes.get(String(qrcId))?.isCancelled).toBe(true)
  expect((await send()).qrcId).not.toBe(qrcId)
  await later(60_000)
  const asked = at.raiffeisen.callsOf('status').filter(({ path }) => path.includes(String(qrcId)))
  expect(asked).toHaveLength(1)
})

it('a cancellation while the bank is asked about the code is not undone by its answer', async () => {
  const { at, later, core } = await launched()
  const { qrcId, reference } = await register(at, 'farm')
  at.raiffeisen.beforeAnswer = async (operation) => {
    if (operation !== 'status') return
    at.raiffeisen.beforeAnswer = async () => {}
    await at.service.instruct('qrCode.cancel', { siteId: 'farm', qrcId, reference }, at.clock.now)
  }
  await later(60_000, 1, 1)
  expect(core.disk.codes.ofSite('farm', qrcId)?.state).toBe('CANCELLED')
  // A payment that was faster than the cancellation is still found.
  await at.raiffeisen.pay(qrcId, { times: 0 })
  await later(60_000)
  expect(at.service.site('farm').payments.has(qrcId)).toBe(true)
})

it('a cancellation of a link that has ended has the bank asked at once, also while it is asked about the code', async () => {
  const { at, connector } = await launched()
  const { qrcId, reference } = await register(at, 'farm')
  at.clock.now += 20 * MINUTE
  at.raiffeisen.beforeAnswer = async (operation) => {
    if (operation !== 'status') return
    at.raiffeisen.beforeAnswer = async () => {}
    await at.raiffeisen.pay(qrcId, { times: 0 })
    at.raiffeisen.fail('cancel', { status: 404 })
    at.raiffeisen.fail('code', { status: 200, body: { qrId: qrcId, qrStatus: 'PAID' } })
    await at.service.instruct('qrCode.cancel', { siteId: 'farm', qrcId, reference }, at.clock.now)
  }
  await connector.settle(1)
  expect(at.service.site('farm').payments.size).toBe(0)
  await connector.settle()
  expect(at.service.site('farm').payments.has(qrcId)).toBe(true)
})

it('a cancellation uses no call that can refund, at any bank', async () => {
  const { at } = await launched()
  for (const site of SITES) {
    const { qrcId, reference } = await register(at, site)
    await at.service.instruct('qrCode.cancel', { siteId: site, qrcId, reference }, at.clock.now)
  }
  expect(at.tbank.callsOf('Cancel')).toEqual([])
  expect(at.tochka.callsOf('refund')).toEqual([])
  expect(at.raiffeisen.callsOf('refund')).toEqual([])
  expect(at.raiffeisen.callsOf('cancel')).toHaveLength(1)
})

it('a cancellation that the bank does not answer is asked for again; one of an unknown code ends', async () => {
  const { at, core } = await launched()
  const { qrcId, reference } = await register(at, 'farm')
  const send = (data: object) =>
    at.service.instruct('qrCode.cancel', { siteId: 'farm', ...data }, at.clock.now)
  at.raiffeisen.fail('cancel', { status: 500 })
  expect((await send({ qrcId, reference })).status).toBe(503)
  // The reference suffices: a new disk cancels, too.
  core.disk.codes.forget(core.disk.codes.ofLink(qrcId)[0]?.id ?? '')
  expect((await send({ qrcId, reference })).status).toBe(204)
  expect(at.raiffeisen.codes.get(qrcId)?.isCancelled).toBe(true)
  expect((await send({ qrcId: 'unknown' })).status).toBe(204)
  expect((await send({ qrcId: 'unknown', reference: 'no-bank:1' })).status).toBe(503)
})

it('cancellations at a bank that does not answer delay those at no other', async () => {
  const { at, connector, core } = await launched()
  const { cancellations } = core.disk
  const silence = Promise.withResolvers<void>()
  at.raiffeisen.beforeExecution = () => silence.promise
  for (let i = 0; i < 20; i++)
    cancellations.put(
      { site: 'farm', qrcId: `q${i}`, reference: `raif-farm:${i}`, bank: 'raif-farm', since: 0 },
      0,
    )
  const cafe = await register(at, 'cafe')
  cancellations.put(
    { site: 'cafe', qrcId: cafe.qrcId, reference: cafe.reference, bank: 'tbank-cafe', since: 0 },
    1,
  )
  connector.turn()
  await expect.poll(() => cancellations.count()).toBe(20)
  silence.resolve()
})

describe('a cancellation that a gateway answers instead of Raiffeisenbank', () => {
  const HTML = '<html><h1>404 Not Found</h1></html>'
  const unconfirmed = async ({ url }: { url: string }) => {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    return /^fps_connector_unconfirmed_cancellations (\d+)$/m.exec(metrics)?.[1]
  }

  it.each([
    ['DYNAMIC', 404],
    ['STATIC', 404],
    ['DYNAMIC', 400],
    ['STATIC', 400],
    ['STATIC', 200],
  ])(
    'of a %s link, with %i, is sent again until the bank confirms it, also by another process',
    async (type, status) => {
      const { at, running: first } = await launched()
      const changes = type === 'STATIC' ? { type, ttl: undefined, expiresOn: undefined } : {}
      const { qrcId, reference } = await register(at, 'farm', changes)
      at.raiffeisen.fail('*', { status, body: HTML }, 6)
      const answer = await at.service.instruct(
        'qrCode.cancel',
        { siteId: 'farm', qrcId, reference },
        at.clock.now,
      )
      expect(answer.status).toBe(503)
      await first.later(60_000)
      expect(at.raiffeisen.codes.get(qrcId)?.isCancelled).toBe(false)
      expect(await unconfirmed(first)).toBe('1')
      await first.stop()
      at.raiffeisen.heal()
      at.clock.now += 3_600_000
      const next = await start(at)
      await next.connector.settle()
      expect(at.raiffeisen.codes.get(qrcId)?.isCancelled).toBe(true)
      expect(await unconfirmed(next)).toBe('0')
      const calls = at.raiffeisen.callsOf('cancel').length
      await next.later(24 * 3_600_000)
      expect(at.raiffeisen.callsOf('cancel')).toHaveLength(calls)
    },
  )

  it.each(['', { error: 'no upstream' }])(
    'by 200 with %j, is sent again where the bank still has the link',
    async (body) => {
      const { at, later } = await launched()
      const { qrcId, reference } = await register(at, 'farm')
      at.raiffeisen.fail('cancel', { status: 200, body })
      const data = { siteId: 'farm', qrcId, reference }
      expect((await at.service.instruct('qrCode.cancel', data, at.clock.now)).status).toBe(503)
      await later(HOUR)
      expect(at.raiffeisen.codes.get(qrcId)?.isCancelled).toBe(true)
    },
  )

  it('by 200 while somebody pays, is sent again until the printed link cannot be paid', async () => {
    const { at, later, core } = await launched()
    const changes = { type: 'STATIC', ttl: undefined, expiresOn: undefined }
    const { qrcId, reference } = await register(at, 'farm', changes)
    at.raiffeisen.fail('cancel', { status: 200, body: { error: 'no upstream' } })
    at.raiffeisen.fail('code', { status: 200, body: { qrId: qrcId, qrStatus: 'IN_PROGRESS' } })
    const data = { siteId: 'farm', qrcId, reference }
    expect((await at.service.instruct('qrCode.cancel', data, at.clock.now)).status).toBe(503)
    expect(core.disk.cancellations.count()).toBe(1)
    await later(HOUR)
    expect(at.raiffeisen.codes.get(qrcId)?.isCancelled).toBe(true)
    expect(core.disk.cancellations.count()).toBe(0)
  })

  it.each(['CANCELLED', 'EXPIRED', 'PAID'])(
    'ends where the bank states that the link is %s',
    async (qrStatus) => {
      const { at } = await launched()
      const { qrcId, reference } = await register(at, 'farm')
      at.raiffeisen.fail('cancel', { status: 404, body: HTML })
      at.raiffeisen.fail('code', { status: 200, body: { qrId: qrcId, qrStatus } })
      const answer = await at.service.instruct(
        'qrCode.cancel',
        { siteId: 'farm', qrcId, reference },
        at.clock.now,
      )
      expect(answer.status).toBe(204)
    },
  )
})

it.each(SITES)('%s: a register that a gateway answers is 503: the same again is safe', async (site) => {
  const { at } = await launched()
  for (const status of [400, 404, 200]) {
    fakeOf(site).of(at).fail('*', { status, body: '<html>' })
    const data = registerData(at, site)
    expect((await at.service.instruct('qrCode.register', data, at.clock.now)).status).toBe(503)
    expect((await at.service.instruct('qrCode.register', data, at.clock.now)).status).toBe(200)
  }
})

it('a step of a cancellation that was confirmed meanwhile puts off no other, whose row has its number', async () => {
  const { core } = await start(await surroundings())
  const { cancellations } = core.disk
  const of = (qrcId: string, since: number) =>
    cancellations.put({ site: 'farm', qrcId, reference: 'raif-farm:1', bank: 'raif-farm', since }, since)
  const first = of('first', 1)
  cancellations.done(first)
  const second = of('second', 2)
  expect(second.place).toBe(first.place)
  cancellations.delay(first, { now: 3, dueAt: 9_000 })
  expect(cancellations.queue.due('raif-farm', 3, 9)).toMatchObject([{ qrcId: 'second' }])
})
