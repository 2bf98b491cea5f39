// The steps that all random stories of documents have: time that passes, restarts, lost disks, backups and restores.
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { DAY, HOUR, MINUTE, type Running } from './harness.ts'

/** A running connector, and what is around it. */
export interface Story {
  at: { directory: string; clock: { now: number } }
  running: Running
  backup: { file: string; time: number } | undefined
}

/** A step of a story, and its name. */
export type Step<S> = [name: string, act: (story: S) => Promise<unknown>]

export const named = <S>(name: string, act: Step<S>[1]): fc.Arbitrary<Step<S>> => fc.constant([name, act])

export const databaseOf = ({ at }: Story): string => join(at.directory, 'connector.sqlite')

/** @param start starts the connector of a story again */
export function runningSteps<S extends Story>(
  start: (at: S['at'], options: { restoredFrom?: number }) => Promise<Running>,
): fc.Arbitrary<Step<S>> {
  async function restart(story: S, change: () => void = () => {}, restoredFrom?: number): Promise<void> {
    await story.running.stop()
    change()
    story.running = await start(story.at, restoredFrom === undefined ? {} : { restoredFrom })
  }

  async function backUp(story: S): Promise<void> {
    const file = `${databaseOf(story)}.backup`
    await restart(story, () => copyFileSync(databaseOf(story), file))
    story.backup = { file, time: story.at.clock.now }
  }

  async function restore(story: S): Promise<void> {
    const { backup } = story
    if (!backup) return
    const putBack = () => {
      for (const end of ['-wal', '-shm']) rmSync(databaseOf(story) + end, { force: true })
      copyFileSync(backup.file, databaseOf(story))
    }
    await restart(story, putBack, backup.time)
  }

  return fc.oneof(
    { weight: 4, arbitrary: named<S>('turn', ({ running }) => running.connector.settle(2)) },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom(5_000, MINUTE, 10 * MINUTE, HOUR, DAY)
        .map((ms): Step<S> => [`${ms / 1000} s`, ({ running }) => running.later(ms, 1, 2)]),
    },
    named<S>('restart', (story) => restart(story)),
    named<S>('new disk', (story) => restart(story, () => rmSync(databaseOf(story)))),
    named<S>('backup', backUp),
    { weight: 2, arbitrary: named<S>('restore', restore) },
  )
}
