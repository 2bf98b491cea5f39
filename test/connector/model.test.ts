// For any order of payments, webhooks, refunds, faults and restarts, the sums of bank and service agree in the end.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Fault, REFUND_FAULTS } from '../support/banks/fake-bank.ts'
import { refundedOf } from '../support/banks/tochka-pay/records.ts'
import {
  deliver,
  FAKES,
  fakeOf,
  HOUR,
  MINUTE,
  ofRefund,
  pay,
  type Running,
  refund,
  register,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

const RUNS = Number(process.env.RUNS ?? 30)
const SITES = ['tea', 'cafe', 'farm', 'club'] as const
type Site = (typeof SITES)[number]

interface Link {
  site: Site
  qrcId: string
  reference: string
  expiresOn: string
  isPaid: boolean
  /** What was asked for, in kopecks. */
  asked: number
}

interface World {
  at: Surroundings
  running: Running
  links: Link[]
  refunds: Awaited<ReturnType<typeof refund>>[]
}

async function payLink({ at, links }: World, index: number, times: number): Promise<void> {
  const link = links[index % links.length]
  // A bank accepts no payment of a link that has ended.
  if (!link || link.isPaid || at.clock.now > Date.parse(link.expiresOn)) return
  link.isPaid = true
  await pay(at, link.site, link.qrcId, { times })
}

/** The webhook of an earlier payment, again and out of order. */
async function deliverAgain({ at, links }: World, index: number): Promise<void> {
  const { site, qrcId, isPaid } = links[index % links.length] ?? {}
  if (!site || !qrcId || !isPaid) return
  await deliver(at, site, qrcId)
}

/** As the service does: only for a payment that it knows, and never more than was paid. */
async function askRefund(
  { at, links, refunds }: World,
  index: number,
  kopecks: number,
  fault?: Fault,
): Promise<void> {
  const link = links[index % links.length]
  if (!link || at.service.site(link.site).payments.get(link.qrcId)?.status !== 'COMPLETED') return
  if (link.asked + kopecks > 10_000) return
  link.asked += kopecks
  if (fault) fakeOf(link.site).of(at).fail(fakeOf(link.site).refund, fault)
  refunds.push(await refund(at, link.site, link, (kopecks / 100).toFixed(2)))
}

type Action = (world: World) => Promise<void>
const index = fc.nat(20)
const action: fc.Arbitrary<[string, Action]> = fc.oneof(
  fc.constantFrom(...SITES).map((site): [string, Action] => [
    `register ${site}`,
    async ({ at, links }) => {
      links.push({ ...(await register(at, site)), site, isPaid: false, asked: 0 })
    },
  ]),
  fc
    .tuple(index, fc.nat(2))
    .map(([i, times]): [string, Action] => [`pay ${i} ×${times}`, (world) => payLink(world, i, times)]),
  index.map((i): [string, Action] => [`deliver ${i}`, (world) => deliverAgain(world, i)]),
  fc
    .tuple(
      index,
      fc.constantFrom(1_000, 2_500),
      fc.option(fc.constantFrom(...REFUND_FAULTS), { nil: undefined }),
    )
    .map(([i, kopecks, fault]): [string, Action] => [
      `refund ${i} ${kopecks} ${JSON.stringify(fault)}`,
      (world) => askRefund(world, i, kopecks, fault),
    ]),
  fc.constant<[string, Action]>([
    'repeat all',
    async ({ refunds }) => {
      for (const each of refunds) await each.again()
    },
  ]),
  fc.constantFrom(500, 404, 409).map((status): [string, Action] => [
    `service ${status}`,
    async ({ at }) => {
      at.service.failures.push(status)
    },
  ]),
  // A refund that was lost is then unknown to a bank that has made it.
  fc
    .boolean()
    .map((isBehind): [string, Action] => [
      isBehind ? 'the club’s bank lags behind' : 'the club’s bank catches up',
      async ({ at }) => lag(at, isBehind),
    ]),
  fc.constant<[string, Action]>(['turn', ({ running }) => running.connector.settle(2)]),
  fc
    .integer({ min: 1, max: 30 })
    .map((minutes): [string, Action] => [
      `${minutes} minutes`,
      ({ running }) => running.later(minutes * MINUTE, 1, 1),
    ]),
  fc.constant<[string, Action]>([
    'restart',
    async (world) => {
      await world.running.stop()
      world.running = await start(world.at)
    },
  ]),
)

/** Each story has a refund at the bank that says nothing of a repeat of our key. */
const opening = fc.record({
  fault: fc.constantFrom(undefined, ...REFUND_FAULTS),
  isBehind: fc.boolean(),
})

it(`in ${RUNS} random stories nothing is paid or refunded twice, and nothing paid stays unreported`, async () => {
  await fc.assert(
    fc.asyncProperty(opening, fc.array(action, { minLength: 10, maxLength: 30 }), async (first, actions) => {
      const at = await surroundings()
      const world: World = { at, running: await start(at), links: [], refunds: [] }
      for (const site of SITES)
        world.links.push({ ...(await register(at, site)), site, isPaid: false, asked: 0 })
      // The first ones are paid, so that there is something to refund.
      for (const i of SITES.keys()) await payLink(world, i, 1)
      await world.running.connector.settle(2)
      lag(at, first.isBehind)
      await askRefund(world, SITES.indexOf('club'), 1_000, first.fault)
      for (const [, act] of actions) await act(world)
      for (const { of } of FAKES) of(at).heal()
      at.service.failures.length = 0
      for (let hour = 0; hour < 4; hour++) {
        at.clock.now += HOUR
        await world.running.connector.settle(6)
        lag(at, false)
      }
      for (const { site, qrcId, isPaid } of world.links) {
        const payments = Array.from(at.service.site(site).payments).filter(([, each]) => each.qrcId === qrcId)
        expect(payments.map(([uid, { status }]) => [uid, status])).toEqual(
          isPaid ? [[qrcId, 'COMPLETED']] : [],
        )
      }
      const { disk } = world.running.core
      const held = disk.refunds.held()
      expect(disk.reports.notAccepted()).toEqual([])
      expect(disk.webhooks.waiting()).toEqual([])
      for (const { site, qrcId } of world.links) {
        const ours = world.refunds.filter((each) => each.paymentUid === qrcId)
        const completed = ours
          .filter((each) => ofRefund(at, each)?.status === 'COMPLETED')
          .map(({ amount }) => Number(amount.value) * 100)
        const sum = sumOf(completed)
        const doubtful = sumOf(held.filter((each) => each.paymentUid === qrcId).map(({ amount }) => amount))
        const refunded = refundedAt(at, site, qrcId)
        // What the bank has refunded is what was reported, and of the held one all or nothing.
        expect([sum, sum + doubtful]).toContain(refunded)
        const open = ours.filter((each) => ofRefund(at, each) === undefined)
        if (doubtful === 0) expect(open).toEqual([])
        if (site === 'farm') expect(doubtful).toBe(0)
      }
      await world.running.stop()
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: false },
  )
}, 200_000)

function lag({ tochkaPay: { lagging } }: Surroundings, isBehind: boolean): void {
  lagging.clear()
  if (isBehind) for (const operation of ['code_payments', 'refunds', 'refund_status']) lagging.add(operation)
}

const sumOf = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0)

function refundedAt(at: Surroundings, site: Site, qrcId: string): number {
  if (site === 'tea') return at.tochka.codes.get(qrcId)?.payments[0]?.refunded ?? 0
  if (site === 'cafe') return at.tbank.session(qrcId).refunded
  if (site === 'farm') return at.raiffeisen.codes.get(qrcId)?.refunded ?? 0
  return sumOf(at.tochkaPay.code(qrcId).payments.map(refundedOf))
}
