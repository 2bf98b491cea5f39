// A connector in this process, between four fake banks and the service's side; its clock is the test's.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { BANKS } from '../../connector/banks/banks.ts'
import { readConfig } from '../../connector/config/config.ts'
import { SOURCES } from '../../connector/config/fields.ts'
import { Connector, type StartOptions } from '../../connector/connector.ts'
import { type Core, openCore } from '../../connector/core.ts'
import { openDatabase } from '../../connector/disk/database.ts'
import { Disk } from '../../connector/disk/disk.ts'
import type { Fields, LogLevel } from '../../connector/log.ts'
import { Metrics } from '../../connector/metrics.ts'
import { PLATFORM } from '../../connector/platform.ts'
import { listen } from '../../connector/server/server.ts'
import type { Delivery } from '../support/banks/fake-bank.ts'
import { FakeRaiffeisen } from '../support/banks/raiffeisen.ts'
import { FakeTBank } from '../support/banks/tbank.ts'
import { FakeTochka } from '../support/banks/tochka.ts'
import { FakeTochkaPay } from '../support/banks/tochka-pay.ts'
import { NetworkService, SECRET, tokenOf } from '../support/network-service.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
})

/** Calls the function after the test. */
export const afterwards = (cleanUp: () => unknown): void => {
  cleanups.push(cleanUp)
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export interface Clock {
  now: number
}

/** The configuration of all four banks, one site each: tea, cafe, farm, club. */
export function configuration(
  urls: { service: string; tochka: string; tbank: string; raiffeisen: string; tochkaPay: string },
  tochka: FakeTochka,
  tochkaPay: FakeTochkaPay,
) {
  const config = {
    service: urls.service,
    publicUrl: 'http://127.0.0.1:1/connector',
    networkSecret: { env: 'NETWORK_SECRET' },
    banks: {
      'tochka-main': {
        ...{ bank: 'tochka', baseUrl: `${urls.tochka}/uapi`, clientId: tochka.clientId },
        ...{ customerCode: tochka.customerCode, jwt: { env: 'TOCHKA_JWT' } },
      },
      'tbank-cafe': {
        bank: 'tbank',
        baseUrl: urls.tbank,
        terminalKey: 'TinkoffBankTest',
        password: { env: 'TBANK_PASSWORD' },
      },
      'raif-farm': {
        bank: 'raiffeisen',
        baseUrl: `${urls.raiffeisen}/api`,
        sbpMerchantId: 'MA0000000552',
        secretKey: { env: 'RAIF_KEY' },
      },
      'pay-club': {
        ...{ bank: 'tochka-pay', baseUrl: `${urls.tochkaPay}/uapi`, siteUid: tochkaPay.siteUid },
        ...{
          jwt: { env: 'PAY_JWT' },
          privateKey: { env: 'PAY_KEY' },
          webhookKey: { env: 'PAY_WEBHOOK_KEY' },
        },
      },
    },
    sites: {
      tea: {
        token: { env: 'TEA_TOKEN' },
        bank: 'tochka-main',
        merchantId: tochka.merchantId,
        accountId: tochka.accountId,
      } as object,
      cafe: { token: { env: 'CAFE_TOKEN' }, bank: 'tbank-cafe' } as object,
      farm: { token: { env: 'FARM_TOKEN' }, bank: 'raif-farm' } as object,
      club: {
        token: { env: 'CLUB_TOKEN' },
        bank: 'pay-club',
        cashRegisterQrcIds: tochkaPay.codes.reserve(4),
      } as object,
    },
  }
  const env = {
    ...{ NETWORK_SECRET: SECRET, TOCHKA_JWT: tochka.jwt, TBANK_PASSWORD: 'usaf8fw8fsw21g' },
    ...{ RAIF_KEY: 'a-secret-of-raiffeisen' },
    ...{ PAY_JWT: tochkaPay.jwt, PAY_KEY: tochkaPay.privateKey },
    PAY_WEBHOOK_KEY: JSON.stringify(tochkaPay.webhookKey),
    ...{ TEA_TOKEN: tokenOf('tea'), CAFE_TOKEN: tokenOf('cafe'), FARM_TOKEN: tokenOf('farm') },
    CLUB_TOKEN: tokenOf('club'),
  }
  return { config, env }
}

/** Everything that is not the connector: it stays while the connector starts anew. */
export async function surroundings(clock: Clock = { now: Date.parse('2026-11-20T10:00:00Z') }) {
  const now = () => clock.now
  const banks = {
    tochka: new FakeTochka(now),
    tbank: new FakeTBank(now),
    raiffeisen: new FakeRaiffeisen(now),
    tochkaPay: new FakeTochkaPay(now),
  }
  const service = new NetworkService()
  const urls = {
    service: await service.listen(),
    tochka: await banks.tochka.listen(),
    tbank: await banks.tbank.listen(),
    raiffeisen: await banks.raiffeisen.listen(),
    tochkaPay: await banks.tochkaPay.listen(),
  }
  const directory = mkdtempSync(join(tmpdir(), 'connector-'))
  for (const each of [service, ...Object.values(banks)]) cleanups.push(() => each.close())
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }))
  const settings = configuration(urls, banks.tochka, banks.tochkaPay)
  return { clock, ...banks, service, urls, directory, ...settings }
}

export type Surroundings = Awaited<ReturnType<typeof surroundings>>

/** The sites and the fakes of their banks; `refund`: the operation by which the fake refunds. */
export const FAKES = [
  { site: 'tea', of: (at: Surroundings) => at.tochka, refund: 'refund' },
  { site: 'cafe', of: (at: Surroundings) => at.tbank, refund: 'Cancel' },
  { site: 'farm', of: (at: Surroundings) => at.raiffeisen, refund: 'refund' },
  { site: 'club', of: (at: Surroundings) => at.tochkaPay, refund: 'refund' },
] as const
export const [TEA, CAFE, FARM, CLUB] = FAKES
export type Fake = (typeof FAKES)[number]

export const fakeOf = (site: string): Fake => {
  const fake = FAKES.find((each) => each.site === site)
  if (!fake) throw new Error(`no site ${site}`)
  return fake
}

/** A payer pays a code of the site. */
export const pay = (at: Surroundings, site: string, qrcId: string, delivery: Delivery = {}) =>
  fakeOf(site).of(at).pay(qrcId, delivery)

/** The webhook of the site's bank about the last payment of a code, again or late. */
export function deliver(at: Surroundings, site: string, qrcId: string): Promise<void> {
  if (site === 'tea')
    return at.tochka.deliver(at.tochka.codes.get(qrcId)?.payments.at(-1)?.refTransactionId ?? '')
  if (site === 'club') return at.tochkaPay.deliver(qrcId)
  return site === 'cafe' ? at.tbank.deliver(at.tbank.session(qrcId).paymentId) : at.raiffeisen.deliver(qrcId)
}

export interface Running {
  core: Core
  connector: Connector
  log: { level: LogLevel; message: string; fields: Fields }[]
  url: string
  /** The time passes so often, each time by `ms`, and what is due then is done, in so many turns. */
  later: (ms: number, times?: number, turns?: number) => Promise<void>
  stop: () => Promise<void>
  /** Stops, and its disk is lost. */
  loseDisk: () => Promise<void>
}

/** A connector on the directory; the banks' webhooks and the service's instructions go to it. */
/** @param at its configuration is read as the file is: a test can leave out what the type has */
export async function start(
  at: Omit<Surroundings, 'config'> & { config: object },
  options: StartOptions = {},
): Promise<Running> {
  const { clock, tochka, tbank, raiffeisen, tochkaPay, service, directory, config, env } = at
  const log: Running['log'] = []
  const disk = new Disk(openDatabase(directory, clock.now))
  const sources = { ...SOURCES, env, now: () => clock.now }
  const core = openCore(readConfig(JSON.stringify(config), BANKS, sources), {
    disk,
    platform: { ...PLATFORM, now: () => clock.now },
    log: (level, message, fields = {}) => log.push({ level, message, fields }),
    metrics: new Metrics(),
  })
  const connector = new Connector(core, options)
  const { server, port } = await listen(connector.app, '127.0.0.1', 0)
  const url = `http://127.0.0.1:${port}`
  // T-Bank and Pay Gateway get the address with each code; it must be that of this start.
  for (const bank of core.banks.values()) bank.webhookUrl = `${url}/webhooks/${bank.name}`
  for (const session of tbank.sessions.values()) session.notificationUrl = `${url}/webhooks/tbank-cafe`
  tbank.terminalUrl = `${url}/webhooks/tbank-cafe`
  tochka.webhook = { url: `${url}/webhooks/tochka-main`, webhooksList: ['incomingSbpPayment'] }
  raiffeisen.callbackUrl = `${url}/webhooks/raif-farm`
  tochkaPay.webhooks.to = `${url}/webhooks/pay-club`
  service.connectorUrl = `${url}/instructions`
  let isStopped = false
  const stop = async () => {
    if (isStopped) return
    isStopped = true
    await new Promise((resolve) => {
      server.close(resolve)
      if ('closeAllConnections' in server) server.closeAllConnections()
    })
    await connector.stop()
  }
  cleanups.push(stop)
  const later = async (ms: number, times = 1, turns?: number) => {
    for (let i = 0; i < times; i++) {
      clock.now += ms
      await connector.settle(turns)
    }
  }
  const loseDisk = async () => {
    await stop()
    rmSync(join(directory, 'connector.sqlite'))
  }
  return { core, connector, log, url, later, stop, loseDisk }
}

/** The surroundings, and a connector that runs in them. */
export async function launched() {
  const at = await surroundings()
  const running = await start(at)
  return { at, running, ...running }
}

let keys = 0
/** The data of a `qrCode.register` for a code of an hour. */
export function registerData(at: Surroundings, siteId: string, changes: object = {}) {
  keys++
  return {
    ...{ siteId, key: `KEY${String(keys).padStart(29, '0')}`, type: 'DYNAMIC', ttl: 60 },
    expiresOn: new Date(at.clock.now + HOUR).toISOString(),
    ...{ amount: { value: '100.00', currency: 'RUB' }, paymentPurpose: 'Tea' },
    ...changes,
  }
}

/** Registers a code. @returns the body of the answer */
export async function register(at: Surroundings, siteId: string, changes: object = {}) {
  const { status, body } = await at.service.instruct(
    'qrCode.register',
    registerData(at, siteId, changes),
    at.clock.now,
  )
  if (status !== 200) throw new Error(`the register got ${status} ${JSON.stringify(body)}`)
  return {
    payload: String(body.payload),
    qrcId: String(body.qrcId),
    reference: String(body.reference),
    expiresOn: String(body.expiresOn),
  }
}

let refunds = 0
/** Requests a refund of the payment of a code, as the service does. @returns its refundUid */
export async function refund(
  at: Surroundings,
  siteId: string,
  link: { qrcId: string; reference: string; paymentUid?: string | undefined },
  value: string,
  refundUid = `refund-${++refunds}`,
) {
  const data = {
    ...{
      siteId,
      qrcId: link.qrcId,
      paymentUid: link.paymentUid ?? link.qrcId,
      refundUid,
      reference: link.reference,
    },
    amount: { value, currency: 'RUB' },
  }
  at.service.waitingRefunds.push({ ...data, createdOn: new Date(at.clock.now).toISOString() })
  const { status } = await at.service.instruct('refund.create', data, at.clock.now)
  if (status !== 202) throw new Error(`the refund got ${status}`)
  return { ...data, again: () => at.service.instruct('refund.create', data, at.clock.now) }
}

export const ofRefund = (
  at: Surroundings,
  { siteId, paymentUid, refundUid }: { siteId: string; paymentUid: string; refundUid: string },
) => at.service.site(siteId).refunds.get(`${paymentUid}/${refundUid}`)
