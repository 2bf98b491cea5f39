// The bench: a part that fails is named, and the figures of the others are kept; what a part needs is asked for first.
import { describe, expect, it } from 'vitest'
import type { Part, Report, Setting } from '../../bench/figures.ts'
import { lastLine, missingFor, type NamedPart, runParts } from '../../bench/run-parts.ts'

const SETTING: Setting = {
  ...{ directory: '', ours: '', against: undefined, rounds: 1, seconds: 1, gigabytes: 1 },
  size: (full) => full,
}
const of = (report: Partial<Report>): NamedPart => {
  const part: Part = async () => ({ tables: [], figures: {}, faults: [], ...report })
  return { load: async () => part }
}
const throwing = (at: 'load' | 'run'): NamedPart => ({
  load: async () => {
    if (at === 'load') throw new Error('it cannot be loaded')
    return async () => {
      throw new Error('the disk is gone')
    }
  },
})

describe('a run of the bench', () => {
  it.each([
    ['throws', throwing('run'), 'second: the disk is gone'],
    ['cannot be loaded', throwing('load'), 'second: it cannot be loaded'],
    [
      'has faults',
      of({ figures: { notify_ms: 7 }, faults: ['503', '500'] }),
      'second: 2 errors, the first of them: 503',
    ],
  ])(
    'names a part that %s, leaves its figures out, and goes on with the others',
    async (_, second, fault) => {
      const printed: string[] = []
      const parts = {
        first: of({ tables: ['a table'], figures: { startup_ms: 123.456 } }),
        second,
        third: of({ figures: { restart_ms: 8 } }),
      }
      const run = await runParts(
        parts,
        () => SETTING,
        (line) => printed.push(line),
      )
      expect(printed[0]).toBe('a table')
      expect(run.faults).toEqual([fault])
      expect(JSON.parse(lastLine(run))).toEqual({ startup_ms: 123.5, restart_ms: 8, failed: [fault] })
    },
  )

  it('of which no part fails has its figures alone in the last line', async () => {
    const run = await runParts(
      { first: of({ figures: { startup_ms: 1 } }) },
      () => SETTING,
      () => {},
    )
    expect(lastLine(run)).toBe('{"startup_ms":1}')
  })

  it('names every program that a part needs and the machine does not have', () => {
    const parts = {
      here: { ...of({}), needs: [process.execPath] },
      away: { ...of({}), needs: ['/nowhere/haproxy', process.execPath, '/nowhere/other'] },
    }
    expect(missingFor(parts)).toEqual([
      'the part away needs /nowhere/haproxy',
      'the part away needs /nowhere/other',
    ])
  })
})
