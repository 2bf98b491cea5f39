// The production build, the connector and three fake banks, each a process or a server of its own, as an operator runs them.
import { chmodSync, cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { expect, onTestFinished, vi } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { workerdBinary } from '../../bin/serve/workerd-binary.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { SiteAnswer } from '../../src/contract/site.ts'
import { type ConnectorProcess, connectorCommands, runConnector, startConnector } from './bank-connector.ts'
import type { Call } from './client.ts'
import { shiftedClock } from './clock.ts'
import { succeeds } from './command.ts'
import { forwarder } from './connector.ts'
import { openBuild } from './open-build.ts'
import { freePort } from './ports.ts'
import { SECRET } from './secret.ts'
import { asOperator, EXTERNAL, type Served, started, temporaryDirectory, workerdOf } from './serve.ts'
import { errorCodeOf, siteAt } from './site-at.ts'
import { eventsOf } from './site-records.ts'
import { type Money, raiffeisenBank, type TestBank, tbankBank, tochkaBank } from './test-banks.ts'
import type { RegisterServer } from './test-registers.ts'
import { tochkaPayBank } from './tochka-pay-bank.ts'

/** What a test waits for: nothing takes this long, but the machine may be slow. */
export const WAITING = { timeout: 150_000, interval: 50 }
const MAX_RETRIES = 5

/** Which credentials each site uses; one site of each bank, unless said otherwise. */
export type Sites = Record<string, string>
export const ONE_EACH: Sites = { tea: 'tochka-main', cafe: 'tbank-cafe', farm: 'raif-farm' }

/** One site of each of four banks: an earlier connector does not know the fourth. */
export const WITH_PAY = {
  sites: { ...ONE_EACH, club: 'pay-club' },
  moreBanks: (now: () => number) => [tochkaPayBank('pay-club', now)],
} satisfies BankDeploymentOptions

export interface BankDeploymentOptions {
  sites?: Sites
  /** The banks that these use, besides the three. */
  moreBanks?: (now: () => number) => TestBank[]
  /** The cash registers of sites, by siteId. */
  registers?: (now: () => number) => Record<string, RegisterServer>
  /** Sites that have the cash register of their bank: its credentials are those of the bank. */
  withBankRegister?: readonly string[]
  /** Settings of the service, besides those of a connector that gives links. */
  settings?: Record<string, string>
  /** Whether service and connector have a clock that the test sets. */
  hasClock?: boolean
  /** Whether the connector has the socket of a unit, which stays while it is restarted. */
  hasSocketUnit?: boolean
  /** Fills what is empty before the first start: the directories of service and connector, and the three banks. */
  begin?: (at: { data: string; connector: string; banks: MainBanks }) => void
}

interface MainBanks {
  tochka: ReturnType<typeof tochkaBank>['fake']
  tbank: ReturnType<typeof tbankBank>['fake']
  raiffeisen: ReturnType<typeof raiffeisenBank>['fake']
}

export type BankDeployment = Awaited<ReturnType<typeof bankDeployment>>

/** Everything, running; it ends with the test. */
export async function bankDeployment({
  sites = ONE_EACH,
  moreBanks = () => [],
  registers: registersOf = () => ({}),
  withBankRegister = [],
  settings = {},
  hasClock = false,
  hasSocketUnit = false,
  begin,
}: BankDeploymentOptions = {}) {
  const directory = temporaryDirectory()
  const socketUnit = hasSocketUnit ? await freePort() : undefined
  const clock = hasClock ? shiftedClock(directory) : undefined
  // The commands of the operator have it too.
  for (const [name, value] of Object.entries(clock?.settings ?? {})) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  let hours = 0
  const now = () => Date.now() + hours * 3_600_000
  const main = {
    tochka: tochkaBank('tochka-main', now),
    tbank: tbankBank('tbank-cafe', now),
    raiffeisen: raiffeisenBank('raif-farm', now),
  }
  const all: TestBank[] = [...Object.values(main), ...moreBanks(now)]
  const registers = registersOf(now)
  const { tochka, tbank, raiffeisen } = main
  const banks = { tochka: tochka.fake, tbank: tbank.fake, raiffeisen: raiffeisen.fake, all }
  const [toService, toConnector] = [await forwarder(), await forwarder()]
  const config = {
    service: `http://127.0.0.1:${toService.port}`,
    publicUrl: `http://127.0.0.1:${toConnector.port}`,
    networkSecret: { env: 'NETWORK_SECRET' },
    banks: Object.fromEntries(
      await Promise.all(
        all.map(async (bank) => [bank.name, bank.credentials(await bank.fake.listen())] as const),
      ),
    ),
    // An earlier connector does not know the field.
    cashRegisters: Object.keys(registers).length > 0 ? await registersConfig(registers) : undefined,
    sites: Object.fromEntries(
      Object.entries(sites).map(([siteId, bank]) => [siteId, siteConfig(siteId, bank)]),
    ),
  }
  for (const siteId of withBankRegister) {
    const { name, kind } = bankNamed(sites[siteId])
    const { bank: _, ...credentials } = Object(config.banks[name])
    config.cashRegisters = { ...config.cashRegisters, [name]: { kind, ...credentials } }
  }
  function siteConfig(siteId: string, bank: string): object {
    const cashRegister = withBankRegister.includes(siteId) ? bank : registers[siteId]?.name
    const token = { env: `TOKEN_${siteId}` }
    return { token, bank, ...bankNamed(bank).account, ...(cashRegister !== undefined && { cashRegister }) }
  }
  function bankNamed(name: string | undefined): TestBank {
    const bank = all.find((each) => each.name === name)
    if (!bank) throw new Error(`no bank ${name}`)
    return bank
  }
  const tokens = Object.keys(sites).map(async (siteId) => [
    `TOKEN_${siteId}`,
    await mintToken(SECRET, { siteId, scope: 'network', days: 90 }),
  ])
  const env: Record<string, string> = {
    NETWORK_SECRET: EXTERNAL.NETWORK_SECRET,
    ...Object.assign({}, ...[...all, ...Object.values(registers)].map(({ secrets }) => secrets)),
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
    /** Undefined while it does not run. */
    get address(): string | undefined {
      return served?.address
    },
    /** What it has logged since its last start. */
    get log(): string {
      return served?.output() ?? ''
    },
    /** Its supervisor and its workerd. */
    get pids(): Record<'supervisor' | 'workerd', number | undefined> {
      return { supervisor: served?.process.pid, workerd: served && workerdOf(service.data) }
    },
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
      succeeds('restore', '--from', from, '--data', service.data, '--audit-of-backup')
      await service.start()
    },
    async resume() {
      await service.stop()
      succeeds('resume', '--data', service.data)
      await service.start()
    },
    /** How many instructions that are older than an hour the connector has not taken. */
    async untaken(): Promise<number> {
      if (!served) throw new Error('the service does not run')
      const token = await mintToken(SECRET, { siteId: '*', scope: 'operator', days: 30 })
      let untaken = 0
      for (const siteId of Object.keys(sites)) {
        const answer = await asOperator(served, `/sites/${siteId}`, { token })
        // Nothing was written to it yet.
        if (answer.status === 404) continue
        const { instructions } = SiteAnswer.parse(await answer.json())
        untaken += instructions.overdue.filter(({ taken }) => !taken).length
      }
      return untaken
    },
    async verify() {
      await service.stop()
      expect(succeeds('verify', '--data', service.data)).toMatch(/with problems: 0\n$/)
    },
  }

  let running: ConnectorProcess | undefined
  /** When it was started last: it reads all lists of the service then. */
  let learnsSince = 0
  const setting = () => ({
    file: join(directory, 'connector.json'),
    config,
    data: connector.data,
    env,
    socketUnit,
    checkout: connector.checkout,
  })
  const connector = {
    data: copyName('connector'),
    /** The checkout whose connector is started next; empty: this one. */
    checkout: '',
    /** Where the metrics are. */
    port: toConnector.port,
    /** Of the process that runs now. */
    get ownPort(): number {
      if (!running) throw new Error('the connector does not run')
      return running.port
    },
    async start(...options: string[]) {
      const startedAt = now()
      running = await startConnector(setting(), options)
      learnsSince = startedAt
      toConnector.target = running.port
    },
    async stop(signal?: NodeJS.Signals) {
      toConnector.target = undefined
      await running?.stop(signal)
    },
    /** Has its socket's unit restart it. Resolves when it listens again. */
    restart: async () => running?.restart(),
    kill: () => connector.stop('SIGKILL'),
    get pid(): number | undefined {
      return running?.pid
    },
    /** Whether it does not run. */
    get hasEnded(): boolean {
      return running?.hasEnded ?? true
    },
    /** Whether the service and the banks reach it. */
    set isReachable(is: boolean) {
      toConnector.target = is ? running?.port : undefined
    },
    /** Until it is started, what the service sends it waits for it. */
    holdConnections: () => toConnector.holdConnections(),
    /** A process for many commands, beside the connector that runs. */
    commands: () => connectorCommands(setting()),
    /** Something may be due: the connector looks. */
    kick() {
      const ask = () => fetch(`http://127.0.0.1:${toConnector.port}/webhooks/nobody`, { method: 'POST' })
      // A connection that was kept can be closed just then.
      return ask().catch(ask)
    },
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
    /** Makes up for webhooks that were lost. @param days how far back it looks */
    reconcile(days = 1) {
      const [from = '', to = ''] = [-days * DAY_MS, DAY_MS].map((time) =>
        new Date(now() + time).toISOString(),
      )
      return connector.command('reconcile', '--from', from, '--to', to)
    },
    /** How much of its work is due now, by its database: after a start also the lists of each site that it has not read. */
    due(): number {
      const times = { now: now(), since: learnsSince }
      const { due, learned } = connector.read(DUE, times)[0] ?? {}
      return Number(due) + Object.keys(config.sites).length - Number(learned)
    },
    /** Rows of its database. */
    read(query: string, values: Record<string, SQLInputValue> = {}) {
      const file = join(connector.data, 'connector.sqlite')
      const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
      try {
        return database.prepare(query).all(values)
      } finally {
        database.close()
      }
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
    await Promise.all([...banks.all, ...Object.values(registers)].map(({ fake }) => fake.close()))
  }
  onTestFinished(end)

  const deployment = {
    directory,
    config,
    /** What the configuration's secrets refer to. */
    env,
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
    bankOf: (siteId: string): TestBank => bankNamed(sites[siteId]),
    /** Calls the operator's endpoint of a site. */
    async operator(siteId: string, path: string, call: Call): Promise<void> {
      const token = await mintToken(SECRET, { siteId: '*', scope: 'operator', days: 30 })
      const address = served?.address ?? config.service
      const answer = await asOperator({ address }, `/sites/${siteId}${path}`, { ...call, token })
      expect([path, answer.status]).toEqual([path, 200])
      await answer.body?.cancel()
    },
    /** Ends everything before the test does. */
    end,
    merchant: (siteId: string) => merchantOf(() => served?.address ?? config.service, siteId),
  }
  begin?.({ data: service.data, connector: connector.data, banks })
  await service.start()
  await connector.start()
  const checked = await connector.command('check', '--register')
  // What it begins with may wait for the operator.
  if (!begin) expect([checked.status, checked.output]).toEqual([0, expect.stringMatching(/all is well\n$/)])
  return deployment
}

const registersConfig = async (
  registers: Record<string, RegisterServer>,
): Promise<Record<string, object> | undefined> =>
  Object.fromEntries(
    await Promise.all(
      Object.values(registers).map(
        async (register) => [register.name, register.credentials(await register.fake.listen())] as const,
      ),
    ),
  )

const DAY_MS = 24 * 3_600_000

/** Everything that a turn of the connector starts. A refund waits until those before it of its payment have ended. */
const DUE = `SELECT
  (SELECT count(*) FROM codes WHERE rests = 0 AND due_at <= :now) +
  (SELECT count(*) FROM sales WHERE rests = 0 AND due_at <= :now) +
  (SELECT count(*) FROM refunds WHERE state NOT IN ('COMPLETED', 'DECLINED') AND rests = 0 AND due_at <= :now
    AND NOT EXISTS (SELECT 1 FROM refunds AS before WHERE before.site = refunds.site
      AND before.payment_uid = refunds.payment_uid AND before.rowid < refunds.rowid
      AND before.state NOT IN ('COMPLETED', 'DECLINED'))) +
  (SELECT count(*) FROM charges WHERE state NOT IN ('COMPLETED', 'DECLINED') AND rests = 0 AND due_at <= :now) +
  (SELECT count(*) FROM bindings WHERE rests = 0 AND due_at <= :now) +
  (SELECT count(*) FROM receipts WHERE state NOT IN ('REGISTERED', 'FAILED', 'OVER') AND rests = 0 AND due_at <= :now) +
  (SELECT count(*) FROM webhooks WHERE state = 'NEW' AND rests = 0 AND due_at <= :now) +
  (SELECT count(*) FROM reports WHERE state = 'PENDING' AND due_at <= :now) AS due,
  (SELECT count(*) FROM meta WHERE name LIKE 'learnedAt:codes:%' AND CAST(value AS INTEGER) >= :since) AS learned`

/** The production configuration lets no notification go to this machine: here is a workerd that is told otherwise. */
export function workerdThatNotifiesThisMachine(directory: string, from?: string): string {
  const build = openBuild(directory, from)
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
    /** The same, which must succeed. 503 is repeated: on a slow machine the connector can take longer than the service's ten seconds. */
    async make(
      qrCodeUid: string,
      ...more: object[]
    ): Promise<{ qrcId: string; payload: string; pageUrl: string }> {
      let answer = await merchant.create(qrCodeUid, ...more)
      for (let retries = 0; retries < MAX_RETRIES && answer.status === 503; retries++)
        answer = await merchant.create(qrCodeUid, ...more)
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
    /** The feed, from its first event on. */
    events: () => eventsOf(ask),
    /** What the feed says of each payment by its uid: what the merchant's own database would have. */
    async feed(): Promise<Map<string, Money>> {
      const payments = new Map<string, Money>()
      const refunds = new Set<string>()
      const paymentOf = (uid: string): Money => {
        const known = payments.get(uid) ?? { paid: 0, refunded: 0 }
        payments.set(uid, known)
        return known
      }
      for await (const { type, payment, refund } of merchant.events()) {
        // A payment that is applied later is told twice.
        if (type === 'payment.completed' && payment)
          paymentOf(payment.paymentUid).paid = kopecks(payment.amount)
        const key = refund && `${refund.paymentUid}/${refund.refundUid}`
        if (type !== 'refund.completed' || !refund || !key || refunds.has(key)) continue
        refunds.add(key)
        paymentOf(refund.paymentUid).refunded += kopecks(refund.amount)
      }
      return payments
    },
    /** The refunds that the feed has a result of, or one of the results: `{paymentUid}/{refundUid}`. */
    async refundResults(
      of: readonly string[] = ['refund.completed', 'refund.declined'],
    ): Promise<Set<string>> {
      const results = new Set<string>()
      for await (const { type, refund } of merchant.events()) {
        if (refund && of.includes(type)) results.add(`${refund.paymentUid}/${refund.refundUid}`)
      }
      return results
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
