// Random histories of bound accounts at banks that misbehave, with crashes and restores: no account is charged twice.
import { expect, it } from 'vitest'
import { worldDeployment } from '../support/bank-world.ts'
import { BindingBatch, type Event } from '../support/binding-batch.ts'
import { BindingHistory } from '../support/binding-history.ts'
import { hasClock } from '../support/clock.ts'
import { randomOf } from '../support/random.ts'
import { raiffeisenBank, tbankBank } from '../support/test-banks.ts'
import { tochkaPayBank } from '../support/tochka-pay-bank.ts'

/** How many histories; those of a batch share one service and one connector, their clock and their crashes. */
const HISTORIES = Number(process.env.HISTORIES ?? 12)
const SEED = Number(process.env.SEED ?? 1)
const BATCH = Number(process.env.BATCH ?? 24)

/** Each of them happens in each batch, in an order of its seed. */
const ONE_SIDE: Event[] = [
  ...(['kill the service', 'kill both', 'answer late'] as const),
  ...(['restore the connector', 'restore the service', 'lose the disk of the connector'] as const),
]
const BOTH_SIDES: Event[] = ['restore both', 'lose both disks']

it.runIf(hasClock).each([
  [
    'no account is charged twice or after the end of its token, and each charge and refund is reported',
    false,
  ],
  [
    'though both disks are restored or lost, no account is charged twice while the bank answers questions, and what is known is true',
    true,
  ],
])('in random histories %s', { timeout: 480_000 + HISTORIES * 30_000 }, async (_, canForget) => {
  for (let first = SEED; first < SEED + HISTORIES; first += BATCH) {
    const seeds = Array.from({ length: Math.min(BATCH, SEED + HISTORIES - first) }, (_, i) => first + i)
    const batch = await bindingBatch(seeds, canForget)
    const events = canForget ? BOTH_SIDES : shuffled(ONE_SIDE, randomOf(first).below)
    // Accounts are bound and charged before.
    for (const opening of [0, 1]) await batch.round(opening, 'kill the connector')
    await batch.goOn()
    for (const event of events) await batch.round(2, event)
    await batch.rest()
    const failures = await batch.failures()
    const counts = batch.counts()
    const run = `SEED=${first} HISTORIES=${seeds.length} BATCH=${BATCH}`
    console.log(`${run}: ${failures.length} failures; ${JSON.stringify(counts)}`)
    await batch.deployment.end()
    expect(failures.join('\n\n'), run).toBe('')
    // A run that meets no fault proves nothing.
    expect([...events, 'troubles', 'made'].filter((name) => !counts[name])).toEqual([])
  }
})

function shuffled<T>(values: readonly T[], below: (end: number) => number): T[] {
  const rest = [...values]
  return values.flatMap(() => rest.splice(below(rest.length), 1))
}

/** By turns. */
const KINDS = [tbankBank, raiffeisenBank, tochkaPayBank] as const

/** Each history has a site and a bank of its own. */
async function bindingBatch(seeds: readonly number[], canForget: boolean): Promise<BindingBatch> {
  const deployment = await worldDeployment(
    seeds.map((seed) => [`${seed}`, KINDS[seed % KINDS.length] ?? tbankBank] as const),
  )
  const histories = seeds.map(
    (seed) => new BindingHistory(deployment, { siteId: `site${seed}`, seed, canForget }),
  )
  return new BindingBatch(deployment, histories, seeds[0] ?? 0)
}
