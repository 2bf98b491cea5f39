// The settlements of a site in its file: verify checks them, and a backup has them.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it } from 'vitest'
import { SETTLEMENT_RULES } from '../../bin/data/settlement-rules.ts'
import { checkSite } from '../../bin/data/site-checks.ts'
import { succeeds } from '../support/command.ts'
import { EXTERNAL, fileOf, type Served, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { encode } from '../support/settlement/files.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { linkIdIn } from '../support/site-at.ts'

let directory: string
let data: string

beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
})

/** A payment of 100.00 that the bank names by a number. */
async function paid(served: Served, number: string) {
  const site = siteOf(served)
  const linkId = linkIdIn(await site.create(`order-${number}`, { amount: { value: 100 } }))
  const report = await site.report(linkId, `pay-${number}`, {
    ...{ amount: { value: 100 }, dateTime: '2026-11-20T09:05:30+03:00', networkUid: number, bank: 'tbank' },
  })
  expect(report.status).toBe(200)
}

async function imports(served: Served, settlementUid: string, ...lines: Record<string, string>[]) {
  const numbered = lines.map((cells, index) =>
    tbankLine({
      order: '',
      ...cells,
      number: `${index + 1}`,
      operationId: `A${cells.paymentId?.padStart(31, '0')}`,
    }),
  )
  const { status, text } = await siteOf(served).ask(
    `/settlements/${settlementUid}?bank=tbank&format=registry`,
    {
      method: 'PUT',
      headers: { 'Content-Type': 'text/csv' },
      body: encode(tbankText(numbered), 'windows-1251'),
    },
  )
  expect([status, status === 201 ? '' : text]).toEqual([201, ''])
}

/** Two files that share a line, of payments that match, differ, and are of nobody. */
async function furnish(): Promise<Served> {
  const served = await started(data, { settings: EXTERNAL })
  for (const number of ['1', '2', '3']) await paid(served, number)
  const differs = { paymentId: '2', amount: '50.00', toBePaid: '49.30' }
  await imports(served, 'first', { paymentId: '1' }, differs, { paymentId: '9' })
  await imports(served, 'second', { paymentId: '1' }, { paymentId: '3' })
  return served
}
const entriesOf = (served: Served) => siteOf(served).value('/settlements/entries?month=2026-11')

/** What breaks each rule. */
const BREAKS: Record<string, string> = {
  'settlements have one state': 'INSERT INTO settlement_state SELECT * FROM settlement_state',
  'a settlement has an identifier and bytes of its own, unless it is empty':
    'UPDATE settlements SET sha256 = (SELECT max(sha256) FROM settlements)',
  'a line of a settlement is of a file': 'UPDATE settlement_lines SET file = 99 WHERE file = 2',
  'a settlement has as many lines as entries': 'DELETE FROM settlement_lines WHERE line = 1 AND file = 2',
  'an entry matches in one way, of a known state, as its settlement was published':
    "DELETE FROM settlement_matches WHERE state = 'UNKNOWN'",
  'what an entry is matched to is there': 'UPDATE settlement_matches SET payment = 99 WHERE payment = 1',
  'a match shows the line of a settlement that has the entry':
    'UPDATE settlement_matches SET file = 2 WHERE payment = 2',
  'a payment or a refund has at most one entry of a registry, and one of a statement':
    'UPDATE settlement_matches SET payment = 1 WHERE payment = 2',
  'the counts of a settlement are those of its entries':
    'UPDATE settlement_counts SET matched = matched + 1 WHERE file = 1',
}

it('verify finds what is wrong with settlements, and nothing in those of a service', async () => {
  await (await furnish()).stop()
  succeeds('verify', '--data', data)
  const file = fileOf(data)
  expect(checkSite(file)).toMatchObject({ problems: [] })
  expect(Object.keys(BREAKS)).toEqual(SETTLEMENT_RULES.map(({ rule }) => rule))
  for (const [rule, sql] of Object.entries(BREAKS)) {
    const broken = join(directory, 'broken.sqlite')
    cpSync(file, broken)
    const database = new DatabaseSync(broken)
    database.exec(sql)
    database.close()
    expect(checkSite(broken).problems).toContain(`not so: ${rule}`)
    rmSync(broken)
  }
})

it('verify names a table of settlements that is not as it should be', async () => {
  await (await furnish()).stop()
  const database = new DatabaseSync(fileOf(data))
  database.exec('ALTER TABLE settlement_lines ADD COLUMN more TEXT; DROP INDEX settlement_refunds_by_day')
  database.close()
  expect(checkSite(fileOf(data)).problems).toEqual([
    'tables or indexes differ from those of this version: settlement_lines',
  ])
})

it('a backup has settlements: after a restore they are matched to what the backup has', async () => {
  const served = await furnish()
  const before = await entriesOf(served)
  const backup = join(directory, 'backup')
  succeeds('backup', '--data', data, '--to', backup)
  // What comes after the backup is lost.
  await paid(served, '9')
  await imports(served, 'third', { paymentId: '9' })
  await served.stop()
  rmSync(data, { recursive: true })
  succeeds('restore', '--from', backup, '--data', data, '--audit-of-backup')
  succeeds('verify', '--data', data)
  const again = await started(data, { settings: EXTERNAL })
  expect(await entriesOf(again)).toEqual(before)
  // Then the connector reports what was lost, and the entry finds it.
  await paid(again, '9')
  await expect
    .poll(async () => JSON.stringify(await entriesOf(again)), { timeout: 40_000 })
    .not.toContain('UNKNOWN')
})
