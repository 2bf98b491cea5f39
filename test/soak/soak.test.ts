// Hours of everything at once: merchants, payers, owners and operators, at banks, networks and machines that fail.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { table } from '../../bench/table.ts'
import { atRest } from '../support/bank-crashes.ts'
import type { BankDeployment } from '../support/bank-deployment.ts'
import { History } from '../support/bank-history.ts'
import { BankWorld, RETRY_HOURS, worldDeployment } from '../support/bank-world.ts'
import { BindingHistory } from '../support/binding-history.ts'
import { randomOf } from '../support/random.ts'
import { raiffeisenBank, tbankBank, tochkaBank } from '../support/test-banks.ts'
import { tochkaPayBank } from '../support/tochka-pay-bank.ts'
import { Answers } from './answers.ts'
import { codesLeft, codesLost, differences, notificationProblems } from './claims.ts'
import { Ends } from './ends.ts'
import { Faults } from './faults.ts'
import { LEAVER } from './leaver.ts'
import { OwnSites } from './own-sites.ts'
import { moodyReceiver, type Receiver } from './receiver.ts'
import { MAX_GROWTH, Resources } from './resources.ts'
import { tablesOf } from './tables.ts'
import { calmMsOf } from './turns.ts'
import { Visitors } from './visitors.ts'

const MINUTES = Number(process.env.MINUTES ?? 3)
const SITES = Number(process.env.SITES ?? 10)
const SEED = Number(process.env.SEED ?? 1)

const END_MS = MINUTES * 60_000
const CALM_MS = calmMsOf(END_MS)
/** How long one waits between two steps, at most. */
const PAUSE_MS = 800
const FAULT_EVERY_MS = 8_000
const SAMPLE_EVERY_MS = 5_000
/** When everything is looked at again after the end: two days, in hours. */
const REST = [0.2, 1.1, 1.2, 2.5, 7, 12, 25]
/** It deletes 100 codes at a time. */
const DELETING = { timeout: 300_000, interval: 1_000 }
/** So often what the service has not delivered is waited for after that. */
const MAX_TRIES = 5

/** A line of the service's log. */
const ALARM_FAILED = /^.*an alarm failed.*$/gm

/** Where the histories and the connector's database are kept of a run that found a problem. */
const EVIDENCE = 'dist/soak'
/** The fewest that there can be. */
const RETENTION_DAYS = 30
/** The longest life of a code that is created here, in days. */
const LONGEST_DAYS = 3

/** Each site has a bank of its own; one in five binds accounts. */
const KINDS = [tochkaBank, tbankBank, raiffeisenBank, tochkaPayBank] as const
const BINDING = [tbankBank, raiffeisenBank, tochkaPayBank] as const
const isBinding = (index: number): boolean => index % 5 === 4
const bankAt = (i: number) =>
  (isBinding(i) ? BINDING[((i - 4) / 5) % BINDING.length] : KINDS[i % KINDS.length]) ?? tochkaBank
const siteIds = Array.from({ length: SITES }, (_, i) => `site${i}`)

it(`in ${MINUTES} minutes of everything nothing acknowledged is lost, and no money moves twice`, {
  timeout: END_MS + 3_600_000,
}, async () => {
  const random = randomOf(SEED)
  const deployment = await worldDeployment(
    siteIds.map((_, i) => [`${i}`, bankAt(i)] as const),
    {
      sites: { [LEAVER]: 'tochka-main' },
      settings: { DELETION_DAYS: '7', TEST_SITES: 'on', RETENTION_DAYS: `${RETENTION_DAYS}` },
    },
  )
  const { service, connector } = deployment
  const receivers = await Promise.all(siteIds.map((siteId) => receiverOf(deployment, siteId)))
  const days = Math.ceil(MINUTES * 20)
  const shops = siteIds
    .filter((_, i) => !isBinding(i))
    .map((siteId, i) => new History(deployment, siteId, SEED + i, days))
  const clubs = siteIds
    .filter((_, i) => isBinding(i))
    .map((siteId, i) => new BindingHistory(deployment, { siteId, seed: SEED + i, canForget: false }))
  const world = new BankWorld(deployment, { shops, clubs })
  const faults = new Faults(deployment, receivers, random)
  const visitors = new Visitors(
    {
      address: () => service.address ?? '',
      ask: (siteId, ...call) => deployment.merchant(siteId).ask(...call),
      now: () => deployment.now(),
    },
    random,
  )
  const [answers, resources] = [new Answers(), new Resources()]
  const own = await OwnSites.start(deployment, SEED)
  onTestFinished(answers.watch(() => [service.address]))
  const ends = new Ends(service)

  const begun = Date.now()
  // Also of a run that ends before its time.
  onTestFinished(() => console.log(...tablesOf({ answers, faults, resources, begun, minutes: MINUTES })))
  const elapsed = () => Date.now() - begun
  const pause = () => sleep(random.below(PAUSE_MS))
  const untilTheEnd = async (work: () => Promise<unknown>, interval?: number) => {
    // A run that meets no fault proves nothing.
    while (elapsed() < END_MS || faults.turns.missing().length > 0) {
      await faults.up
      await work()
      await (interval === undefined ? pause() : sleep(interval))
    }
  }
  await Promise.all([
    ...shops.map((shop) => {
      const steps = stepsOf(shop)
      return untilTheEnd(async () => shop.act(steps()))
    }),
    ...clubs.map((club) => {
      let step = 0
      return untilTheEnd(async () => {
        const round = Math.floor(step / 5)
        if (step % 5 === 0) club.begin(round)
        await club.act(round, step++ % 5)
      })
    }),
    ...siteIds.map((siteId) => untilTheEnd(() => visitors.visit(siteId))),
    untilTheEnd(() => faults.happen(elapsed() > CALM_MS), FAULT_EVERY_MS),
    untilTheEnd(async () => {
      resources.sample({ ...service.pids, connector: connector.pid })
      ends.read()
    }, SAMPLE_EVERY_MS),
  ])

  // Everybody is well again, and time passes until nothing moves any more.
  await faults.up
  await own.end()
  for (const receiver of receivers) receiver.mood = 'well'
  await world.heal()
  for (const more of REST) await world.pass(more)
  await world.decideHeld()
  // The last of them is told.
  await world.pass(RETRY_HOURS)
  for (let tries = 0; tries < MAX_TRIES && (await service.untaken()) > 0; tries++)
    await world.pass(RETRY_HOURS)
  await atRest(deployment)

  // What is checked is the restored backup of it all.
  const copy = service.backUp()
  await service.restore(copy)
  await service.resume()

  const problems = [...answers.wrong, ...ends.unplanned(faults.workerdKills), ...(await own.problems())]
  for (const [i, siteId] of siteIds.entries()) {
    const merchant = deployment.merchant(siteId)
    const receiver = receivers[i]
    const shop = shops.find((each) => each.siteId === siteId)
    if (shop) problems.push(...(await codesLost(merchant, shop.acknowledged)))
    if (receiver) problems.push(...(await notificationProblems(merchant, receiver)))
  }
  const feeds = await Promise.all(shops.map(({ siteId }) => deployment.merchant(siteId).feed()))
  const outcomes = await world.outcomes()
  for (const { history, problems: each } of outcomes)
    problems.push(...each.map((problem) => `${history.siteId}: ${problem}`))
  // As they are now: what follows changes the database.
  if (problems.length > 0) {
    mkdirSync(EVIDENCE, { recursive: true })
    cpSync(await connector.backUp(), join(EVIDENCE, 'connector.sqlite'))
    for (const shop of shops) writeFileSync(join(EVIDENCE, `${shop.siteId}.txt`), `${shop}`)
  }

  // Weeks later what nobody paid is deleted, and nothing else.
  await world.pass((RETENTION_DAYS + LONGEST_DAYS + 1) * 24)
  for (const [i, { siteId, acknowledged, unpaid }] of shops.entries()) {
    const merchant = deployment.merchant(siteId)
    await expect.poll(() => codesLeft(merchant, unpaid), DELETING).toEqual([])
    const kept = acknowledged.filter((uid) => !unpaid.includes(uid))
    problems.push(...(await codesLost(merchant, kept)))
    const changed = differences(feeds[i] ?? new Map(), await merchant.feed())
    problems.push(...changed.map((each) => `${siteId}: weeks later another payment: ${each}`))
  }
  // Since the restore nothing has gone wrong that could excuse one.
  problems.push(...(service.log.match(ALARM_FAILED) ?? []))
  await service.verify()

  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0)
  console.log(
    table(
      `npm run soak -- --minutes ${MINUTES} --sites ${SITES} --seed ${SEED}`,
      ['', ''],
      [
        ['requests that were answered', `${answers.all.length}`],
        ['requests without an answer', `${answers.unanswered}`],
        ['QR codes acknowledged', `${sum(shops.map(({ acknowledged }) => acknowledged.length))}`],
        ['payments', `${sum(shops.map(({ bank }) => bank.ledger().length))}`],
        ['refunds', `${sum(shops.map(({ refunds }) => refunds.length))}`],
        ['charges by token', `${sum(clubs.map(({ counts }) => counts.made))}`],
        ['notifications taken', `${sum(receivers.map(({ taken }) => taken.length))}`],
        ['refunds and charges held, and decided in the end', `${world.settled}`],
        [
          'calls of banks that went wrong',
          `${sum(deployment.banks.all.map(({ fake }) => fake.troubles.length))}`,
        ],
        ['QR codes acknowledged with links of the service itself', `${own.acknowledged}`],
        ['QR codes that retention deleted', `${sum(shops.map(({ unpaid }) => unpaid.length))}`],
        ['payments that a bank had no way to tell of', `${sum(outcomes.map(({ untold }) => untold))}`],
        ['lost, twice or wrong', `${problems.length}`],
      ],
    ),
  )
  expect(problems.slice(0, 20).join('\n'), `${problems.length} problems, SEED=${SEED}`).toBe('')
  expect(resources.growing(MAX_GROWTH)).toEqual([])
})

/** The next step of a history, whose rounds each begin with the mood of its bank. */
function stepsOf(shop: History) {
  const steps = shop.rounds.flatMap((round) =>
    round.steps.map((step, i) => ({ step, begins: i === 0 && round })),
  )
  let next = 0
  return () => {
    const { step, begins } = steps[next++ % steps.length] ?? {}
    if (!step) throw new Error('a history has no steps')
    if (begins) shop.begin(begins)
    return step
  }
}

const Key = z.object({ key: z.string() })

/** The merchant's server of a site, with its key and its address in the site's settings. */
async function receiverOf(deployment: BankDeployment, siteId: string): Promise<Receiver> {
  const receiver = await moodyReceiver()
  onTestFinished(() => receiver.close())
  const { ask } = deployment.merchant(siteId)
  const made = await ask('/settings/notificationKeys', { method: 'POST' })
  receiver.key = Key.parse(JSON.parse(made.text)).key
  const set = await ask('/settings', { method: 'PATCH', body: { callbackUrl: receiver.url } })
  if (set.status !== 200) throw new Error(set.text)
  return receiver
}
