// Going back to this version: the disk has columns and values of a later one. What it knows goes on, and the rest is told.
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { boundBy, charge, PRICE, registerToken } from './bound.ts'
import {
  HOUR,
  MINUTE,
  ofRefund,
  refund,
  register,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'
import { runCommand } from './process.ts'

const surroundingsNow = () => surroundings({ now: Date.now() })
/** The commands have their disk in `data` of the directory. */
const startHere = (at: Surroundings) => start({ ...at, directory: `${at.directory}/data` })

/** What the later version has left. */
function change({ directory }: Surroundings, sql: string): void {
  const database = new DatabaseSync(`${directory}/data/connector.sqlite`)
  database.exec(sql)
  database.close()
}

/** A payment of each code. */
async function paid(at: Surroundings, count: number) {
  const links = []
  for (let i = 0; i < count; i++) {
    const link = await register(at, 'cafe')
    await at.tbank.pay(link.qrcId)
    links.push(link)
  }
  return links
}

/** Three refunds that wait for their bank. */
async function threeRefunds() {
  const at = await surroundingsNow()
  const running = await startHere(at)
  const links = await paid(at, 3)
  await running.connector.settle()
  at.tbank.fail('Cancel', { broken: 'before' }, 3)
  const asked = []
  for (const link of links) asked.push(await refund(at, 'cafe', link, '1.00'))
  await running.connector.settle()
  await running.stop()
  return { at, links, asked }
}

it('tables with more columns, and more tables, are used as before', async () => {
  const at = await surroundingsNow()
  await startHere(at).then(({ stop }) => stop())
  const database = new DatabaseSync(`${at.directory}/data/connector.sqlite`)
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  expect(tables.length).toBeGreaterThan(10)
  for (const { name } of tables)
    database.exec(`ALTER TABLE ${name} ADD COLUMN later TEXT NOT NULL DEFAULT 'x'`)
  database.exec('CREATE TABLE later (number INTEGER PRIMARY KEY) STRICT; PRAGMA user_version = 1000')
  database.close()
  const { connector, core } = await startHere(at)
  const [link] = await paid(at, 1)
  if (!link) throw new Error('no link')
  await connector.settle()
  const asked = await refund(at, 'cafe', link, '1.00')
  await connector.settle()
  expect(at.service.site('cafe').payments.get(link.qrcId)?.status).toBe('COMPLETED')
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  core.disk.meta.set('a', 'b')
  expect(core.disk.meta.get('a')).toBe('b')
})

it('settle lists what is held, and says that a refund of a later version is left out', async () => {
  const { at, asked } = await threeRefunds()
  change(at, `UPDATE refunds SET state = iif(refund_uid = '${asked[1]?.refundUid}', 'WEIGHED', 'HELD')`)
  const { code, lines } = await runCommand(at, 'settle')
  expect(lines.filter((line) => line.startsWith('--site'))).toEqual(
    [asked[0], asked[2]].map(
      (each) => `--site cafe --payment ${each?.paymentUid} --refund ${each?.refundUid}`,
    ),
  )
  expect(lines.slice(-2)).toEqual([
    'refunds: 1 of a later version of the connector are left out: run that version',
    expect.stringMatching(/^2 held or not sent: /),
  ])
  expect(code).toBe(1)
})

it('settle does not exit with 0 where all that it could list is of a later version', async () => {
  const { at } = await threeRefunds()
  change(at, `UPDATE refunds SET state = 'WEIGHED'`)
  const { code, lines } = await runCommand(at, 'settle')
  expect(lines).toEqual([
    'refunds: 3 of a later version of the connector are left out: run that version',
    'nothing is held, no amount differs, and nothing has been unsent for 72 hours',
  ])
  expect(code).toBe(1)
})

it('nothing more is refunded of a payment that has a refund of a later version; another payment is', async () => {
  const { at, links, asked } = await threeRefunds()
  const [first, second] = links
  if (!first || !second) throw new Error('no links')
  change(at, `UPDATE refunds SET state = iif(refund_uid = '${asked[0]?.refundUid}', 'WEIGHED', 'COMPLETED')`)
  const { connector } = await startHere(at)
  const calls = at.tbank.callsOf('Cancel').length
  const blocked = await refund(at, 'cafe', first, '2.00')
  const free = await refund(at, 'cafe', second, '2.00')
  await connector.settle()
  expect(ofRefund(at, free)?.status).toBe('COMPLETED')
  expect(ofRefund(at, blocked)).toBeUndefined()
  expect(at.tbank.callsOf('Cancel')).toHaveLength(calls + 1)
})

it('a refund whose payment cannot be read waits, unsent and not held, until it can be', async () => {
  const at = await surroundingsNow()
  const running = await startHere(at)
  const [link] = await paid(at, 1)
  if (!link) throw new Error('no link')
  await running.connector.settle()
  await running.stop()
  change(at, `UPDATE payments SET status = 'WEIGHED'`)
  const back = await startHere(at)
  const asked = await refund(at, 'cafe', link, '1.00')
  await back.connector.settle(1)
  at.clock.now += 5 * MINUTE
  await back.connector.settle(1)
  expect([at.tbank.callsOf('Cancel').length, back.core.disk.refunds.countHeld()]).toEqual([0, 0])
  await back.stop()
  change(at, `UPDATE payments SET status = 'COMPLETED'`)
  const { connector } = await startHere(at)
  at.clock.now += 5 * MINUTE
  await connector.settle()
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  expect(at.tbank.callsOf('Cancel')).toHaveLength(1)
})

it('charges whose binding cannot be read wait, end with their time, and keep no other from being made', async () => {
  const at = await surroundingsNow()
  const running = await startHere(at)
  const bound = async () => {
    const { qrcId } = await registerToken(at, 'cafe')
    await at.tbank.consent(qrcId, true)
    await running.connector.settle()
    return boundBy(at, 'cafe', qrcId)
  }
  const first = await bound()
  const second = await bound()
  at.tbank.fail('GetAddAccountQrState', { status: 502 }, 1_000)
  const link = await register(at, 'cafe', { amount: PRICE })
  // More than are carried out at once.
  const unread = []
  for (let i = 0; i < 20; i++) unread.push(await charge(at, first, link))
  const other = await charge(at, second, await register(at, 'cafe', { amount: PRICE }))
  await running.stop()
  at.tbank.heal()
  change(at, `UPDATE bindings SET state = 'FROZEN' WHERE binding_uid = '${first.bindingUid}'`)
  const { connector, log } = await startHere(at)
  const failed = () => log.filter(({ message }) => message === 'a step of a charge failed').length
  at.clock.now += MINUTE
  await connector.settle()
  expect(other.result()?.status).toBe('COMPLETED')
  expect([failed(), unread.filter((each) => each.result()).length]).toEqual([20, 0])
  at.clock.now += HOUR
  await connector.settle()
  expect(unread.map((each) => each.result()?.reason)).toEqual(unread.map(() => 'EXPIRED'))
  expect(failed()).toBe(20)
})

it('a hundred codes of a later version, which are due first, keep no other from being asked about', async () => {
  const at = await surroundingsNow()
  const running = await startHere(at)
  const link = await register(at, 'cafe')
  await running.stop()
  const columns =
    'site, bank, key, type, amount, state, qrc_id, reference, created_at, expires_at, stepped_at, due_at'
  change(
    at,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
     INSERT INTO codes (id, ${columns}) SELECT 'later' || i, site, bank, 'k' || i, iif(i % 2, type, 'WALLET'), amount,
       iif(i % 2, 'FROZEN', state), 'q' || i, reference, created_at, expires_at, stepped_at, 1 FROM codes, n`,
  )
  const { connector } = await startHere(at)
  // The webhook is lost: the bank is asked.
  await at.tbank.pay(link.qrcId, { times: 0 })
  at.clock.now += HOUR + 5 * MINUTE
  for (let i = 0; i < 3; i++) await connector.settle()
  expect(at.service.site('cafe').payments.get(link.qrcId)?.status).toBe('COMPLETED')
})

it('check and reconcile go on behind what they cannot read, and name it', async () => {
  const at = await surroundingsNow()
  const running = await startHere(at)
  const [first, second, third] = await paid(at, 3)
  const lost = await register(at, 'cafe')
  await running.connector.settle()
  await running.stop()
  change(
    at,
    `UPDATE codes SET state = 'FROZEN' WHERE qrc_id = '${first?.qrcId}';
     UPDATE payments SET status = 'WEIGHED' WHERE qrc_id IN ('${second?.qrcId}', '${third?.qrcId}')`,
  )
  await at.tbank.pay(lost.qrcId, { times: 0 })
  const leftOut = [
    'codes: 1 of a later version of the connector are left out: run that version',
    'payments: 2 of a later version of the connector are left out: run that version',
  ]
  const checked = await runCommand(at, 'check')
  expect(checked.lines.filter((line) => line.includes(' disk: '))).toEqual(
    leftOut.map((line) => `FAIL disk: ${line}`),
  )
  const day = new Date().toISOString()
  const period = [
    '--from',
    new Date(Date.now() - HOUR).toISOString(),
    '--to',
    new Date(Date.parse(day) + HOUR).toISOString(),
  ]
  const { code, lines } = await runCommand(at, 'reconcile', ...period)
  expect(lines).toEqual([
    ...[second, third].map(
      (link) => `cafe ${link?.qrcId}: a row of a later version of the connector: its status is not known`,
    ),
    expect.stringMatching(`^cafe ${lost.qrcId}: paid at the bank .*: it is now$`),
    ...leftOut,
    '3 codes compared, 5 differences',
  ])
  expect(code).toBe(1)
})

it.each(['code', 'sale'])(
  'a %s beside a payment of a later version is asked about at its interval',
  async (kind) => {
    const at = await surroundingsNow()
    const { connector, log } = await startHere(at)
    const changes = { type: kind === 'sale' ? 'COUNTER' : 'STATIC', amount: undefined, ttl: undefined }
    const { qrcId, reference } = await register(at, 'tea', { ...changes, expiresOn: undefined })
    const sell = (saleUid: string) => {
      const amount = { value: '100.00', currency: 'RUB' }
      const expiresOn = new Date(at.clock.now + HOUR).toISOString()
      const sale = { siteId: 'tea', qrcId, reference, saleUid, amount, ttl: 60, expiresOn }
      return kind === 'sale' ? at.service.instruct('sale.activate', sale, at.clock.now) : undefined
    }
    await sell('s1')
    await at.tochka.pay(qrcId, { amount: 10_000 })
    await connector.settle()
    expect(at.service.site('tea').payments.size).toBe(1)
    await sell('s2')
    change(at, `UPDATE payments SET status = 'WEIGHED'`)
    await at.tochka.pay(qrcId, { amount: 10_000, times: 0 })
    at.clock.now += MINUTE
    await connector.settle(1)
    const failures = () => log.filter(({ message }) => message.endsWith('was not recorded')).length
    const first = failures()
    expect(first).toBeGreaterThan(0)
    for (let second = 0; second < 10; second++) {
      at.clock.now += 1_000
      await connector.settle(1)
    }
    expect(failures()).toBe(first)
  },
)

it('the cancellation of a code of a later version is tried at its interval', async () => {
  const at = await surroundingsNow()
  const { connector, core, log } = await startHere(at)
  const { qrcId, reference } = await register(at, 'farm')
  core.disk.cancellations.put(
    { site: 'farm', qrcId, reference, bank: 'raif-farm', since: at.clock.now },
    at.clock.now,
  )
  change(at, `UPDATE codes SET state = 'WEIGHED'`)
  for (let second = 0; second < 10; second++) {
    await connector.settle(1)
    at.clock.now += 1_000
  }
  const failed = log.filter(({ message }) => message === 'a step of a cancellation failed')
  expect(failed).toMatchObject([{ fields: { site: 'farm', qrcId } }])
  change(at, `UPDATE codes SET state = 'OPEN'`)
  at.clock.now += MINUTE
  await connector.settle()
  expect(core.disk.cancellations.count()).toBe(0)
})
