// For any order of documents, faults of the register, callbacks, restarts, lost disks and restores no register has two of one document.
import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Misbehaviour, moodOf } from '../support/banks/misbehaviour.ts'
import { randomOf } from '../support/random.ts'
import { DAY, HOUR, MINUTE } from './harness.ts'
import { databaseOf, named, runningSteps, type Step, type Story } from './story-steps.ts'
import {
  type At,
  instruct,
  type ReceiptData,
  receiptData,
  startWithRegister,
  told,
  withRegister,
} from './with-register.ts'

const RUNS = Number(process.env.RUNS ?? 30)

/** A sale or a refund that is to have a document: the attempts of it, of which the last one counts. */
type Wanted = [ReceiptData, ...ReceiptData[]]

interface World extends Story {
  at: At
  wanted: Wanted[]
}

const lastOf = (attempts: Wanted): ReceiptData => attempts.at(-1) ?? attempts[0]
const pick = ({ wanted }: World, index: number): Wanted | undefined => wanted[index % wanted.length]

/** The service sends an instruction until it is taken; here later, by its repeat. */
async function ask({ at, wanted }: World, kind: string): Promise<void> {
  const data = receiptData(at, { kind, ...(kind === 'refund' && { refundUid: 'r' }) })
  wanted.push([data])
  await instruct(at, data)
}

/** The merchant has another attempt made, where the failure says that it may. */
async function retry(world: World, index: number): Promise<void> {
  const { at } = world
  const attempts = pick(world, index)
  if (!attempts) return
  const last = lastOf(attempts)
  const result = told(at, last)
  if (result?.state !== 'FAILED' || result.canRetry !== true) return
  const next = receiptData(at, { ...last, receiptUid: `${attempts[0].receiptUid}${attempts.length}` })
  attempts.push(next)
  await instruct(at, next)
}

async function repeatAll({ at, wanted }: World): Promise<void> {
  for (const attempts of wanted) await instruct(at, lastOf(attempts))
}

async function forge({ at }: World, data: ReceiptData): Promise<void> {
  const document = at.atol.documents.get(data.receiptUid)
  if (!document) return
  await at.atol.callBack({ ...at.atol.reportOf({ ...document, doneAt: 0 }), external_id: data.receiptUid })
}

const indexed = (name: string, act: (world: World, index: number) => Promise<unknown>) =>
  fc.nat(20).map((index): Step<World> => [`${name} ${index}`, (world) => act(world, index)])

const action: fc.Arbitrary<Step<World>> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom('sale', 'refund', 'closing')
      .map((kind): Step<World> => [kind, (world) => ask(world, kind)]),
  },
  { weight: 3, arbitrary: indexed('retry', retry) },
  named<World>('repeat all', repeatAll),
  {
    weight: 3,
    arbitrary: fc.nat(1_000).map(
      (seed): Step<World> => [
        `mood ${seed}`,
        async ({ at }) => {
          const random = randomOf(seed)
          at.atol.misbehaviour = new Misbehaviour(random)
          at.atol.misbehaviour.mood = moodOf(random)
        },
      ],
    ),
  },
  fc.constantFrom(0, 10_000, 5 * MINUTE, DAY).map(
    (ms): Step<World> => [
      `wait ${ms}`,
      async ({ at }) => {
        at.atol.waitMs = () => ms
      },
    ],
  ),
  fc.constantFrom(undefined, 'system', 'agent', 'unknown').map(
    (type): Step<World> => [
      `fail ${type}`,
      async ({ at }) => {
        at.atol.fails = () => (type === undefined ? undefined : { text: 'it fails', type })
      },
    ],
  ),
  fc.boolean().map(
    (isOn): Step<World> => [
      `refuse ${isOn}`,
      async ({ at }) => {
        at.atol.refuses = () => (isOn ? { text: 'it is refused' } : undefined)
      },
    ],
  ),
  fc.constantFrom(0, 0, 0, 1).map(
    (kopecks): Step<World> => [
      `other sum ${kopecks}`,
      async ({ at }) => {
        at.atol.otherSum = () => kopecks
      },
    ],
  ),
  named<World>('tokens end', async ({ at }) => at.atol.endTokens()),
  indexed('callback', async (world, index) => {
    const attempts = pick(world, index)
    if (attempts) await world.at.atol.notify(lastOf(attempts).receiptUid, 1 + (index % 2))
  }),
  indexed('forged callback', async (world, index) => {
    const attempts = pick(world, index)
    if (attempts) await forge(world, lastOf(attempts))
  }),
  fc
    .constantFrom(500, 401, 409)
    .map((status): Step<World> => [`service ${status}`, async ({ at }) => at.service.failures.push(status)]),
  { weight: 13, arbitrary: runningSteps<World>(startWithRegister) },
)

it(`in ${RUNS} random stories each document is registered once, or its failure or hold is named`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 15, maxLength: 50 }), async (actions) => {
      const at = await withRegister()
      const world: World = { at, running: await startWithRegister(at), wanted: [], backup: undefined }
      for (const [, act] of actions) await act(world)
      at.atol.misbehaviour = undefined
      at.service.failures.length = 0
      for (let step = 0; step < 10; step++) {
        // The outbox of the service repeats what was not taken.
        if (step % 3 === 0) await repeatAll(world)
        at.clock.now += 8 * HOUR
        await world.running.connector.settle(4)
      }
      expect(at.atol.violations).toEqual([])
      for (const attempts of world.wanted) {
        const registered = at.atol
          .registered()
          .filter(({ key }) => attempts.some(({ receiptUid }) => receiptUid === key))
        expect(registered.length).toBeLessThanOrEqual(1)
        const result = told(at, lastOf(attempts))
        const sum = registered[0]?.total
        if (result?.state === 'REGISTERED') expect(sum).toBe(105_112)
        else if (result?.state === 'FAILED') expect(registered).toEqual([])
        else expect(result).toMatchObject({ state: 'SENT', isHeld: true })
      }
      expect(world.running.core.disk.reports.notAccepted()).toEqual([])
      expect(existsSync(databaseOf(world))).toBe(true)
      await world.running.stop()
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: false },
  )
}, 200_000)
