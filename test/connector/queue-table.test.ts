// The table of the queues in docs/connector.md says what the code does.
import { globSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { RECEIPT_STATES } from '../../connector/cash-registers/receipt-row.ts'
import { FRESH_MS, RETRY_MS as RECEIPT_RETRY_MS } from '../../connector/cash-registers/runner.ts'
import { Disk } from '../../connector/disk/disk.ts'
import { migrate } from '../../connector/disk/schema.ts'
import { WEBHOOK_STATES } from '../../connector/inbox/rows.ts'
import { ASKED_MS } from '../../connector/inbox/runner.ts'
import { BOUND_MS, LONG_MS, OFTEN_MS } from '../../connector/links/bindings/bindings.ts'
import { BINDING_STATES } from '../../connector/links/bindings/rows.ts'
import { CODE_STATES } from '../../connector/links/codes/rows.ts'
import { SALE_STATES } from '../../connector/links/sales/rows.ts'
import { CHARGE_STATES } from '../../connector/money/charge/rows.ts'
import { RETRY_MS as CHARGE_RETRY_MS } from '../../connector/money/charge/runner.ts'
import { REFUND_STATES } from '../../connector/money/refund/rows.ts'
import { RETRY_MS as REFUND_RETRY_MS } from '../../connector/money/refund/runner.ts'
import { MAX_RETRY_AFTER_MS } from '../../connector/outbox/reporter.ts'
import { REPORT_STATES } from '../../connector/outbox/rows.ts'
import { intervalAt, retryDelay } from '../../connector/work/schedule.ts'

const MINUTE = 60_000
const DAY_MS = 24 * 60 * MINUTE

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

const DATABASE = new DatabaseSync(':memory:')
migrate(DATABASE)
const queues = () => new Disk(DATABASE).queues
const sourceOf = (file: string) => readFileSync(`connector/${file}`, 'utf8')

const STATES: Record<string, readonly string[]> = {
  refunds: REFUND_STATES,
  charges: CHARGE_STATES,
  codes: CODE_STATES,
  sales: SALE_STATES,
  bindings: BINDING_STATES,
  cancellations: [],
  receipts: RECEIPT_STATES,
  webhooks: WEBHOOK_STATES,
  reports: REPORT_STATES,
}

const BY_AGE = /\b(intervalAt|nextAsk)\(/
const BY_ATTEMPTS = /\bretryDelay\(/
const seconds = (ms: number) => `${ms / 1_000} s`
const hours = (ms: number) => `${ms / 60 / MINUTE} h`

/** When a row is due again, and the file that says so with that call. */
const DELAYS: Record<string, [file: string, RegExp, cell: string]> = {
  refunds: [
    'money/refund/runner.ts',
    BY_AGE,
    `QUEUED: ${seconds(REFUND_RETRY_MS)}; then by age since it was sent`,
  ],
  charges: [
    'money/charge/runner.ts',
    BY_AGE,
    `QUEUED: ${seconds(CHARGE_RETRY_MS)}, and at its end; then by age since it was sent`,
  ],
  codes: [
    'links/asker.ts',
    BY_AGE,
    'by age until 1 min after its end, then hourly, or by age since its end while a payment is in progress; a bank that is down: after its pause',
  ],
  sales: ['links/asker.ts', BY_AGE, 'as a code'],
  bindings: [
    'links/bindings/bindings.ts',
    BY_AGE,
    `by age until its code has ended; then hourly for ${OFTEN_MS / DAY_MS} days, and daily for ${LONG_MS / DAY_MS}; REJECTED: daily; CREATED: each ${hours(BOUND_MS)}`,
  ],
  cancellations: ['links/cancellations/cancellations.ts', BY_AGE, 'by age'],
  receipts: [
    'cash-registers/runner.ts',
    BY_AGE,
    `QUEUED: ${seconds(RECEIPT_RETRY_MS)}; ${seconds(FRESH_MS)} in its first minute at the register; then by age since it was sent`,
  ],
  webhooks: [
    'inbox/runner.ts',
    BY_ATTEMPTS,
    `by attempts; after ${ASKED_MS / DAY_MS} days daily, where a list of codes cannot be read`,
  ],
  reports: [
    'outbox/reporter.ts',
    BY_ATTEMPTS,
    `by attempts; later where the service asks for it, up to ${hours(MAX_RETRY_AFTER_MS)}`,
  ],
}

/** What wakes a row, and the files that do. */
const WAKERS: Record<string, [calls: RegExp, cause: Record<string, string>]> = {
  refunds: [
    /\.refunds\.wake\(/,
    {
      'inbox/runner.ts': 'a webhook of the bank',
      'money/refund/refunds.ts': 'the end of another refund of the payment',
    },
  ],
  charges: [/\.charges\.wake\(/, { 'money/charge/webhook.ts': 'a webhook of the bank' }],
  codes: [
    /\bcodes\.wake\(/,
    { 'links/cancellations/cancellations.ts': 'a cancellation that found the link paid or over' },
  ],
  sales: [/\bsales\.wake\(/, {}],
  bindings: [
    /\.bindings\.wake\(/,
    {
      'inbox/runner.ts': 'a webhook of the bank',
      'inbox/webhooks.ts': 'a webhook without a signature, at most once a minute',
      'money/charge/charges.ts': 'a declined charge',
      'links/bindings/lists.ts': 'the list of the service',
    },
  ],
  cancellations: [/\.cancellations\.wake\(/, {}],
  receipts: [
    /\.receipts\.wake\(/,
    {
      'cash-registers/webhooks.ts': `a webhook of the cash register, at most once in ${seconds(FRESH_MS)}`,
    },
  ],
  webhooks: [
    /\.webhooks\.(wake|wakeBinding|wakeResting|again)\(/,
    {
      'links/codes/registers.ts': 'its code is registered',
      'links/codes/lookup.ts': 'its code is found in the list of a site',
      'money/payment/payments.ts': 'a payment of its code is recorded',
      'links/bindings/bindings.ts': 'its binding is recorded',
      'money/charge/charges.ts': 'its charge has ended',
      'cash-registers/receipts.ts': 'a receipt of its payment is asked for',
      'inbox/webhooks.ts': 'the bank repeats it',
      'inbox/runner.ts': 'a start or a reload, if it rests',
    },
  ],
  reports: [/\.reports\.wake\(/, {}],
}

const documented = () =>
  new Map(
    rowsOf(/^`\w+`$/)
      .filter(({ length }) => length === 7)
      .map(([name = '', ...cells]) => [name.slice(1, -1), cells]),
  )
const cell = (table: string, column: number): string => documented().get(table)?.[column] ?? ''

it('has each queue with its lane, its key and its states', () => {
  const rows = Array.from(documented(), ([name, [lane, key = '', , states]]) => [
    ...[name, lane, Array.from(key.matchAll(/`(\w+)`/g), ([, field]) => field), states],
  ])
  const inCode = queues().map(({ table, lane, key }) => [table, lane, key, STATES[table]?.join(', ')])
  expect(rows.toSorted()).toEqual(inCode.toSorted())
})

describe.each(queues())('of $table', ({ table, open }) => {
  it('it has the delays', () => {
    const [file = '', call = /^/, delays] = DELAYS[table] ?? []
    expect(sourceOf(file)).toMatch(call)
    expect(call === BY_ATTEMPTS || !BY_ATTEMPTS.test(sourceOf(file))).toBe(true)
    expect(cell(table, 2)).toBe(delays)
  })

  it('it has what wakes a row', () => {
    const [calls = /^/, causes = {}] = WAKERS[table] ?? []
    const files = globSync('**/*.ts', { cwd: 'connector', exclude: ['node_modules/**'] })
    expect(files.filter((file) => calls.test(sourceOf(file))).toSorted()).toEqual(
      Object.keys(causes).toSorted(),
    )
    const cause = Object.values(causes).join('; ')
    if (cause !== '') expect(cell(table, 4)).toBe(cause)
    else expect(cell(table, 4)).toMatch(/^nothing: /)
  })

  it('it has the states that end a row', () => {
    const isOpen = DATABASE.prepare(`SELECT ${open} AS isOpen FROM (SELECT ? AS state, 0 AS rests)`)
    for (const state of STATES[table] ?? [])
      if (isOpen.get(state)?.isOpen === 0) expect(cell(table, 5)).toMatch(new RegExp(`\\b${state}\\b`))
  })
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
