// The tables of docs/contract.md say what the schemas and the tables of the code say.
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DAYS_KEPT } from '../../src/contract/notifications/status.ts'
import { MAX_REFUNDS } from '../../src/contract/refund.ts'
import { STATUSES, transition } from '../../src/contract/status.ts'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import { ERRORS } from '../../src/errors.ts'
import { decisionOn, EFFECTS } from '../../src/site/payments/report-rule.ts'
import { call, sandbox } from '../support/service.ts'

type Row = Parameters<typeof decisionOn>[0]['row'] & object

const [contract = ''] = Object.values(
  import.meta.glob<string>('../../docs/contract.md', { query: '?raw', import: 'default', eager: true }),
)

/** The text of a section, by its number. */
const section = (number: number): string =>
  contract.split(/^## /m).find((text) => text.startsWith(`${number}. `)) ?? ''

/** The first cells of the rows of the first table whose head begins so. */
function firstCells(text: string, head: string): string[] {
  const [, table = ''] = text.split(`\n| ${head}`)
  const [rows = ''] = table.split('\n\n')
  return Array.from(rows.matchAll(/^\| (?!-)([^|]+?) +\|/gm), ([, cell = '']) => cell)
}

const Schema = z.looseObject({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
})
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
})
const document = Document.parse(await (await call('/openapi.json', { token: null }, sandbox)).json())
const schemaOf = (name: string) => Schema.parse(document.components.schemas[name])

describe('errors', () => {
  it('are those of the service, in its words', () => {
    const rows = Array.from(
      section(6).matchAll(/^\| (\d{3}) +\| `([\w.-]+)` +\| (.+?) +\| [\d, –]+ \|$/gm),
      ([, status, code, when]) => [Number(status), code, when],
    )
    expect(rows).toEqual(Object.entries(ERRORS).map(([code, { status, when }]) => [status, code, when]))
  })

  it.each(
    Object.entries(ERRORS).flatMap(([code, { retryAfter }]) => (retryAfter ? [[code, retryAfter]] : [])),
  )('%s has a Retry-After of %i seconds', (code, seconds) =>
    expect(section(6).replaceAll(/\s+/g, ' ')).toContain(`${seconds} for \`${code}\``),
  )
})

it.each([
  [3, 'paymentPurpose', `\`paymentPurpose\`      | at most ${MAX_PURPOSE} characters`],
  [3, 'tokenizationPurpose', `\`tokenizationPurpose\` | at most ${MAX_PURPOSE} characters`],
  [8, 'the number of refunds', `in at most ${MAX_REFUNDS} refunds`],
  [11, 'delivered notifications', `Delivered notifications are kept for ${DAYS_KEPT.DELIVERED} days`],
  [11, 'failed notifications', `failed ones for ${DAYS_KEPT.FAILED}`],
])('section %i has the limit of the code for %s', (number, _, sentence) =>
  expect(section(number).replaceAll(/\s+/g, ' ')).toContain(sentence.replaceAll(/\s+/g, ' ')),
)

it('the table of section 7 has the status after each report, charge, cancellation and end', () => {
  const rows = Array.from(section(7).matchAll(/^\| (`[A-Z_]+` .*) \|$/gm), ([, row = '']) =>
    row.split('|').map((cell) => cell.trim()),
  )
  const documented = rows
    .slice(0, rows.findIndex(([status]) => status === '`PAYED`') + 1)
    .map((cells) => cells.map((cell) => /^`(\w+)`/.exec(cell)?.[1]))
  const amount = { minorUnits: 500, currency: 'RUB' }
  const after = (row: Row, status: 'COMPLETED' | 'DECLINED') => {
    const { action } = EFFECTS[decisionOn({ row }, { paymentUid: 'p', status, amount }, [])]
    return action && transition(row.status, action)
  }
  const computed = STATUSES.filter((status) => status !== 'ACCEPTED').map((status) => {
    const row = { type: 'DYNAMIC', status, payment_uid: 'p', minor_units: 500, currency: 'RUB' } as const
    const clock = (['charge', 'cancel', 'expire'] as const).map((action) => transition(status, action))
    return [status, after(row, 'COMPLETED'), after(row, 'DECLINED'), ...clock]
  })
  const sorted = (table: typeof documented) => table.toSorted(([a = ''], [b = '']) => a.localeCompare(b))
  expect(sorted(documented)).toEqual(sorted(computed))
})

describe('operations', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  /** What the contract names, such as `GET …/sales/{saleUid}`; section 17 is about pages. */
  const named = Array.from(
    contract.replace(section(17), '').matchAll(/`((?:GET|PUT|POST|DELETE|PATCH) (?:…|\/\w+\/v1)\/[^`?]+)/g),
    ([, operation = '']) => operation,
  )
  /** Of names the form counts: the contract has `{id}` where the document has `{keyId}`. */
  const pattern = (operation: string) =>
    new RegExp(
      `^${operation
        .replaceAll(/\{\w+\}/g, '{}')
        .replaceAll(/[.+*^$()[\]|\\{}]/g, '\\$&')
        .replaceAll('…', '.*')}$`,
    )
  const formOf = (operation: string) => operation.replaceAll(/\{\w+\}/g, '{}')

  it.each(operations)('%s is in the contract', (operation) => {
    expect(named.filter((each) => pattern(each).test(formOf(operation)))).not.toEqual([])
  })

  it.each([...new Set(named)])('%s is in the service', (each) => {
    expect(operations.filter((operation) => pattern(each).test(formOf(operation)))).not.toEqual([])
  })
})

describe('fields', () => {
  /** The names of a cell: `payer.bankMemberId`, `payer.phone`. */
  const namesOf = (cells: readonly string[]) =>
    cells.filter((cell) => !cell.includes('(path)')).flatMap((cell) => cell.match(/[\w.]+/g) ?? [])
  const rootOf = (name: string) => name.split('.')[0] ?? ''

  it.each([
    [3, 'Field  ', 'QrCodeRequest'],
    [7, 'Field  ', 'PaymentReport'],
  ] as const)('of section %i, table %j, are those of %s', (number, head, schema) => {
    // An image has fields of its own, which the table names without the object around it.
    const roots = namesOf(firstCells(section(number), head)).map(rootOf)
    const own = Object.keys(schemaOf(schema).properties)
    expect([...new Set(roots)].filter((name) => !['image', 'height'].includes(name)).toSorted()).toEqual(
      own.toSorted(),
    )
  })

  it('of an event are those of the answer, with ? where they can be absent', () => {
    const { properties, required } = schemaOf('Event')
    const shown = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`))
    const [, listed = ''] = /An event is\n`\{([^}]+)\}`/.exec(section(11)) ?? []
    expect(listed.split(', ').toSorted()).toEqual(shown.toSorted())
    const documented = namesOf(firstCells(section(11), 'Field  '))
    expect(documented.toSorted()).toEqual(
      Object.keys(properties)
        .filter((name) => name !== 'dateTime')
        .toSorted(),
    )
  })

  it('the types of events are those of the service', () => {
    const schema = z.object({ enum: z.array(z.string()) }).parse(document.components.schemas.EventType)
    const [row = ''] = /^\| `type`.*$/m.exec(section(11)) ?? []
    expect(row.match(/[a-zA-Z]+\.[a-z]+/g)?.toSorted()).toEqual(schema.enum.toSorted())
  })
})
