// Random stories of merchants, payers, banks with faults and processes that are killed: the three sides agree in the end.
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { type BankDeployment, bankDeployment, WAITING, WITH_PAY } from '../support/bank-deployment.ts'
import { type AskedRefund, settled } from '../support/bank-settling.ts'
import { type Fault, REFUND_FAULTS } from '../support/banks/fake-bank.ts'
import { hasClock } from '../support/clock.ts'

/** How many stories, within this time. */
const RUNS = Number(process.env.RUNS ?? 3)
const LIMIT_MS = RUNS > 3 ? RUNS * 60_000 : 60_000
/** How often both processes are killed under load. */
const KILLS = Number(process.env.KILLS ?? 3)

const SITES = ['tea', 'cafe', 'farm', 'club'] as const
type SiteId = (typeof SITES)[number]

interface Code {
  siteId: SiteId
  uid: string
  /** Undefined while the merchant has no answer. */
  qrcId: string | undefined
  isPaid: boolean
}

class World {
  readonly deployment: BankDeployment
  readonly codes: Code[] = []
  /** Requested, and answered with success. */
  readonly refunds: AskedRefund[] = []
  hours = 0
  isConnectorUp = true
  #uids = 0

  constructor(deployment: BankDeployment) {
    this.deployment = deployment
  }

  /** An index of a random story becomes a code. */
  code(index: number): Code | undefined {
    return this.codes[index % this.codes.length]
  }

  newCode(siteId: SiteId): Code {
    const code: Code = { siteId, uid: `uid-${this.#uids++}`, qrcId: undefined, isPaid: false }
    this.codes.push(code)
    return code
  }

  async create(siteId: SiteId): Promise<Code> {
    const code = this.newCode(siteId)
    await this.ask(code)
    return code
  }

  /** The merchant sends its create, again where it had no success. */
  async ask(code: Code): Promise<void> {
    const { deployment } = this
    const made = await deployment
      .merchant(code.siteId)
      .make(code.uid, {}, { ttl: 1440 })
      .catch(() => undefined)
    if (made && code.qrcId !== undefined) expect(made.qrcId).toBe(code.qrcId)
    code.qrcId ??= made?.qrcId
  }

  /** A bank takes one payment of a link, none of one that it has cancelled. @param times how often its webhook comes */
  async pay(code: Code, times: number): Promise<void> {
    const { siteId, qrcId, isPaid } = code
    const bank = this.deployment.bankOf(siteId)
    if (qrcId === undefined || isPaid || bank.isCancelled(qrcId)) return
    code.isPaid = true
    await bank.pay(qrcId, { times })
  }

  async deliver({ siteId, qrcId, isPaid }: Code): Promise<void> {
    if (qrcId !== undefined && isPaid) await this.deployment.bankOf(siteId).deliver(qrcId)
  }

  /** @returns whether it was accepted */
  async refund({ siteId, qrcId }: Code, value: number, fault?: Fault): Promise<boolean> {
    if (qrcId === undefined) return false
    const { fake, operations } = this.deployment.bankOf(siteId)
    if (fault) fake.fail(operations.refund, fault)
    return this.askRefund({ siteId, paymentUid: qrcId, refundUid: `refund-${this.#uids++}` }, value)
  }

  /** The same again is a replay. */
  async askRefund(refund: AskedRefund, value: number): Promise<boolean> {
    const { siteId, paymentUid, refundUid } = refund
    const merchant = this.deployment.merchant(siteId)
    const answer = await merchant.refund(paymentUid, refundUid, value).catch(() => undefined)
    if (answer?.status !== 200) return false
    if (!this.refunds.some((each) => each.refundUid === refundUid)) this.refunds.push(refund)
    return true
  }

  async cancel({ siteId, uid }: Code): Promise<void> {
    await this.deployment
      .merchant(siteId)
      .cancel(uid)
      .catch(() => {})
  }

  async restartConnector(): Promise<void> {
    await this.deployment.connector.kill()
    await this.deployment.connector.start()
    this.isConnectorUp = true
  }

  async restartService(): Promise<void> {
    await this.deployment.service.kill()
    await this.deployment.service.start()
  }

  /** A merchant's whole purchase, which crashes may end. */
  async purchase(siteId: SiteId): Promise<void> {
    const code = this.newCode(siteId)
    await this.tried(async () => {
      await this.ask(code)
      return code.qrcId !== undefined
    })
    await this.pay(code, 1)
    const refund = { siteId, paymentUid: code.qrcId ?? '', refundUid: `refund-of-${code.uid}` }
    await this.tried(() => this.askRefund(refund, 10))
  }

  /** Clients try again for some seconds: a process may be down, the payment not reported yet, or its webhook lost. */
  async tried(isDone: () => Promise<boolean>): Promise<void> {
    for (let attempt = 0; attempt < 40 && !(await isDone()); attempt++) await sleep(50)
  }
}

const REGISTER_FAULTS: Fault[] = [{ broken: 'after' }, { status: 502 }]

type Action = readonly [name: string, act: (world: World) => Promise<void>]
const onCode = (name: string, act: (world: World, code: Code) => Promise<void>) =>
  fc.nat(20).map(
    (index): Action => [
      `${name} ${index}`,
      async (world) => {
        const code = world.code(index)
        if (code) await act(world, code)
      },
    ],
  )
const site = fc.constantFrom(...SITES)
const only = (name: string, act: Action[1]) => fc.constant<Action>([name, act])

const often = (arbitrary: fc.Arbitrary<Action>) => ({ arbitrary, weight: 4 })

const action: fc.Arbitrary<Action> = fc.oneof(
  site.map((siteId): Action => [`create ${siteId}`, async (world) => void (await world.create(siteId))]),
  fc.tuple(site, fc.constantFrom(...REGISTER_FAULTS)).map(
    ([siteId, fault]): Action => [
      `create ${siteId} ${JSON.stringify(fault)}`,
      async (world) => {
        const { fake, operations } = world.deployment.bankOf(siteId)
        fake.fail(operations.register, fault)
        await world.create(siteId)
      },
    ],
  ),
  onCode('create again', (world, code) => world.ask(code)),
  ...[0, 1, 2].map((times) => onCode(`webhooks ${times}, pay`, (world, code) => world.pay(code, times))),
  onCode('deliver', (world, code) => world.deliver(code)),
  onCode('refund 10', async (world, code) => void (await world.refund(code, 10))),
  often(site.map((siteId): Action => [`purchase ${siteId}`, (world) => world.purchase(siteId)])),
  fc.tuple(fc.nat(20), fc.constantFrom(...REFUND_FAULTS)).map(
    ([index, fault]): Action => [
      `refund 25 ${index} ${JSON.stringify(fault)}`,
      async (world) => {
        const paid = world.codes.filter(({ isPaid }) => isPaid)
        const code = paid[index % paid.length]
        if (code) await world.refund(code, 25, fault)
      },
    ],
  ),
  fc.nat(20).map(
    (index): Action => [
      `refund again ${index}`,
      async (world) => {
        const refund = world.refunds[index % world.refunds.length]
        if (refund) await world.askRefund(refund, 10)
      },
    ],
  ),
  onCode('cancel', (world, code) => world.cancel(code)),
  only('the banks fail', async ({ deployment }) => {
    for (const { fake } of deployment.banks.all) fake.fail('*', { status: 503 }, 2)
  }),
  only('kill the connector', (world) => world.restartConnector()),
  only('kill the service', (world) => world.restartService()),
  only('kill both', async (world) => {
    await world.deployment.connector.kill()
    await world.restartService()
    await world.restartConnector()
  }),
  only('the connector is down', async (world) => {
    await world.deployment.connector.kill()
    world.isConnectorUp = false
  }),
  only('the connector is up', async (world) => {
    if (!world.isConnectorUp) await world.restartConnector()
  }),
  fc.tuple(site, fc.boolean()).map(
    ([siteId, isConnector]): Action => [
      `kill ${isConnector ? 'the connector' : 'the service'} during purchases ${siteId}`,
      async (world) => {
        const purchases = [world.purchase(siteId), world.purchase('tea'), world.purchase('farm')]
        await purchases[0]
        await (isConnector ? world.restartConnector() : world.restartService())
        await Promise.all(purchases)
      },
    ],
  ),
  fc.integer({ min: 1, max: 30 }).map(
    (minutes): Action => [
      `${minutes} minutes`,
      async (world) => {
        world.hours += minutes / 60
        world.deployment.setClock(world.hours)
      },
    ],
  ),
)

it.runIf(hasClock)(
  `in ${RUNS} random stories the sums of bank, service and feed agree, and nothing is paid or refunded twice`,
  { timeout: LIMIT_MS + 240_000 },
  async () => {
    const until = performance.now() + LIMIT_MS
    const total = { stories: 0, codes: 0, paid: 0, refunds: 0, held: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 12, maxLength: 24, size: 'max' }), async (actions) => {
        // One story at least, however slow the machine is.
        if (total.stories > 0 && performance.now() > until) return
        const world = new World(await bankDeployment({ ...WITH_PAY, hasClock: true }))
        // Something that is refunded, and something that is open.
        for (const siteId of SITES) {
          const code = await world.create(siteId)
          await world.pay(code, 1)
          await world.deployment.merchant(siteId).has(code.uid, 'PAYED')
          // Executed, and its answer lost: two of the four banks leave it to the operator.
          await world.refund(code, 25, { broken: 'after' })
          const { fake, operations } = world.deployment.bankOf(siteId)
          await vi.waitFor(() => expect(fake.callsOf(operations.refund)).not.toEqual([]), WAITING)
          await world.create(siteId)
        }
        for (const [, act] of actions) await act(world)
        total.held += await settled(world.deployment, world.hours, world.refunds)
        total.stories++
        total.codes += world.codes.length
        total.paid += world.codes.filter(({ isPaid }) => isPaid).length
        total.refunds += world.refunds.length
        await world.deployment.end()
      }),
      // A story takes too long to be repeated for a shorter one.
      {
        numRuns: RUNS,
        endOnFailure: true,
      },
    )
    console.log(JSON.stringify(total))
    expect(total.held).toBeGreaterThanOrEqual(2 * total.stories)
  },
)

it.runIf(hasClock)(
  `${KILLS} times kill -9 of both processes under load: what was answered stays, and the sums agree`,
  { timeout: 180_000 + KILLS * 60_000 },
  async () => {
    const world = new World(await bankDeployment({ ...WITH_PAY, hasClock: true }))
    let isEnding = false
    const shopper = async (siteId: SiteId) => {
      while (!isEnding) await world.purchase(siteId)
    }
    const shoppers = [...SITES, ...SITES].map(shopper)
    const paid = () => world.codes.filter(({ isPaid }) => isPaid).length
    for (let kill = 0; kill < KILLS; kill++) {
      const enough = paid() + 10
      while (paid() < enough) await sleep(10)
      await Promise.all([world.deployment.service.kill(), world.deployment.connector.kill()])
      await world.deployment.service.start()
      await world.deployment.connector.start()
    }
    isEnding = true
    await Promise.all(shoppers)
    // What the merchants have not been answered, they ask again.
    for (const code of world.codes) await world.ask(code)
    const held = await settled(world.deployment, 0, world.refunds)
    console.log(`${KILLS} kills, ${paid()} payments, ${world.refunds.length} refunds, ${held} of them held`)
  },
)
