// Random histories of people over HTTP, with kills and restores: nobody acts without the right of that moment, and no site loses its owners.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { succeeds } from '../support/command.ts'
import { PeopleHistory } from '../support/people-history.ts'
import { freePort } from '../support/ports.ts'
import { randomOf } from '../support/random.ts'
import { SECRET } from '../support/secret.ts'
import { EXTERNAL, type Served, started, temporaryDirectory } from '../support/serve.ts'

/** How many histories; those of a batch share one service, its kills and its restores. */
const HISTORIES = Number(process.env.HISTORIES ?? 8)
const SEED = Number(process.env.SEED ?? 1)
const BATCH = Number(process.env.BATCH ?? 24)
/** The steps of each history between two faults. */
const STEPS = 9

const FAULTS = ['backup', 'kill', 'restore', 'kill', 'backup', 'kill', 'restore', 'kill'] as const

/** A service whose address stays: a passkey belongs to the host, and a form to the origin. */
async function service() {
  const directory = temporaryDirectory()
  const ports = [await freePort(), await freePort()] as const
  const origin = `http://localhost:${ports[0]}`
  let data = join(directory, 'data')
  let backup = ''
  let copies = 0
  let served: Served
  const start = async () => {
    served = await started(data, { ports, settings: { ...EXTERNAL, PUBLIC_URL: origin } })
  }
  await start()
  return {
    origin,
    kill: () => served.kill(),
    stop: () => served.stop(),
    start,
    backUp() {
      backup = join(directory, `backup-${copies++}`)
      succeeds('backup', '--data', data, '--to', backup)
    },
    async restore() {
      await served.stop()
      const restored = join(directory, `data-${copies++}`)
      succeeds('restore', '--from', backup, '--data', restored, '--before', data)
      data = restored
      succeeds('resume', '--data', data)
      await start()
    },
    verify: () => succeeds('verify', '--data', data),
  }
}

it('in random histories nobody acts without the right of that moment, and a site that had an owner with a passkey has one', {
  timeout: 240_000 + HISTORIES * 30_000,
}, async () => {
  for (let first = SEED; first < SEED + HISTORIES; first += BATCH) {
    const seeds = Array.from({ length: Math.min(BATCH, SEED + HISTORIES - first) }, (_, i) => first + i)
    const { origin, ...real } = await service()
    const histories = seeds.map((seed) => new PeopleHistory(origin, SECRET, seed))
    const all = (work: (history: PeopleHistory) => Promise<void>) => Promise.all(histories.map(work))
    await all((history) => history.open())
    const random = randomOf(first)
    for (const fault of FAULTS) {
      if (fault === 'kill') {
        // In the midst of a step of each.
        let left = random.below(seeds.length * STEPS)
        let killed: Promise<void> | undefined
        await all((history) =>
          history.steps(STEPS, () => {
            if (left-- === 0) killed = real.kill()
          }),
        )
        await (killed ?? real.kill())
        await real.start()
      } else {
        await all((history) => history.steps(STEPS, () => {}))
        await all((history) => history.verify())
        if (fault === 'backup') {
          for (const history of histories) history.backUp()
          real.backUp()
        } else {
          await real.restore()
          await all((history) => history.restored())
        }
      }
      await all((history) => history.verify())
    }
    await real.stop()
    expect(real.verify()).toMatch(/with problems: 0\n$/)
    const problems = histories.flatMap((history) => history.problems)
    const counts: Record<string, number> = {}
    for (const history of histories)
      for (const [name, count] of Object.entries(history.counts)) counts[name] = (counts[name] ?? 0) + count
    const run = `SEED=${first} HISTORIES=${seeds.length} BATCH=${BATCH}`
    console.log(`${run}: ${problems.length} problems; ${JSON.stringify(counts)}`)
    expect(problems.slice(0, 5).join('\n\n'), run).toBe('')
    // A run that meets no fault proves nothing.
    const met = ['act', 'sale', 'refund', 'settings'].some((name) => counts[`${name} refused`])
    expect([met, Boolean(counts['join done'] && counts['signIn done'] && counts.race)]).toEqual([true, true])
  }
})
