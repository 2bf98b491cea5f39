// One service per state directory, whatever ends how.
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { type NpmStart, npmStarts, pids, READY } from '../support/npm-start.ts'

const { directory, start } = npmStarts()

function lastWorkerd(): number {
  const [, ...workerds] = pids(directory())
  const last = workerds.at(-1)
  if (last === undefined) throw new Error('no workerd was started')
  return last
}

async function isRefused(second: NpmStart, state: string, ...users: number[]): Promise<void> {
  expect(await second.ended).toBe(1)
  expect(second.output()).toBe(
    `${state} is in use by another npm start, process ${users.join(', ')}: stop it first\n`,
  )
}

describe('while a start serves', () => {
  const shared = npmStarts('describe')
  beforeAll(async () => {
    await (await shared.start()).writes(READY)
  })

  it('a second one is refused, on another port too', async () => {
    const users = pids(shared.directory())
    await isRefused(await shared.start(), shared.directory(), ...users)
  })

  it('another directory has a lock of its own', async () => {
    await (await start()).writes(READY)
  })
})

it('of two simultaneous starts, one serves', async () => {
  const both = await Promise.all([start(), start()])
  const outcomes = await Promise.all(
    both.map((one) =>
      one.writes(READY).then(
        () => 'serves',
        () => one.ended,
      ),
    ),
  )
  expect(outcomes.map(String).sort()).toEqual(['1', 'serves'])
})

it('a start is refused while the workerd of a killed start lives, and allowed when it is killed', async () => {
  const first = await start()
  await first.writes(READY)
  const workerd = lastWorkerd()
  first.process.kill('SIGKILL')
  // Its output is workerd's too, so it does not close.
  await new Promise((resolve) => first.process.once('exit', resolve))
  const answer = await fetch(`http://127.0.0.1:${first.port}/healthz`)
  expect(answer.status, 'the orphan serves').toBe(200)
  await isRefused(await start(), directory(), workerd)
  await isRefused(await start(), directory(), workerd)

  process.kill(workerd, 'SIGKILL')
  await first.ended
  await (await start()).writes(READY)
})

it('a workerd that replaces one that crashed has the lock too', async () => {
  const first = await start()
  await first.writes(READY)
  process.kill(lastWorkerd(), 'SIGKILL')
  await first.writes('is being restarted')
  while (!(await fetch(`http://127.0.0.1:${first.port}/healthz`).catch(() => undefined))?.ok) await sleep(20)
  first.process.kill('SIGKILL')
  await new Promise((resolve) => first.process.once('exit', resolve))
  const replacement = lastWorkerd()
  await isRefused(await start(), directory(), replacement)
  process.kill(replacement, 'SIGKILL')
})
