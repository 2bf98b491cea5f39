// The table of the queues in docs/connector.md says what the code does.
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { Disk } from '../../connector/disk/disk.ts'
import { migrate } from '../../connector/disk/schema.ts'
import { WEBHOOK_STATES } from '../../connector/inbox/rows.ts'
import { BINDING_STATES } from '../../connector/links/bindings/rows.ts'
import { CODE_STATES } from '../../connector/links/codes/rows.ts'
import { SALE_STATES } from '../../connector/links/sales/rows.ts'
import { CHARGE_STATES } from '../../connector/money/charge/rows.ts'
import { REFUND_STATES } from '../../connector/money/refund/rows.ts'
import { REPORT_STATES } from '../../connector/outbox/rows.ts'
import { intervalAt, retryDelay } from '../../connector/work/schedule.ts'

const MINUTE = 60_000

/** The cells of the rows that begin with a name in code, or with the text. */
const rowsOf = (first: RegExp): string[][] =>
  readFileSync('docs/connector.md', 'utf8')
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([cell = '']) => first.test(cell))

const queues = () => {
  const database = new DatabaseSync(':memory:')
  migrate(database)
  return new Disk(database).queues
}

const STATES: Record<string, readonly string[]> = {
  refunds: REFUND_STATES,
  charges: CHARGE_STATES,
  codes: CODE_STATES,
  sales: SALE_STATES,
  bindings: BINDING_STATES,
  cancellations: [],
  webhooks: WEBHOOK_STATES,
  reports: REPORT_STATES,
}

/** The file that sets when a row of the queue is due again. */
const STEPS: Record<string, string> = {
  refunds: 'money/refund/runner.ts',
  charges: 'money/charge/runner.ts',
  codes: 'work/schedule.ts',
  sales: 'work/schedule.ts',
  bindings: 'links/bindings/bindings.ts',
  cancellations: 'links/cancellations/cancellations.ts',
  webhooks: 'inbox/runner.ts',
  reports: 'outbox/reporter.ts',
}

it('has each queue with its lane, its states and its delays', () => {
  const documented = rowsOf(/^`\w+`$/)
    .filter(({ length }) => length === 7)
    .map(([name = '', lane, , delays, states = '']) => [name.slice(1, -1), lane, delays, states])
  const delaysOf = (table: string) =>
    /\bretryDelay\(/.test(
      readFileSync(`connector/${STEPS[table]}`, 'utf8').replace('function retryDelay(', ''),
    )
      ? 'by attempts'
      : 'by age'
  const inCode = queues().map(({ table, lane }) => [table, lane, delaysOf(table), STATES[table]?.join(', ')])
  expect(documented.toSorted()).toEqual(inCode.toSorted())
})

it('names the queues in which what was never tried goes first', () => {
  const text = readFileSync('docs/connector.md', 'utf8')
  const named = /^Of (.*) the rows that were never tried go first/m.exec(text)?.[1] ?? ''
  const first = queues().filter(({ isNewFirst }) => isNewFirst)
  expect(Array.from(named.matchAll(/`(\w+)`/g), ([, name]) => name).toSorted()).toEqual(
    first.map(({ table }) => table).toSorted(),
  )
})

it('has the delays', () => {
  const ages = Array.from({ length: 1_440 }, (_, minute) => intervalAt(minute * MINUTE) / MINUTE)
  const [first = 0, second = 0, last = 0] = new Set(ages)
  const byAge = `${first} min in the first ${ages.indexOf(second)} min, ${second} min in the first ${ages.indexOf(last)} min, then ${last} min`
  const attempts = Array.from({ length: 20 }, (_, failures) => retryDelay(failures) / 1_000)
  const longest = attempts.at(-1)
  const byAttempts = [
    ...attempts.slice(0, attempts.indexOf(Number(longest))).map((s) => `${s} s`),
    `then ${longest} s`,
  ]
  expect(rowsOf(/^by /)).toEqual([
    ['by age', byAge],
    ['by attempts', byAttempts.join(', ')],
  ])
})
