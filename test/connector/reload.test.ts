// The configuration is read again while the connector runs: all of it at once, and with a fault nothing.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BANKS } from '../../connector/banks/banks.ts'
import { readConfig } from '../../connector/config/config.ts'
import { SOURCES } from '../../connector/config/fields.ts'
import { reload } from '../../connector/config/reload.ts'
import { SECRET, tokenOf } from '../support/network-service.ts'
import {
  DAY,
  deliver,
  HOUR,
  launched,
  MINUTE,
  ofRefund,
  pay,
  type Running,
  refund,
  register,
  registerData,
  start,
  surroundings,
} from './harness.ts'

type At = Awaited<ReturnType<typeof surroundings>>
type Json = Record<string, unknown>

/** Reads the file that the surroundings describe now, as the running connector does. */
const reloadAt = (at: Omit<At, 'config'> & { config: object }, { core }: Running) =>
  reload(core, () => readConfig(JSON.stringify(at.config), BANKS, { ...SOURCES, env: at.env }))

/** One more site of T-Bank, with its token in the environment. */
function addSite(at: At, siteId: string) {
  const variable = `TOKEN_${siteId}`
  Object.assign(at.env, { [variable]: tokenOf(siteId) })
  Object.assign(at.config.sites, { [siteId]: { token: { env: variable }, bank: 'tbank-cafe' } })
}

const answerTo = (at: At, siteId: string) =>
  at.service.instruct('qrCode.register', registerData(at, siteId), at.clock.now)

describe('a reload', () => {
  it('makes sites appear and go, and leaves the others', async () => {
    const { at, running } = await launched()
    expect(await answerTo(at, 'bar')).toMatchObject({ status: 503 })
    addSite(at, 'bar')
    expect(await answerTo(at, 'bar')).toMatchObject({ status: 503 })
    expect(reloadAt(at, running)).toEqual([])
    expect(await answerTo(at, 'bar')).toMatchObject({ status: 200 })
    expect(running.log.at(-1)).toMatchObject({
      ...{ message: 'the configuration was read again', fields: { sites: 5, appeared: 'bar', gone: '' } },
    })
    Reflect.deleteProperty(at.config.sites, 'tea')
    reloadAt(at, running)
    expect(await answerTo(at, 'tea')).toMatchObject({
      ...{ status: 503, body: { description: 'the connector has no site tea' } },
    })
    for (const site of ['cafe', 'farm', 'club', 'bar']) expect((await answerTo(at, site)).status).toBe(200)
  })

  it('lets the last site go: the bank gets its answers, and what it tells waits for the site', async () => {
    const { at, running } = await launched()
    const { connector, later, core } = running
    const paid = await register(at, 'cafe')
    await pay(at, 'cafe', paid.qrcId)
    await connector.settle()
    const asked = await refund(at, 'cafe', paid, '1.00')
    const open = await register(at, 'cafe')
    expect(reloadAt({ ...at, config: { ...at.config, sites: {} } }, running)).toEqual([])
    await pay(at, 'cafe', open.qrcId)
    await connector.settle()
    expect(core.disk.webhooks.waiting()).toEqual([])
    expect(core.disk.refunds.get({ ...asked, site: 'cafe' })?.state).toBe('COMPLETED')
    expect(core.disk.reports.notAccepted().map(({ answer }) => answer)).toEqual(
      Array(2).fill('0 the connector has no site cafe'),
    )
    expect(await answerTo(at, 'cafe')).toMatchObject({ status: 503 })
    reloadAt(at, running)
    await later(HOUR)
    expect(at.service.site('cafe').payments.get(open.qrcId)?.status).toBe('COMPLETED')
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  })

  it('has the codes of a site that appears asked about, however long ago they ended', async () => {
    const at = await surroundings()
    // Another connector has registered the code.
    const other = await start(at)
    const { qrcId, reference, expiresOn } = await register(at, 'cafe')
    await pay(at, 'cafe', qrcId, { times: 0 })
    const createdOn = new Date(at.clock.now).toISOString()
    await other.loseDisk()
    const running = await start(at)
    await running.later(10 * DAY)
    const code = { qrcId, reference, type: 'DYNAMIC', status: 'EXPIRED', createdOn, expiresOn }
    at.service.qrCodes.push({ siteId: 'bar', ...code })
    addSite(at, 'bar')
    reloadAt(at, running)
    await running.connector.settle()
    expect(at.service.site('bar').payments.get(qrcId)).toMatchObject({ status: 'COMPLETED' })
  })

  it('takes new credentials, tokens and the secret of the service at once', async () => {
    const at = await surroundings()
    const { TBANK_PASSWORD } = at.env
    at.env.TBANK_PASSWORD = 'not-this-one'
    const running = await start(at)
    const next = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
    const sign = async (secret: string) =>
      (await at.service.instruct('qrCode.register', registerData(at, 'cafe'), at.clock.now, secret)).status
    expect([await sign(SECRET), await sign(next)]).not.toContain(200)
    Object.assign(at.env, { TBANK_PASSWORD, NETWORK_SECRET: next })
    expect(reloadAt(at, running)).toEqual([])
    expect([await sign(SECRET), await sign(next)]).toEqual([401, 200])
  })

  it('gives the registers in flight their answers, also of a site that goes, and repeats join them', async () => {
    const { at, running } = await launched()
    const reached = Promise.withResolvers<void>()
    const allowed = Promise.withResolvers<void>()
    at.tbank.beforeAnswer = async () => {
      reached.resolve()
      await allowed.promise
    }
    const data = registerData(at, 'cafe')
    const send = () => at.service.instruct('qrCode.register', data, at.clock.now)
    const first = send()
    await reached.promise
    reloadAt(at, running)
    const again = send()
    // A whole call: what was sent before has arrived.
    expect(
      (await at.service.instruct('qrCode.register', registerData(at, 'farm'), at.clock.now)).status,
    ).toBe(200)
    Reflect.deleteProperty(at.config.sites, 'cafe')
    reloadAt(at, running)
    allowed.resolve()
    const [one, two] = await Promise.all([first, again])
    expect([one.status, two.body]).toEqual([200, one.body])
    expect(at.tbank.callsOf('Init')).toHaveLength(1)
  })

  it('changes nothing where the disk fails', async () => {
    const { at, running } = await launched()
    const { 'raif-farm': _, ...banks } = at.config.banks
    const { farm: __, ...sites } = at.config.sites
    running.core.disk.hasRowsOf = () => {
      throw new Error('disk I/O error')
    }
    expect(reloadAt({ ...at, config: { ...at.config, banks, sites } }, running)).toEqual(['disk I/O error'])
    expect((await answerTo(at, 'farm')).status).toBe(200)
  })

  it('finds work of credentials that appear: bindings and codes are asked about', async () => {
    const at = await surroundings()
    const { raif, ...others } = { raif: at.config.banks['raif-farm'], ...at.config.banks }
    const running = await start(at)
    const link = await register(at, 'farm')
    const { 'raif-farm': _, ...without } = others
    const { farm, ...sites } = at.config.sites
    const fewer = { ...at, config: { ...at.config, banks: without, sites } }
    reloadAt(fewer, running)
    expect(running.log.at(-1)).toMatchObject({
      ...{ level: 'warning', message: 'credentials are gone, and codes or payments of them remain' },
      fields: { bank: 'raif-farm' },
    })
    await at.raiffeisen.pay(link.qrcId, { times: 0 })
    await running.later(2 * MINUTE)
    expect(at.service.site('farm').payments.size).toBe(0)
    expect([farm, raif]).toEqual([at.config.sites.farm, at.config.banks['raif-farm']])
    reloadAt(at, running)
    await running.connector.settle()
    expect(at.service.site('farm').payments.get(link.qrcId)?.status).toBe('COMPLETED')
  })
})

describe('a name of credentials that has rows', () => {
  const other = { terminalKey: 'AnotherTerminal' }

  it('is not pointed at another terminal: by no reload, and by no start', async () => {
    const { at, running } = await launched()
    await register(at, 'cafe')
    Object.assign(at.config.banks['tbank-cafe'], other)
    const fault =
      'banks.tbank-cafe: is tbank:AnotherTerminal, and was tbank:TinkoffBankTest, of which codes or payments remain: must be another name'
    expect(reloadAt(at, running)).toEqual([fault])
    expect(running.log.at(-1)).toEqual({
      ...{ level: 'error', message: 'the configuration has a fault, and was not changed', fields: { fault } },
    })
    expect((await answerTo(at, 'cafe')).status).toBe(200)
    await running.stop()
    await expect(start(at)).rejects.toThrow(fault)
  })

  it('stays reserved after the credentials have gone', async () => {
    const { at, running } = await launched()
    await register(at, 'cafe')
    const { 'tbank-cafe': cafe, ...banks } = at.config.banks
    const { cafe: site, ...sites } = at.config.sites
    expect(reloadAt({ ...at, config: { ...at.config, banks, sites } }, running)).toEqual([])
    Object.assign(at.config.banks['tbank-cafe'], other)
    expect(reloadAt(at, running)).toHaveLength(1)
    expect([cafe, site]).toBeTruthy()
  })

  it.each<[string, (at: At, link: Awaited<ReturnType<typeof register>>) => Promise<unknown>]>([
    ['a refund', (at, link) => refund(at, 'cafe', link, '1.00')],
    ['a webhook', (at, { qrcId }) => deliver(at, 'cafe', qrcId)],
  ])('is reserved by %s without its code, and no other name is', async (_, make) => {
    const { at, running: before } = await launched()
    const link = await register(at, 'cafe')
    await pay(at, 'cafe', link.qrcId, { times: 0 })
    await before.loseDisk()
    const twin = structuredClone(at.config.banks['tbank-cafe'])
    Object.assign(at.config.banks, { 'tbank-twin': twin })
    const running = await start(at)
    await running.connector.settle()
    await make(at, link)
    Object.assign(twin, other)
    expect(reloadAt(at, running)).toEqual([])
    Object.assign(at.config.banks['tbank-cafe'], other)
    expect(reloadAt(at, running)).toEqual([expect.stringMatching(/^banks\.tbank-cafe: /)])
  })

  it('can be corrected after a terminal that the bank does not know', async () => {
    const at = await surroundings()
    const { terminalKey } = at.config.banks['tbank-cafe']
    Object.assign(at.config.banks['tbank-cafe'], other)
    const running = await start(at)
    expect((await answerTo(at, 'cafe')).status).toBe(503)
    Object.assign(at.config.banks['tbank-cafe'], { terminalKey })
    expect(reloadAt(at, running)).toEqual([])
    expect((await answerTo(at, 'cafe')).status).toBe(200)
  })

  it('that is pointed elsewhere while the bank registers a code has no link of the terminal before', async () => {
    const { at, running } = await launched()
    const data = registerData(at, 'cafe')
    const send = () => at.service.instruct('qrCode.register', data, at.clock.now)
    const asked = { ...at.config.banks['tbank-cafe'] }
    at.tbank.beforeAnswer = async (operation) => {
      if (operation !== 'GetQr') return
      Object.assign(at.config.banks['tbank-cafe'], other)
      expect(reloadAt(at, running)).toEqual([])
    }
    expect((await send()).status).toBe(503)
    const [order] = at.tbank.sessions.values()
    expect(running.core.disk.codes.get(order?.orderId ?? '')?.state).toBe('CALLING')
    expect(running.log.at(-1)).toMatchObject({
      message: 'a code was not registered',
      fields: { error: 'the link is of tbank:TinkoffBankTest, and tbank-cafe is another now' },
    })
    at.tbank.beforeAnswer = async () => {}
    Object.assign(at.config.banks['tbank-cafe'], asked)
    expect(reloadAt(at, running)).toEqual([])
    expect((await send()).status).toBe(200)
  })

  it('can be pointed elsewhere as long as it has none, and two names can be of one terminal', async () => {
    const { at, running } = await launched()
    const twin = structuredClone(at.config.banks['tbank-cafe'])
    Object.assign(at.config.banks, { 'tbank-twin': twin })
    expect(reloadAt(at, running)).toEqual([])
    Object.assign(twin, other)
    expect(reloadAt(at, running)).toEqual([])
  })
})

/** Files: those with a fault are refused for one reason each. */
const FILES: Record<string, { fault?: RegExp; change: (config: Json, sites: Json, banks: Json) => unknown }> =
  {
    'one more site': { change: (_, sites) => (sites.bar = { token: { env: 'BAR' }, bank: 'tbank-cafe' }) },
    'one site less': { change: (_, sites) => delete sites.tea },
    'another name for payers': { change: (_, sites) => Object.assign(Object(sites.cafe), { name: 'Café' }) },
    'other credentials': { change: (_, __, banks) => (banks.twin = structuredClone(banks['tbank-cafe'])) },
    'no sites': { change: (config) => (config.sites = {}) },
    'an unknown bank': {
      ...{
        fault: /^sites\.cafe\.bank: /,
        change: (_, sites) => Object.assign(Object(sites.cafe), { bank: 'x' }),
      },
    },
    'a secret that is not set': {
      fault: /^sites\.cafe\.token: .*GONE/,
      change: (_, sites) => Object.assign(Object(sites.cafe), { token: { env: 'GONE' } }),
    },
    'a token of another site': {
      fault: /^sites\.cafe\.token: /,
      change: (_, sites) => Object.assign(Object(sites.cafe), { token: { env: 'BAR' } }),
    },
    'another terminal': {
      fault: /^banks\.tbank-cafe: /,
      change: (_, __, banks) => Object.assign(Object(banks['tbank-cafe']), { terminalKey: 'Another' }),
    },
    'an unknown field': { fault: /is unknown$/, change: (config) => (config.sitse = {}) },
  }

it('after any sequence of files the last one without a fault is in force', async () => {
  const at = await surroundings()
  Object.assign(at.env, { BAR: tokenOf('bar') })
  const running = await start(at)
  await register(at, 'cafe')
  const { core } = running
  const good = JSON.stringify(at.config)
  const Text = fc.oneof(
    fc.constantFrom(...Object.keys(FILES)).map((name) => ({ name, text: textOf(good, name) })),
    // A file that is being written.
    fc.nat(good.length - 2).map((length) => ({ name: 'cut', text: good.slice(0, length) })),
  )
  fc.assert(
    fc.property(fc.array(Text, { maxLength: 12 }), (files) => {
      let inForce = stateOf(core)
      for (const { name, text } of files) {
        const { log } = running
        log.length = 0
        const faults = reload(core, () => readConfig(text, BANKS, { ...SOURCES, env: at.env }))
        const { fault } = FILES[name] ?? { fault: /^the configuration is not valid JSON/ }
        expect(faults.length > 0).toBe(fault !== undefined)
        if (fault) {
          expect(faults).toEqual([expect.stringMatching(fault)])
          expect(log.map(({ fields }) => fields.fault)).toEqual(faults)
        } else inForce = expectedOf(text)
        expect(stateOf(core)).toEqual(inForce)
      }
    }),
    { numRuns: 60 },
  )
})

function textOf(good: string, name: string): string {
  const config: { sites: Json; banks: Json } = JSON.parse(good)
  FILES[name]?.change(config, config.sites, config.banks)
  return JSON.stringify(config)
}

/** What of a configuration is in force. */
const stateOf = ({ sites, banks }: Running['core']) => ({
  sites: Array.from(sites.values(), ({ siteId, name, bank }) => [siteId, name, bank.name]).sort(),
  banks: Array.from(banks.values(), ({ name, bank }) => [name, bank.identity]).sort(),
  isOne: Array.from(sites.values()).every(({ bank }) => banks.get(bank.name) === bank),
})

function expectedOf(text: string): ReturnType<typeof stateOf> {
  const config: { sites: Record<string, { bank: string; name?: string }>; banks: Record<string, Json> } =
    JSON.parse(text)
  const owner = ({ bank, customerCode, terminalKey, sbpMerchantId, siteUid }: Json) =>
    `${bank}:${customerCode ?? terminalKey ?? sbpMerchantId ?? siteUid}`
  return {
    sites: Object.entries(config.sites)
      .map(([siteId, { name, bank }]) => [siteId, name ?? siteId, bank])
      .sort(),
    banks: Object.entries(config.banks)
      .map(([name, fields]) => [name, owner(fields)])
      .sort(),
    isOne: true,
  }
}

it('a refund that is in flight goes on with the credentials that follow', async () => {
  const { at, running } = await launched()
  const link = await register(at, 'farm')
  await pay(at, 'farm', link.qrcId)
  await running.connector.settle()
  at.raiffeisen.refundStatus = 'IN_PROGRESS'
  const asked = await refund(at, 'farm', link, '1.00')
  await running.connector.settle()
  for (let i = 0; i < 3; i++) reloadAt(at, running)
  const [refundId = ''] = at.raiffeisen.refunds.keys()
  at.raiffeisen.settleRefund(refundId, 'COMPLETED')
  await running.later(2 * MINUTE)
  expect(at.service.site('farm').refunds.get(`${asked.paymentUid}/${asked.refundUid}`)?.status).toBe(
    'COMPLETED',
  )
  expect(at.raiffeisen.callsOf('refund')).toHaveLength(1)
})
