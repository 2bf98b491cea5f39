// Random histories of a service, its operator, its machine and its connector: no money is lost, or moved twice.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { hasClock, shiftedClock } from '../support/clock.ts'
import { succeeds } from '../support/command.ts'
import { exampleConnector, forwarder } from '../support/connector.ts'
import { SECRET } from '../support/secret.ts'
import {
  EXTERNAL,
  removeAlarms,
  type Served,
  started,
  temporaryDirectory,
  workerdOf,
} from '../support/serve.ts'
import { errorCodeOf, linkIdIn, siteAt } from '../support/site-at.ts'

/** How many histories: 50 by hand. */
const RUNS = Number(process.env.RUNS ?? 2)
/** Waiting longer for an instruction is a failure: a connector that failed is probed after a minute at most, and a second probe can follow. */
const TIMEOUT_MS = 240_000
/** The bank's time for each refund: long enough that a loss comes in between. */
const NETWORK_MS = '1000'

/** Each payment is refunded in full, under one of two uids. */
const REFUND_UIDS = ['r-1', 'r-2'] as const
type RefundUid = (typeof REFUND_UIDS)[number]
const AMOUNT = 5
/** A refund, and what identifies its instruction. */
const keyOf = (uid: string, refundUid: string) => JSON.stringify(['refund.create', 'demo', uid, refundUid])
const refundOf = (key: string): [uid: string, refundUid: string] => {
  const [, , uid, refundUid] = z.array(z.string()).parse(JSON.parse(key))
  return [uid ?? '', refundUid ?? '']
}

/** What the service must have, whatever happened. Refunds are their keys. */
interface Model {
  /** The refunds that it has accepted, and has not lost by a restore. */
  refunds: Set<string>
  /** All refunds that were requested, answered or not. */
  requested: Set<string>
  /** `refunds` at the time of the backup. */
  backup: ReadonlySet<string> | undefined
  isRestored: boolean
  /** The payments of which a refund was lost, and the service was resumed before it was reported again. */
  unsafe: Set<string>
}

/** A service, its connector, and the payment network, which knows its payments whatever the service forgets. */
async function deployment() {
  const directory = temporaryDirectory()
  const clock = shiftedClock(directory)
  // All of them have the same clock: the commands of the operator too.
  for (const [name, value] of Object.entries(clock.settings)) vi.stubEnv(name, value)
  const [toService, toConnector] = [await forwarder(), await forwarder()]
  const connector = exampleConnector({
    serviceUrl: `http://127.0.0.1:${toService.port}`,
    secret: EXTERNAL.NETWORK_SECRET,
    token: await mintToken(SECRET, { siteId: 'demo', scope: 'network', days: 2 }),
  })
  const settings = { ...EXTERNAL, NETWORK_URL: `http://127.0.0.1:${toConnector.port}/` }
  const site = siteAt(() => `http://127.0.0.1:${toService.port}`, SECRET, 'demo')
  /** The network's payments by their link ids, and those whose report the service has not acknowledged. */
  const payments = new Map<string, string>()
  const unreported = new Set<string>()
  let copies = 0
  let next = 0
  let served: Served | undefined

  const real = {
    site,
    clock,
    payments,
    data: join(directory, 'data'),
    backup: '',
    executions: connector.executions,
    async start() {
      served = await started(real.data, { settings })
      toService.target = Number(new URL(served.address).port)
      await real.report()
    },
    async stop() {
      await served?.stop()
      served = undefined
    },
    /** Ends the service, and does something before it starts again. */
    async restart(work = () => {}) {
      await real.stop()
      work()
      await real.start()
    },
    async kill() {
      await served?.kill()
      await real.start()
    },
    /** Ends workerd alone. */
    killRuntime: () => process.kill(workerdOf(real.data), 'SIGKILL'),
    ready: () => served?.ready(),
    /** How often workerd was started. */
    starts: () => served?.output().split('"listening"').length ?? 0,
    async startConnector() {
      toConnector.target ??= await connector.start({ NETWORK_MS })
    },
    async killConnector() {
      toConnector.target = undefined
      await connector.kill()
    },
    /** What the operator has the connector do before the resume: it reports everything again, to the last result. */
    async reportInstructionsAgain() {
      await real.killConnector()
      toConnector.target = await connector.start({ NETWORK_MS, REPORT_AGAIN: '1' })
      await vi.waitFor(() => expect(connector.unreported.at(-1)).toBe(0), {
        timeout: TIMEOUT_MS,
        interval: 50,
      })
    },
    /** The network reports a payment until that is acknowledged. */
    async report() {
      for (const uid of unreported) {
        const body = { amount: { value: AMOUNT } }
        expect((await site.report(payments.get(uid) ?? '', uid, body)).status).toBe(200)
        unreported.delete(uid)
      }
    },
    reportAgain() {
      for (const uid of payments.keys()) unreported.add(uid)
    },
    /** A payer pays a new QR code; the payment's uid. */
    async pay(): Promise<string> {
      const uid = `p-${next++}`
      const created = await site.create(uid)
      expect(created.status).toBe(200)
      payments.set(uid, linkIdIn(created))
      unreported.add(uid)
      await real.report()
      return uid
    },
    copy: (name: string) => join(directory, `${name}-${copies++}`),
    async dispose() {
      await served?.kill()
      await connector.dispose()
      toService.close()
      toConnector.close()
    },
  }
  onTestFinished(real.dispose)
  await real.start()
  return real
}
type Real = Awaited<ReturnType<typeof deployment>>

/** How often each command ran. */
const ran = new Map<string, number>()

abstract class Command implements fc.AsyncCommand<Model, Real> {
  check(_: Readonly<Model>): boolean {
    return true
  }
  abstract act(model: Model, real: Real): Promise<void>
  run(model: Model, real: Real): Promise<void> {
    const { name } = this.constructor
    ran.set(name, (ran.get(name) ?? 0) + 1)
    return this.act(model, real)
  }
  toString(): string {
    return this.constructor.name
  }
}

/** A merchant asks for the refund of a payment. */
async function refund(model: Model, real: Real, uid: string, refundUid: RefundUid): Promise<void> {
  const key = keyOf(uid, refundUid)
  const others = REFUND_UIDS.filter((each) => each !== refundUid && model.requested.has(keyOf(uid, each)))
  model.requested.add(key)
  const isTaken = model.refunds.has(key)
  const answer = await real.site.refund(uid, refundUid, AMOUNT)
  if (isTaken) expect([answer.status, answer.text]).toEqual([200, answer.text])
  if (answer.status === 200) {
    // Before the resume a refund is there by the backup, or by a report of what the connector has.
    if (model.isRestored && !isTaken) expect(real.executions()).toContain(key)
    model.refunds.add(key)
  } else if (answer.status === 409) {
    expect([errorCodeOf(answer), model.isRestored]).toEqual(['site.restored', true])
  } else {
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('nothing is left')])
    // The other one explains it.
    const found = others.map((each) => real.site.ask(`/payments/${uid}/refunds/${each}`))
    expect((await Promise.all(found)).map(({ status }) => status)).toEqual([200])
  }
}

/** The payments of which the service may have lost a refund by the restore. */
const lostIn = ({ requested, refunds }: Model): string[] =>
  [...requested].filter((key) => !refunds.has(key)).map((key) => refundOf(key)[0])

/** Payments, each with a refund. */
class Work extends Command {
  readonly count: number
  constructor(count: number) {
    super()
    this.count = count
  }
  async act(model: Model, real: Real) {
    for (let n = 0; n < this.count; n++) await refund(model, real, await real.pay(), 'r-1')
  }
  override toString = () => `Work(${this.count})`
}

/** The runtime is killed while clients work: of what it did not answer, nothing is known. */
class WorkAndKill extends Command {
  readonly milliseconds: number
  constructor(milliseconds: number) {
    super()
    this.milliseconds = milliseconds
  }
  async act(model: Model, real: Real) {
    let isAlive = true
    const client = async () => {
      while (isAlive) {
        try {
          await refund(model, real, await real.pay(), 'r-1')
        } catch (error) {
          if (isAlive) throw error
        }
      }
    }
    const clients = [client(), client(), client()]
    await sleep(this.milliseconds)
    isAlive = false
    real.killRuntime()
    await Promise.all(clients)
    await real.ready()
    await real.report()
  }
  override toString = () => `WorkAndKill(${this.milliseconds})`
}

/** The merchant asks again for all refunds that it may have lost, or for the same money under another uid. */
class AskAgain extends Command {
  readonly refundUid: RefundUid
  constructor(refundUid: RefundUid) {
    super()
    this.refundUid = refundUid
  }
  async act(model: Model, real: Real) {
    for (const uid of [...real.payments.keys()].slice(-3)) await refund(model, real, uid, this.refundUid)
  }
  override toString = () => `AskAgain(${this.refundUid})`
}

/** The connector has taken everything. */
class Taken extends Command {
  act = (model: Model, real: Real) =>
    vi.waitFor(() => expect(real.executions()).toEqual(expect.arrayContaining([...model.refunds])), {
      timeout: TIMEOUT_MS,
      interval: 20,
    })
}

class Backup extends Command {
  async act(model: Model, real: Real) {
    real.backup = real.copy('backup')
    succeeds('backup', '--data', real.data, '--to', real.backup)
    model.backup = new Set(model.refunds)
  }
}

class Restore extends Command {
  override check = ({ backup }: Model) => backup !== undefined
  async act(model: Model, real: Real) {
    await real.restart(() => {
      real.data = real.copy('data')
      succeeds('restore', '--from', real.backup, '--data', real.data, '--audit-of-backup')
      // What the operator does before the resume: the network tells of its payments.
      real.reportAgain()
    })
    model.refunds = new Set(model.backup)
    model.isRestored = true
  }
}

/** The connector reports everything again, to the last result; then refunds go on. */
async function resume(model: Model, real: Real): Promise<void> {
  await real.reportInstructionsAgain()
  await real.restart(() => succeeds('resume', '--data', real.data))
  for (const key of real.executions()) model.refunds.add(key)
  model.isRestored = false
}

class Resume extends Command {
  override check = ({ isRestored }: Model) => isRestored
  act = (model: Model, real: Real) => resume(model, real)
}

/** The operator does not wait for the connector. */
class ResumeTooEarly extends Command {
  override check = ({ isRestored }: Model) => isRestored
  async act(model: Model, real: Real) {
    await real.restart(() => succeeds('resume', '--data', real.data))
    for (const uid of lostIn(model)) model.unsafe.add(uid)
    model.isRestored = false
  }
}

/** The clock is set; a step back ends the runtime, which the supervisor starts again. */
class SetClock extends Command {
  readonly hours: number
  constructor(hours: number) {
    super()
    this.hours = hours
  }
  async act(_: Model, real: Real) {
    const before = real.starts()
    if (real.clock.set(this.hours) < 0) while (real.starts() === before) await sleep(20)
    // The supervisor compares once a second, on a slow machine later.
    else await sleep(5000)
    await real.ready()
  }
  override toString = () => `SetClock(${this.hours})`
}

class Kill extends Command {
  act = (_: Model, real: Real) => real.kill()
}

class LoseAlarms extends Command {
  act = (_: Model, real: Real) => real.restart(() => removeAlarms(real.data))
}

class ConnectorUp extends Command {
  act = (_: Model, real: Real) => real.startConnector()
}

class ConnectorDown extends Command {
  act = (_: Model, real: Real) => real.killConnector()
}

/** The clock is right again, the connector is up, the operator has resumed: everything is as it was promised. */
class Settle extends Command {
  async act(model: Model, real: Real) {
    if (model.isRestored) await resume(model, real)
    await real.startConnector()
    await real.stop()
    // Ten minutes on, so that no delay is waited for; a clock that was wrong was so by hours.
    real.clock.set(1 / 6)
    await real.start()

    // Nobody calls the site meanwhile.
    const missing = () => {
      const executed = new Set(real.executions())
      return [...model.refunds].filter((key) => !executed.has(key))
    }
    const end = Date.now() + TIMEOUT_MS
    while (missing().length > 0 && Date.now() < end) await sleep(50)
    expect(missing(), 'accepted, but not sent').toEqual([])
    const statusOf = async (path: string) =>
      /"status":\{"value":"(\w+)"/.exec((await real.site.ask(path)).text)?.[1]
    for (const [uid, refundUid] of [...model.refunds].map(refundOf)) {
      const path = `/payments/${uid}/refunds/${refundUid}`
      while ((await statusOf(path)) !== 'COMPLETED' && Date.now() < end) await sleep(50)
      expect([path, await statusOf(path)]).toEqual([path, 'COMPLETED'])
    }
    for (const uid of real.payments.keys())
      expect([uid, await statusOf(`/payments/${uid}`)]).toEqual([uid, 'COMPLETED'])
    const executions = real.executions()
    expect(executions.toSorted(), 'executed twice').toEqual([...new Set(executions)].toSorted())
    const refunded = Map.groupBy(executions, (key) => refundOf(key)[0])
    const tooMuch = [...refunded].filter(
      ([uid, { length }]) => length * AMOUNT > AMOUNT && !model.unsafe.has(uid),
    )
    expect(tooMuch, 'refunded twice').toEqual([])
    await real.stop()
    expect(succeeds('verify', '--data', real.data)).toBe('sites: 1, with problems: 0\n')
  }
}

it.runIf(hasClock)(
  `in ${RUNS} random histories every accepted instruction is sent, none is executed twice, no payment is refunded twice, and none is lost`,
  { timeout: RUNS * 900_000 },
  async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    const commands = fc.commands(
      [
        fc.integer({ min: 1, max: 3 }).map((count) => new Work(count)),
        fc.integer({ min: 20, max: 200 }).map((milliseconds) => new WorkAndKill(milliseconds)),
        fc.constantFrom(...REFUND_UIDS).map((refundUid) => new AskAgain(refundUid)),
        fc.constant(new Backup()),
        fc.constant(new Restore()),
        fc.constant(new Resume()),
        fc.constant(new ResumeTooEarly()),
        fc.integer({ min: -12, max: 23 }).map((hours) => new SetClock(hours)),
        fc.constant(new Kill()),
        fc.constant(new LoseAlarms()),
        fc.constant(new ConnectorUp()),
        fc.constant(new ConnectorDown()),
      ],
      { size: 'max', maxCommands: 10 },
    )
    const total = { payments: 0, executions: 0 }
    await fc.assert(
      fc.asyncProperty(commands, async (history) => {
        const model: Model = {
          ...{ refunds: new Set(), requested: new Set(), unsafe: new Set() },
          ...{ backup: undefined, isRestored: false },
        }
        const real = await deployment()
        // The loss comes while the bank works on refunds that the backup does not have.
        const loss = [
          new ConnectorUp(),
          new Work(2),
          new Backup(),
          new Work(3),
          new Taken(),
          new ConnectorDown(),
        ]
        const opening = [...loss, new Restore(), new Resume(), new AskAgain('r-2'), new Backup(), new Work(1)]
        await fc.asyncModelRun(() => ({ model, real }), [...opening, ...history, new Settle()])
        total.payments += real.payments.size
        total.executions += real.executions().length
        await real.dispose()
      }),
      // A history takes too long to be repeated for a shorter one.
      { numRuns: RUNS, endOnFailure: true },
    )
    console.log(`${RUNS} histories`, JSON.stringify({ ...total, ...Object.fromEntries(ran) }))
  },
)
