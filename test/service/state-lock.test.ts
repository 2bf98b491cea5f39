// One service per state directory, whatever ends how.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type NpmStart, npmStarts, pids, READY } from '../support/npm-start.ts'

const { directory, start } = npmStarts()

function lastWorkerd(): number {
  const [, ...workerds] = pids(directory())
  const last = workerds.at(-1)
  if (last === undefined) throw new Error('no workerd was started')
  return last
}

async function isRefused(second: NpmStart, ...users: number[]): Promise<void> {
  expect(await second.ended).toBe(1)
  expect(second.output()).toBe(
    `${directory()} is in use by another npm start, process ${users.join(', ')}: stop it first\n`,
  )
}

it('a second start is refused while the first one serves, on another port too', async () => {
  await (await start()).writes(READY)
  await isRefused(await start(), ...pids(directory()))
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
  await isRefused(await start(), workerd)
  await isRefused(await start(), workerd)

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
  await isRefused(await start(), replacement)
  process.kill(replacement, 'SIGKILL')
})

it('another directory has a lock of its own', async () => {
  await (await start()).writes(READY)
  await (await start('--persist-to', join(directory(), 'another'))).writes(READY)
})
