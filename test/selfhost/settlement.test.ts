// npm run settlement imports one registry into the sites that share the credentials of a bank.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runBeside } from '../support/command.ts'
import { SECRET } from '../support/secret.ts'
import { asOperator, EXTERNAL, type Served, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { encode } from '../support/settlement/files.ts'
import { statementText } from '../support/settlement/statement.ts'
import { tbankCard, tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { linkIdIn } from '../support/site-at.ts'

let directory: string
let served: Served

beforeEach(async () => {
  directory = temporaryDirectory()
  served = await started(join(directory, 'data'), { settings: EXTERNAL })
})

const path = (name: string) => join(directory, name)

/** The configuration: two sites share the credentials, one has others. */
function configured(): string[] {
  const token = { file: '/nowhere' }
  const sites = {
    tea: { token, bank: 'tbank-cafe' },
    cake: { token, bank: 'tbank-cafe' },
    other: { token, bank: 'tbank-alone' },
  }
  const banks = {
    'tbank-cafe': { bank: 'tbank', terminalKey: 'x', password: token },
    'tbank-alone': { bank: 'tbank', terminalKey: 'y', password: token },
  }
  writeFileSync(path('connector.json'), JSON.stringify({ service: served.address, banks, sites }))
  writeFileSync(path('settings'), `TOKEN_SECRET=${SECRET}\n`)
  return ['--config', path('connector.json'), '--env-file', path('settings')]
}

async function settle(bytes: Uint8Array, ...options: string[]) {
  writeFileSync(path('registry.csv'), bytes)
  const { status, output } = await runBeside(
    { TOKEN_SECRET: '' },
    'settlement',
    ...[path('registry.csv'), '--bank', 'tbank-cafe', ...configured(), ...options],
  )
  return { status, output }
}

/** A payment of 100.00 that the bank names by a number. */
async function paid(siteId: string, number: string, day = '2026-11-20') {
  const site = siteOf(served, siteId)
  const linkId = linkIdIn(await site.create(`order-${number}`, { amount: { value: 100 } }))
  const report = await site.report(linkId, `pay-${number}`, {
    ...{ amount: { value: 100 }, dateTime: `${day}T09:05:30+03:00`, networkUid: number, bank: 'tbank' },
  })
  expect(report.status).toBe(200)
}

const line = (number: string, paymentId: string, cells: Record<string, string> = {}) =>
  tbankLine({ number, paymentId, order: '', operationId: `A${paymentId.padStart(31, '0')}`, ...cells })
const REFUND = { type: 'Credit', fee: '0.00', amount: '-30.00', toBePaid: '-30.00', operationId: '' }
const registry = (...lines: ReturnType<typeof line>[]) => encode(tbankText(lines), 'windows-1251')

interface Imported {
  settlements: { settlementUid: string; entries: number; skipped: number; matched: number; unknown: number }[]
}
const importsOf = async (siteId: string): Promise<Imported['settlements']> => {
  const { status, text } = await siteOf(served, siteId).ask('/settlements')
  expect(status).toBe(200)
  const { settlements }: Imported = JSON.parse(text)
  return settlements
}

describe('npm run settlement with a configuration', () => {
  it('imports each line into the site that has its payment, and once', async () => {
    await paid('tea', '1')
    await paid('tea', '2')
    await paid('cake', '3')
    const file = registry(line('1', '1'), line('2', '3'), line('3', '2'), tbankCard({ number: '4' }))
    const first = await settle(file)
    expect(first).toEqual({
      status: 0,
      output: [
        'site  entries  repeated  matched  mismatched  unknown  skipped',
        'tea         2         0        2           0        0        0  imported',
        'cake        1         0        1           0        0        0  imported',
        'of no site: 1 operations with cards or of other products, which are left out',
        '',
      ].join('\n'),
    })
    const again = await settle(file)
    expect([again.status, again.output]).toEqual([
      0,
      first.output.replaceAll(/imported$/gm, 'imported before'),
    ])
    const [tea, cake] = [await importsOf('tea'), await importsOf('cake')]
    expect([tea, cake]).toMatchObject([[{ entries: 2, matched: 2 }], [{ entries: 1, matched: 1 }]])
    expect(tea[0]?.settlementUid).toMatch(/^file-[0-9a-f]{32}$/)
    expect(tea[0]?.settlementUid).not.toBe(cake[0]?.settlementUid)
  })

  it('sends nothing where a line has no site, names it with its terminal, and takes the site of the terminal', async () => {
    await paid('tea', '1')
    const file = registry(line('1', '1'), line('2', '9', { terminal: '25009999' }))
    const refused = await settle(file)
    expect(refused.status).toBe(1)
    expect(refused.output).toBe(
      [
        'nothing is imported: no site has the payment of each line',
        'lines[2] is of no site, terminal 25009999',
        'if these lines belong to a site, name it: --site-of 25009999=SITE',
        '',
      ].join('\n'),
    )
    expect(await importsOf('tea')).toEqual([])
    const taken = await settle(file, '--site-of', '25009999=cake')
    // An entry that does not match ends it with 1.
    expect([taken.status, await importsOf('cake')]).toMatchObject([1, [{ entries: 1, unknown: 1 }]])
    expect(await importsOf('tea')).toMatchObject([{ matched: 1 }])
  })

  it('finds the payment of a refund that was paid months before', async () => {
    await paid('cake', '3', '2026-08-01')
    const { status, output } = await settle(registry(line('1', '3', REFUND)))
    expect([status, output]).toEqual([1, expect.stringMatching(/^cake +1 /m)])
  })

  it('prints the entries that do not match, those that differ first, at most ten, and the page of each file', async () => {
    await paid('tea', '1')
    await paid('cake', '3')
    const unknown = Array.from({ length: 11 }, (_, i) =>
      line(`${i + 3}`, `${i + 900}`, { terminal: '25009999' }),
    )
    const differing = line('2', '3', { amount: '101.00', toBePaid: '100.30' })
    const file = registry(line('1', '1'), differing, ...unknown)
    const { status, output } = await settle(file, '--site-of', '25009999=tea')
    expect(status).toBe(1)
    const [, cakeUid = ''] = [...(await importsOf('tea')), ...(await importsOf('cake'))].map(
      ({ settlementUid }) => settlementUid,
    )
    const lines = output.trimEnd().split('\n').slice(3)
    expect(lines).toHaveLength(13)
    expect(lines[0]).toBe(
      `cake: MISMATCHED payment 101.00 of 2026-11-20T09:05:30+03:00, paymentId 3, operationId A${'3'.padStart(31, '0')}: amount is 100.00, at the bank 101.00`,
    )
    for (const each of lines.slice(1, 10))
      expect(each).toMatch(/^tea: UNKNOWN payment 100\.00 .*, paymentId 9\d\d,/)
    expect(lines.slice(10)).toEqual([
      'and 2 more',
      expect.stringMatching(/^tea: see http:.*\/console\/sites\/tea\/settlement\/files\/file-[0-9a-f]{32}$/),
      `cake: see ${served.address}/console/sites/cake/settlement/files/${cakeUid}`,
    ])
    const page = await fetch(`${served.address}/console/sites/cake/settlement/files/${cakeUid}`, {
      redirect: 'manual',
    })
    expect(page.status).not.toBe(404)
  })

  it('says nothing of lines without a site where the whole file was imported by hand before', async () => {
    await paid('other', '1')
    const file = registry(line('1', '1'))
    const byHand = await siteOf(served, 'other').ask('/settlements/mine?bank=tbank&format=registry', {
      ...{ method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: file },
    })
    expect(byHand.status).toBe(201)
    const { status, output } = await settle(file, '--bank', 'tbank-alone')
    expect([status, output]).toEqual([
      1,
      expect.stringMatching(/^other: 409 payin\.resource\.already\.exists: .* imported as mine\n/),
    ])
  })

  it.each([
    [['--site-of', '25001234=nobody'], '--site-of names nobody, must be one of tea, cake'],
    [['--site-of', 'tea'], '--site-of is tea, must be a terminal, = and a site, such as 25001234=tea'],
    [
      ['--payout-account', '40702810000000000001'],
      '--payout-account is not for an import: the settings of the site have its accounts',
    ],
    [
      ['--format', 'statement'],
      'a statement is never split, and tbank-cafe is of 2 sites (tea, cake): import it at the one whose account it is of',
    ],
    [['--bank', 'nobody'], `--bank is nobody, must be one of banks in CONFIG: tbank-cafe, tbank-alone`],
  ])('%j: 2, and why', async (options, message) => {
    const { status, output } = await settle(registry(line('1', '1')), ...options)
    expect([status, output.replaceAll(path('connector.json'), 'CONFIG')]).toEqual([2, `${message}\n`])
  })

  it('imports a statement into the only site of the credentials, as it is', async () => {
    await paid('other', '1')
    const { status, output } = await settle(
      encode(statementText([]), 'windows-1251'),
      ...['--bank', 'tbank-alone', '--format', 'statement'],
    )
    expect([status, output]).toEqual([0, expect.stringMatching(/^other +0 .* imported$/m)])
  })

  it('names the site and the reason where the service refuses a part, and imports the others', async () => {
    await paid('tea', '1')
    await paid('cake', '3')
    const other = registry(line('1', '1', { fee: '0.80', toBePaid: '99.20' }))
    const token = await siteOf(served, 'tea').ask('/settlements/mine?bank=tbank&format=registry', {
      ...{ method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: other },
    })
    expect(token.status).toBe(201)
    const { status, output } = await settle(registry(line('1', '1'), line('2', '3')))
    expect(status).toBe(1)
    expect(output).toMatch(/^cake +1 .* imported$/m)
    expect(output).toMatch(/^tea: 409 settlement\.contradicts: .*mine/m)
  })

  it('ends with 1 where the service does not answer', async () => {
    await paid('tea', '1')
    const options = configured()
    await served.stop()
    writeFileSync(path('registry.csv'), registry(line('1', '1')))
    const { status, output } = await runBeside(
      {},
      'settlement',
      path('registry.csv'),
      '--bank',
      'tbank-cafe',
      ...options,
    )
    expect([status, output]).toEqual([1, expect.stringMatching(/^(tea|cake): the service does not answer: /)])
  })
})

it('the operator sees the figures of both sites', async () => {
  await paid('tea', '1')
  await paid('cake', '3')
  expect((await settle(registry(line('1', '1'), line('2', '3')))).status).toBe(0)
  await expect
    .poll(async () => (await asOperator(served, '/settlements?month=2026-11')).json(), { timeout: 60_000 })
    .toMatchObject({
      sites: [
        { siteId: 'cake', gross: '100.00' },
        { siteId: 'tea', gross: '100.00' },
      ],
      total: { gross: '200.00', matched: 2, net: '198.60' },
    })
})
