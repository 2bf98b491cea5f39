// One service per state directory, whatever ends how.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { LOCK } from '../../bin/data/data-directory.ts'
import { dataOf, type NpmStart, npmStarts, READY, workerdOf } from '../support/npm-start.ts'

const { directory, start } = npmStarts()

async function isRefused(second: NpmStart, state: string, user: number): Promise<void> {
  expect(await second.ended).toBe(1)
  expect(second.output()).toBe(`${dataOf(state)} is in use by process ${user}: stop it first\n`)
}

describe('while a start serves', () => {
  const shared = npmStarts('describe')
  let first: NpmStart
  beforeAll(async () => {
    first = await shared.start()
    await first.writes(READY)
  })

  it('a second one is refused, on the same port and on another', async () => {
    const workerd = workerdOf(shared.directory())
    await isRefused(await shared.start(), shared.directory(), workerd)
    await isRefused(await shared.start('--port', `${first.port}`), shared.directory(), workerd)
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
  const workerd = workerdOf(directory())
  first.process.kill('SIGKILL')
  // Its output is workerd's too, so it does not close.
  await once(first.process, 'exit')
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
  const crashed = workerdOf(directory())
  process.kill(crashed, 'SIGKILL')
  while (!(await fetch(`http://127.0.0.1:${first.port}/healthz`).catch(() => undefined))?.ok) await sleep(20)
  const replacement = workerdOf(directory())
  expect(replacement).not.toBe(crashed)
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  await isRefused(await start(), directory(), replacement)
  process.kill(replacement, 'SIGKILL')
  await first.ended
})

describe('deploy/lock', () => {
  const log = () => join(directory(), 'log')
  /** A process that waits for a lock of flock(2) has a row with an arrow. */
  const isAwaited = () =>
    new RegExp(`-> FLOCK .*:${statSync(join(directory(), 'lock')).ino} `).test(
      readFileSync('/proc/locks', 'utf8'),
    )

  /** A directory that is all of PATH: it has the commands that the script needs, and these. */
  function path(...others: string[]): string {
    const bin = join(directory(), others.join() || 'none')
    mkdirSync(bin)
    for (const tool of ['sh', 'mkdir', 'cat', ...others]) {
      const [found = ''] = spawnSync('which', [tool]).stdout.toString().split('\n')
      symlinkSync(found, join(bin, tool))
    }
    return bin
  }
  const lock = (PATH: string, ...command: string[]) => {
    const { status, stdout, stderr } = spawnSync(LOCK, [directory(), ...command], {
      env: { ...process.env, PATH },
    })
    return { status, output: `${stdout}${stderr}` }
  }

  it.each([
    ['flock', 'flock'],
    ['flock', 'perl'],
    ['perl', 'flock'],
    ['perl', 'perl'],
  ])('the lock of %s is one for %s too, and ends with its process', async (first, second) => {
    const [one, other] = [path(first), path(second, 'true')]
    const holder = spawn(LOCK, [directory(), 'sh', '-c', 'echo && exec cat'], {
      env: { ...process.env, PATH: one },
    })
    await once(holder.stdout, 'data')
    const refused = `${directory()} is in use by process ${holder.pid}: stop it first\n`
    expect(lock(other, 'true')).toEqual({ status: 75, output: refused })
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    expect(lock(other, 'true')).toEqual({ status: 0, output: '' })
  })

  it.each(['flock', 'perl'])(
    'with --wait and %s a command runs when the one before has ended',
    async (tool) => {
      const env = { ...process.env, PATH: path(tool) }
      const holder = spawn(LOCK, [directory(), 'sh', '-c', 'echo && read end && echo first >>"$0"', log()], {
        env,
      })
      await once(holder.stdout, 'data')
      const waiting = spawn(LOCK, ['--wait', directory(), 'sh', '-c', 'echo second >>"$0"', log()], { env })
      while (!isAwaited()) await sleep(20)
      holder.stdin.write('end\n')
      const [status] = await once(waiting, 'exit')
      expect([status, readFileSync(log(), 'utf8')]).toEqual([0, 'first\nsecond\n'])
    },
  )

  it('runs nothing where it cannot lock', () => {
    const { status, output } = lock(path(), 'sh', '-c', 'echo it runs')
    expect(status).toBe(127)
    expect(output).toMatch(/perl: (command )?not found/)
    expect(output).not.toContain('it runs')
  })
})
