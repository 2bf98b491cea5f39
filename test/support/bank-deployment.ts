// The production build, the connector and three fake banks, each a process or a server of its own, as an operator runs them.
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, vi } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { DISTRIBUTION } from '../../bin/serve/distribution.ts'
import { workerdBinary } from '../../bin/serve/workerd-binary.ts'
import { FeedAnswer } from '../../src/contract/event.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { type ConnectorProcess, runConnector, startConnector } from './bank-connector.ts'
import type { Delivery, FakeBank } from './banks/fake-bank.ts'
import { FakeRaiffeisen } from './banks/raiffeisen.ts'
import { FakeTBank } from './banks/tbank.ts'
import { FakeTochka } from './banks/tochka.ts'
import { shiftedClock } from './clock.ts'
import { succeeds } from './command.ts'
import { forwarder } from './connector.ts'
import { SECRET } from './secret.ts'
import { EXTERNAL, type Served, started, temporaryDirectory } from './serve.ts'
import { errorCodeOf, siteAt } from './site-at.ts'

/** What a test waits for: nothing takes this long, but the machine may be slow. */
export const WAITING = { timeout: 60_000, interval: 50 }

/** Kopecks of one code. */
export interface Money {
  paid: number
  refunded: number
}

/** A fake bank by what all of them can do. */
export interface TestBank {
  /** The name of its credentials. */
  name: string
  fake: FakeBank
  /** The operations: the last one of a registration, and the refund. */
  operations: { register: string; refund: string }
  /** A payer pays. A webhook that nobody takes is lost. */
  pay(qrcId: string, delivery?: Delivery): Promise<void>
  /** The webhook of that payment, again or late. */
  deliver(qrcId: string): Promise<void>
  /** What the bank has of each code. */
  money(): Map<string, Money>
  /** The bank's numbers of the payments of a printed code. */
  numbersOf(qrcId: string): string[]
  /** Whether a cancelled code cannot be paid any more. */
  isCancelled(qrcId: string): boolean
}

/** A webhook to a connector that is down is lost. */
const mayBeLost = (sent: Promise<unknown>): Promise<void> =>
  sent.then(
    () => {},
    () => {},
  )

function banksAt(now: () => number) {
  const tochka = new FakeTochka(now)
  const tbank = new FakeTBank(now)
  const raiffeisen = new FakeRaiffeisen(now)
  const all: TestBank[] = [
    {
      name: 'tochka-main',
      fake: tochka,
      operations: { register: 'register', refund: 'refund' },
      pay: (qrcId, delivery) => mayBeLost(tochka.pay(qrcId, delivery)),
      deliver: (qrcId) =>
        mayBeLost(tochka.deliver(tochka.codes.get(qrcId)?.payments[0]?.refTransactionId ?? '')),
      money: () =>
        moneyOf(tochka.codes, ({ payments }) => ({
          paid: sum(payments.map(({ status, amount }) => (status === 'Accepted' ? amount : 0))),
          refunded: sum(payments.map(({ refunded }) => refunded)),
        })),
      numbersOf: (qrcId) =>
        (tochka.codes.get(qrcId)?.payments ?? []).map(({ refTransactionId }) => refTransactionId),
      isCancelled: () => false,
    },
    {
      name: 'tbank-cafe',
      fake: tbank,
      operations: { register: 'GetQr', refund: 'Cancel' },
      pay: (qrcId, delivery) => mayBeLost(tbank.pay(qrcId, delivery)),
      deliver: (qrcId) => mayBeLost(tbank.deliver(tbank.session(qrcId).paymentId)),
      money: () =>
        moneyOf(
          Array.from(tbank.sessions.values(), (session) => [session.qrcId ?? '', session] as const),
          ({ status, amount, refunded }) => ({
            paid: /^CONFIRMED$|REFUND/.test(status) ? amount : 0,
            refunded,
          }),
        ),
      numbersOf: () => [],
      isCancelled: () => false,
    },
    {
      name: 'raif-farm',
      fake: raiffeisen,
      operations: { register: 'register', refund: 'refund' },
      pay: (qrcId, delivery) => mayBeLost(raiffeisen.pay(qrcId, delivery)),
      deliver: (qrcId) => mayBeLost(raiffeisen.deliver(qrcId)),
      money: () =>
        moneyOf(raiffeisen.codes, ({ payment, payments, isStatic, amount, refunded }) => ({
          paid: sum(
            (isStatic ? payments : [payment]).map((each) => (each?.status === 'SUCCESS' ? amount : 0)),
          ),
          refunded,
        })),
      numbersOf: (qrcId) =>
        (raiffeisen.codes.get(qrcId)?.payments ?? []).map(({ transactionId }) => String(transactionId)),
      isCancelled: (qrcId) => raiffeisen.codes.get(qrcId)?.isCancelled === true,
    },
  ]
  return { tochka, tbank, raiffeisen, all }
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0)
const moneyOf = <T>(codes: Iterable<readonly [string, T]>, of: (code: T) => Money): Map<string, Money> =>
  new Map(Array.from(codes, ([qrcId, code]) => [qrcId, of(code)]))

/** Which credentials each site uses; one site of each bank, unless said otherwise. */
export type Sites = Record<string, 'tochka-main' | 'tbank-cafe' | 'raif-farm'>
export const ONE_EACH: Sites = { tea: 'tochka-main', cafe: 'tbank-cafe', farm: 'raif-farm' }

interface Options {
  sites?: Sites
  /** Settings of the service, besides those of a connector that gives links. */
  settings?: Record<string, string>
  /** Whether service and connector have a clock that the test sets. */
  hasClock?: boolean
}

export type BankDeployment = Awaited<ReturnType<typeof bankDeployment>>

/** Everything, running; it ends with the test. */
export async function bankDeployment({ sites = ONE_EACH, settings = {}, hasClock = false }: Options = {}) {
  const directory = temporaryDirectory()
  const clock = hasClock ? shiftedClock(directory) : undefined
  // The commands of the operator have it too.
  for (const [name, value] of Object.entries(clock?.settings ?? {})) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  let hours = 0
  const now = () => Date.now() + hours * 3_600_000
  const banks = banksAt(now)
  const { tochka, tbank, raiffeisen } = banks
  const [toService, toConnector] = [await forwarder(), await forwarder()]
  const urls = {
    tochka: await tochka.listen(),
    tbank: await tbank.listen(),
    raiffeisen: await raiffeisen.listen(),
  }

  const config = {
    service: `http://127.0.0.1:${toService.port}`,
    publicUrl: `http://127.0.0.1:${toConnector.port}`,
    networkSecret: { env: 'NETWORK_SECRET' },
    banks: {
      'tochka-main': {
        ...{ bank: 'tochka', baseUrl: `${urls.tochka}/uapi`, clientId: tochka.clientId },
        ...{ customerCode: tochka.customerCode, jwt: { env: 'TOCHKA_JWT' } },
      },
      'tbank-cafe': {
        ...{ bank: 'tbank', baseUrl: urls.tbank, terminalKey: tbank.terminalKey },
        password: { env: 'TBANK_PASSWORD' },
      },
      'raif-farm': {
        ...{ bank: 'raiffeisen', baseUrl: `${urls.raiffeisen}/api`, sbpMerchantId: raiffeisen.sbpMerchantId },
        secretKey: { env: 'RAIF_KEY' },
      },
    },
    sites: Object.fromEntries(
      Object.entries(sites).map(([siteId, bank]) => [siteId, siteConfig(siteId, bank)]),
    ),
  }
  function siteConfig(siteId: string, bank: string): object {
    const { merchantId, accountId } = tochka
    const account = bank === 'tochka-main' ? { merchantId, accountId } : {}
    return { token: { env: `TOKEN_${siteId}` }, bank, ...account }
  }
  const tokens = Object.keys(sites).map(async (siteId) => [
    `TOKEN_${siteId}`,
    await mintToken(SECRET, { siteId, scope: 'network', days: 30 }),
  ])
  const env: Record<string, string> = {
    ...{ NETWORK_SECRET: EXTERNAL.NETWORK_SECRET, TOCHKA_JWT: tochka.jwt },
    ...{ TBANK_PASSWORD: tbank.password, RAIF_KEY: raiffeisen.secretKey },
    ...Object.fromEntries(await Promise.all(tokens)),
  }
  const serviceSettings: Record<string, string> = {
    ...EXTERNAL,
    ...{ NETWORK_URL: `http://127.0.0.1:${toConnector.port}/instructions`, LINKS: 'connector' },
    ...{ CALLBACK_HOSTS: 'any', WORKERD: workerdThatNotifiesThisMachine(directory) },
    ...settings,
  }

  let served: Served | undefined
  let copies = 0
  const copyName = (name: string) => join(directory, `${name}-${copies++}`)
  const service = {
    settings: serviceSettings,
    data: copyName('service'),
    /** Whether the connector reaches it. */
    set isReachable(is: boolean) {
      toService.target = is && served ? Number(new URL(served.address).port) : undefined
    },
    async start() {
      served = await started(service.data, { settings: serviceSettings })
      service.isReachable = true
    },
    async stop() {
      await served?.stop()
      served = undefined
    },
    async kill() {
      await served?.kill()
      served = undefined
    },
    backUp(): string {
      const to = copyName('backup')
      succeeds('backup', '--data', service.data, '--to', to)
      return to
    },
    /** Stops it, and starts it on the restored backup: refunds wait until `resume`. */
    async restore(from: string) {
      await service.stop()
      service.data = copyName('service')
      succeeds('restore', '--from', from, '--data', service.data)
      await service.start()
    },
    async resume() {
      await service.stop()
      succeeds('resume', '--data', service.data)
      await service.start()
    },
    async verify() {
      await service.stop()
      expect(succeeds('verify', '--data', service.data)).toMatch(/with problems: 0\n$/)
    },
  }

  let running: ConnectorProcess | undefined
  const setting = () => ({ file: join(directory, 'connector.json'), config, data: connector.data, env })
  const connector = {
    data: copyName('connector'),
    async start(...options: string[]) {
      running = await startConnector(setting(), options)
      toConnector.target = running.port
    },
    async stop(signal?: NodeJS.Signals) {
      toConnector.target = undefined
      await running?.stop(signal)
    },
    kill: () => connector.stop('SIGKILL'),
    /** Runs a command to its end, beside the connector that runs. */
    command: (name: string, ...options: string[]) => runConnector(setting(), name, options),
    async succeeds(name: string, ...options: string[]): Promise<string> {
      const { status, output } = await connector.command(name, ...options)
      expect([name, status, output]).toEqual([name, 0, output])
      return output
    },
    /** Copies the database while it is written, as `sqlite3 connector.sqlite ".backup …"` does. */
    async backUp(): Promise<string> {
      const to = copyName('connector-backup')
      const source = new DatabaseSync(join(connector.data, 'connector.sqlite'))
      await backup(source, to)
      source.close()
      return to
    },
    /** Ends it, puts the copy in the place of its database, and starts it so that it holds what the copy may lack. */
    async restore(from: string, backupTime: number) {
      await connector.kill()
      for (const suffix of ['', '-wal', '-shm'])
        rmSync(join(connector.data, `connector.sqlite${suffix}`), { force: true })
      cpSync(from, join(connector.data, 'connector.sqlite'))
      await connector.start('--restored', new Date(backupTime).toISOString())
    },
    /** Makes up for webhooks that were lost. */
    reconcile() {
      const [from = '', to = ''] = [-DAY_MS, DAY_MS].map((time) => new Date(now() + time).toISOString())
      return connector.command('reconcile', '--from', from, '--to', to)
    },
    /** A metric without labels. */
    async metric(name: string): Promise<number> {
      const page = await (await fetch(`http://127.0.0.1:${toConnector.port}/metrics`)).text()
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1] ?? Number.NaN)
    },
  }
  const end = async () => {
    await connector.kill()
    await service.kill()
    toService.close()
    toConnector.close()
    await Promise.all(banks.all.map(({ fake }) => fake.close()))
  }
  onTestFinished(end)

  const deployment = {
    directory,
    config,
    banks,
    service,
    connector,
    now,
    /** Sets the hours by which service, connector and banks are ahead of the machine. */
    setClock(ahead: number) {
      if (!clock) throw new Error('this deployment has no clock of its own')
      hours = ahead
      clock.set(ahead)
    },
    siteConfig,
    bankOf(siteId: string): TestBank {
      const bank = banks.all.find(({ name }) => name === sites[siteId])
      if (!bank) throw new Error(`no site ${siteId}`)
      return bank
    },
    /** Ends everything before the test does. */
    end,
    merchant: (siteId: string) => merchantOf(() => served?.address ?? config.service, siteId),
  }
  await service.start()
  await connector.start()
  const checked = await connector.command('check', '--register')
  expect([checked.status, checked.output]).toEqual([0, expect.stringMatching(/all is well\n$/)])
  return deployment
}

const DAY_MS = 24 * 3_600_000

/** The production configuration lets no notification go to this machine: here is a workerd that is told otherwise. */
export function workerdThatNotifiesThisMachine(directory: string): string {
  const build = join(directory, 'build')
  cpSync(DISTRIBUTION, build, { recursive: true, dereference: true })
  const config = readFileSync(join(build, 'config.capnp'), 'utf8')
  const open = config.replace(
    /network = \(allow = \["public"\][^(]*\(trustBrowserCas = true\)\)/,
    'network = .anywhere',
  )
  if (open === config) throw new Error('the configuration has another network for notifications')
  writeFileSync(join(build, 'config.capnp'), open)
  const script = join(directory, 'workerd')
  writeFileSync(script, `#!/bin/sh\nshift 2\nexec '${workerdBinary()}' serve '${build}/config.capnp' "$@"\n`)
  chmodSync(script, 0o700)
  return script
}

export type Merchant = ReturnType<typeof merchantOf>

/** The merchant of a site. */
function merchantOf(address: () => string, siteId: string) {
  const site = siteAt(address, SECRET, siteId)
  const { ask } = site
  const read = async (path: string): Promise<unknown> => {
    const answer = await ask(path)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return JSON.parse(answer.text)
  }
  const merchant = {
    siteId,
    ask,
    /** Asks for a QR code of 100.00, unless said otherwise. */
    create: (qrCodeUid: string, more: object = {}, qrCode: object = {}) =>
      ask('/sbp/qrCodes', {
        body: {
          qrCodeUid,
          qrCode: { type: 'DYNAMIC', ttl: 60, ...qrCode },
          amount: { value: 100 },
          ...more,
        },
      }),
    /** The same, which must succeed. */
    async make(
      qrCodeUid: string,
      ...more: object[]
    ): Promise<{ qrcId: string; payload: string; pageUrl: string }> {
      const answer = await merchant.create(qrCodeUid, ...more)
      if (answer.status !== 200) throw new Error(`${siteId}: ${answer.status} ${answer.text}`)
      const { qrCode, pageUrl } = QrCodeAnswer.parse(JSON.parse(answer.text))
      const { payload } = qrCode
      return { qrcId: new URL(payload).pathname.split('/').at(-1) ?? '', payload, pageUrl }
    },
    async qrCode(qrCodeUid: string): Promise<QrCodeAnswer> {
      return QrCodeAnswer.parse(await read(`/sbp/qrCodes/${qrCodeUid}`))
    },
    status: async (qrCodeUid: string) => (await merchant.qrCode(qrCodeUid)).qrCode.status,
    /** Resolves when the QR code has the status. */
    has: (qrCodeUid: string, status: string) =>
      vi.waitFor(
        async () =>
          expect([siteId, qrCodeUid, await merchant.status(qrCodeUid)]).toEqual([siteId, qrCodeUid, status]),
        WAITING,
      ),
    /** What the operator reports by hand. */
    async report(path: string, value: number): Promise<void> {
      const body = { status: 'COMPLETED', amount: { value } }
      const { status, text: answer } = await ask(`/network/v1/sites/${siteId}${path}`, {
        method: 'PUT',
        body,
      })
      expect([siteId, path, status, answer]).toEqual([siteId, path, 200, answer])
    },
    refund: (paymentUid: string, refundUid: string, value: number) =>
      site.refund(paymentUid, refundUid, value),
    /** Resolves when the refund has the status. */
    hasRefund: (paymentUid: string, refundUid: string, status = 'COMPLETED') =>
      vi.waitFor(async () => {
        const { text: refund } = await ask(`/payments/${paymentUid}/refunds/${refundUid}`)
        expect([siteId, refundUid, refund]).toEqual([
          siteId,
          refundUid,
          expect.stringContaining(`"${status}"`),
        ])
      }, WAITING),
    cancel: (qrCodeUid: string) => ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' }),
    /** What the feed says of each payment by its uid: what the merchant's own database would have. */
    async feed(): Promise<Map<string, Money>> {
      const payments = new Map<string, Money>()
      const refunds = new Set<string>()
      const paymentOf = (uid: string): Money => {
        const known = payments.get(uid) ?? { paid: 0, refunded: 0 }
        payments.set(uid, known)
        return known
      }
      for (let after = ''; ; ) {
        const { events, nextCursor } = FeedAnswer.parse(await read(`/events?limit=1000${after}`))
        if (events.length === 0) return payments
        after = `&after=${nextCursor}`
        for (const { type, payment, refund } of events) {
          // A payment that is applied later is told twice.
          if (type === 'payment.completed' && payment)
            paymentOf(payment.paymentUid).paid = kopecks(payment.amount)
          const key = refund && `${refund.paymentUid}/${refund.refundUid}`
          if (type !== 'refund.completed' || !refund || !key || refunds.has(key)) continue
          refunds.add(key)
          paymentOf(refund.paymentUid).refunded += kopecks(refund.amount)
        }
      }
    },
    /** What the service says of a payment. */
    async payment(paymentUid: string): Promise<Money> {
      const { text: payment } = await ask(`/payments/${paymentUid}`)
      const amountIn = (field: string) =>
        new RegExp(`"${field}":\\{"value":"([^"]*)"`).exec(payment)?.[1] ?? '0'
      return {
        paid: kopecks({ value: amountIn('amount') }),
        refunded: kopecks({ value: amountIn('refundedAmount') }),
      }
    },
    errorCodeOf,
  }
  return merchant
}

const kopecks = ({ value }: { value: string }): number => Math.round(Number(value) * 100)

/**
 * The bank, the service and the merchant's feed agree on every payment of the site.
 * @param qrcIds its codes; by default, all of its bank
 */
export async function expectAgreement(
  deployment: BankDeployment,
  siteId: string,
  qrcIds?: readonly string[],
) {
  const merchant = deployment.merchant(siteId)
  const money = deployment.bankOf(siteId).money()
  const atBank = new Map(
    Array.from(money).filter(([qrcId, { paid }]) => paid > 0 && (qrcIds?.includes(qrcId) ?? true)),
  )
  expect([siteId, sorted(await merchant.feed())]).toEqual([siteId, sorted(atBank)])
  for (const [paymentUid, each] of atBank)
    expect([siteId, paymentUid, await merchant.payment(paymentUid)]).toEqual([siteId, paymentUid, each])
}

const sorted = (money: Map<string, Money>) => Array.from(money).toSorted(([a], [b]) => (a < b ? -1 : 1))
