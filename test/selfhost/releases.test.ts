// The databases that 0.3.0 left, from test/fixtures/releases: this build goes on with them. It refuses those of earlier builds by name.

import { createHmac } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { signToken } from '../../src/http/access-tokens.ts'
import { fileOf, layOut } from '../fixtures/releases/sql.ts'
import { softAuthenticator } from '../support/authenticator.ts'
import {
  type BankDeployment,
  bankDeployment,
  WAITING,
  workerdThatNotifiesThisMachine,
} from '../support/bank-deployment.ts'
import { run, succeeds } from '../support/command.ts'
import { EARLIER_BUILD } from '../support/earlier-build.ts'
import { codeIn } from '../support/passkey-pages.ts'
import { type PersonBrowser, personBrowser } from '../support/person-at.ts'
import { freePort, portOf } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import { EXTERNAL, type Served, serve, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { linkIdIn, type Site } from '../support/site-at.ts'

/** A checkout of 0.3.0 with its build and its packages: then the way back is tried too, of service and connector. */
const { RELEASE } = process.env
const DAY_MS = 86_400_000

function directories() {
  const directory = temporaryDirectory()
  return { data: join(directory, 'data'), connector: join(directory, 'connector') }
}

/** Something of each kind in the site `shop`, by the parameters that name it. */
const NAMES: Record<string, string> = {
  siteId: 'shop',
  qrCodeUid: 'paid',
  saleUid: 'sale-paid',
  paymentId: 'pay-paid',
  paymentUid: 'pay-paid',
  refundId: 'refund-completed',
  refundUid: 'refund-completed',
  callbackId: 'default',
}
const OF_THE_TILL = '/sales'
/** What a read needs besides. */
const QUERIES: Record<string, string> = {
  '/payin/v1/sites/{siteId}/search': '?q=paid',
  '/payin/v1/sites/{siteId}/tokens': '?customerAccountId=customer-7',
  '/payin/v1/sites/{siteId}/reports/payments': '?from=2026-11-25&to=2026-11-27',
  '/payin/v1/sites/{siteId}/reports/day': '?date=2026-11-26',
  '/payin/v1/sites/{siteId}/reports/bankNumbers': '?from=2026-11-25&to=2026-11-27',
  '/payin/v1/sites/{siteId}/reports/settlement': '?month=2026-11',
  '/payin/v1/sites/{siteId}/settlements/entries': '?month=2026-11',
  '/operator/v1/settlements': '?month=2026-11',
}

/** The paths of all reads, as the document of the API has them. */
async function readsOf({ address }: Served): Promise<string[]> {
  const document = z.object({ paths: z.record(z.string(), z.looseObject({})) })
  const { paths } = document.parse(await (await fetch(`${address}/openapi.json`)).json())
  // 0.3.0 made no receipts and imported no file: there is none to read.
  const isRead = (path: string) =>
    paths[path]?.get !== undefined && !/\{(receiptUid|settlementUid)\}/.test(path)
  return Object.keys(paths).filter(isRead)
}

/** Reads everything. @returns the statuses that are not a success, by path */
async function failedReads(served: Served): Promise<Record<string, string>> {
  const tokens = {
    payin: await mintToken(SECRET, { siteId: 'shop', scope: 'merchant:admin', days: 1 }),
    network: await mintToken(SECRET, { siteId: 'shop', scope: 'network', days: 1 }),
    operator: await mintToken(SECRET, { siteId: '*', scope: 'operator', days: 1 }),
  }
  const { notifications } = z
    .object({ notifications: z.array(z.object({ id: z.string() })) })
    .parse(await siteOf(served, 'shop').value('/notifications'))
  const names = { ...NAMES, id: notifications[0]?.id ?? '', notificationId: notifications[0]?.id ?? '' }
  const failed: Record<string, string> = {}
  for (const path of await readsOf(served)) {
    const own = path.includes(OF_THE_TILL) ? { ...names, qrCodeUid: 'till' } : names
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => own[name as keyof typeof own] ?? name)
    const token = Object.entries(tokens).find(([name]) => path.includes(`/${name}/`))?.[1]
    const response = await fetch(`${served.address}${url}${QUERIES[path] ?? ''}`, {
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    })
    const body = await response.text()
    if (response.status !== 200) failed[path] = `${response.status} ${body}`
  }
  return failed
}

const uidsOf = async (site: Site, path: string, list: string, uid: string): Promise<unknown[]> => {
  const answer = z.record(z.string(), z.unknown()).parse(await site.value(path))
  return z
    .array(z.record(z.string(), z.unknown()))
    .parse(answer[list])
    .map((each) => each[uid])
}

/** What 0.3.0 has left is there, and is read as it was. */
async function expectEverything(served: Served): Promise<void> {
  expect(await failedReads(served)).toEqual({})
  const shop = siteOf(served, 'shop')
  expect(await uidsOf(shop, '/sbp/qrCodes?limit=100', 'qrCodes', 'qrCodeUid')).toEqual(
    expect.arrayContaining([
      'open',
      'free',
      'expired',
      'paid',
      'declined',
      'cancelled',
      'token',
      'printed',
      'till',
    ]),
  )
  const payments = await uidsOf(shop, '/payments?limit=100', 'payments', 'paymentId')
  expect(payments).toEqual(
    expect.arrayContaining([
      'pay-paid',
      'pay-second',
      'pay-declined',
      'pay-bound',
      'pay-unknown',
      'pay-printed',
      'pay-till',
    ]),
  )
  const events = await uidsOf(shop, '/events?limit=1000', 'events', 'type')
  const database = new DatabaseSync(':memory:')
  database.exec(readFileSync('test/fixtures/releases/0.3.0/shop.sql', 'utf8'))
  const written = database.prepare('SELECT type FROM events ORDER BY number').all()
  expect(events.slice(0, written.length)).toEqual(written.map(({ type }) => type))
  for (const [refund, status] of [
    ['refund-waiting', 'WAITING'],
    ['refund-completed', 'COMPLETED'],
    ['refund-declined', 'DECLINED'],
  ])
    expect(await shop.value(`/payments/pay-paid/refunds/${refund}`)).toMatchObject({
      status: { value: status },
    })
  expect(await shop.value('/settings')).toMatchObject({ name: 'Чайная лавка', taxId: '7707083893' })
  for (const siteId of ['closed', 'deleted'])
    expect((await siteOf(served, siteId).ask('/settings')).status).toBe(410)
}

/** A merchant and a network go on. @param name part of what is made */
async function goOn(served: Served, name: string): Promise<void> {
  const shop = siteOf(served, 'shop')
  const created = await shop.create(`later-${name}`)
  expect((await shop.report(linkIdIn(created), `pay-${name}`)).status).toBe(200)
  for (const [payment, refund] of [
    [`pay-${name}`, `refund-${name}`],
    ['pay-bound', `refund-bound-${name}`],
  ] as const) {
    expect((await shop.refund(payment, refund, 1)).status).toBe(200)
    expect((await shop.reportRefund(payment, refund, { status: 'COMPLETED' })).status).toBe(200)
  }
  const till = await shop.ask(`/sbp/qrCodes/till/sales/sale-${name}`, {
    method: 'PUT',
    body: { amount: { value: 5 } },
  })
  expect([200, 409]).toContain(till.status)
  const patched = await shop.ask('/settings', { method: 'PATCH', body: { supportContact: name } })
  expect(patched.status).toBe(200)
}

/** A payment of 0.3.0 has no method; the network, reporting it again, can say it. */
async function learnMethod(served: Served): Promise<void> {
  const shop = siteOf(served, 'shop')
  const paid = () => shop.value('/payments/pay-paid')
  expect(await paid()).not.toHaveProperty('method')
  const again = await shop.report(linkIdIn(await shop.ask('/sbp/qrCodes/paid')), 'pay-paid', {
    method: 'digitalRouble',
  })
  expect([again.status, again.text]).toEqual([200, expect.stringContaining('digitalRouble')])
  expect(await paid()).toMatchObject({ method: 'digitalRouble' })
}

/** The connector goes on with its database: it checks, compares with the bank and the service, and decides what was held. */
async function expectConnector(deployment: BankDeployment): Promise<void> {
  const { connector } = deployment
  const [disk] = connector.read("SELECT value FROM meta WHERE name = 'createdAt'")
  const days = Math.ceil((Date.now() - Number(disk?.value)) / DAY_MS) + 1
  const cafe = deployment.merchant('cafe')
  // A start asks about the held refund, and reports its reason.
  await expect
    .poll(() => connector.read("SELECT * FROM reports WHERE state = 'PENDING'"), WAITING)
    .toEqual([])
  const checked = await connector.command('check')
  expect([checked.status, checked.output.match(/^FAIL.*$/gm)]).toEqual([
    1,
    ['FAIL tbank-cafe: 1 refunds are held: see settle'],
  ])
  const before = await connector.reconcile(days)
  expect(before).toEqual({ status: 1, output: expect.stringMatching(/refund-held .* held, see settle\n/) })
  expect(before.output).toMatch(/4 codes compared, 1 differences\n$/)
  const [held] = connector.read("SELECT payment_uid FROM refunds WHERE refund_uid = 'refund-held'")
  const paymentUid = String(held?.payment_uid)
  await connector.succeeds(
    'settle',
    ...['--site', 'cafe', '--payment', paymentUid, '--refund', 'refund-held', '--as', 'declined'],
    ...['--by', 'anna', '--yes'],
  )
  await cafe.hasRefund(paymentUid, 'refund-held', 'DECLINED')
  expect((await connector.reconcile(days)).output).toMatch(/4 codes compared, 0 differences\n$/)
  await expectPayment(deployment, 'later')
}

/** A code is paid and refunded in part, and nothing is left to say. */
async function expectPayment(deployment: BankDeployment, uid: string): Promise<void> {
  const cafe = deployment.merchant('cafe')
  const { qrcId } = await cafe.make(uid)
  await deployment.bankOf('cafe').pay(qrcId)
  await cafe.has(uid, 'PAYED')
  expect((await cafe.refund(qrcId, `refund-${uid}`, 10)).status).toBe(200)
  await cafe.hasRefund(qrcId, `refund-${uid}`)
  // `check` does not name what is younger than a minute.
  for (const waiting of ["webhooks WHERE state = 'NEW'", "reports WHERE state = 'PENDING'", 'cancellations'])
    await expect.poll(() => deployment.connector.read(`SELECT * FROM ${waiting}`), WAITING).toEqual([])
  expect(await deployment.connector.succeeds('check')).toMatch(/all is well\n$/)
}

it('databases of 0.3.0 are read and written, and verify finds nothing in them', async () => {
  const at = directories()
  layOut('0.3.0', at)
  const served = await started(at.data, { settings: EXTERNAL })
  // First: notifications of the past are deleted one day.
  await goOn(served, 'now')
  await expectEverything(served)
  await learnMethod(served)
  await served.stop()
  expect(succeeds('verify', '--data', at.data)).toMatch(/with problems: 0\n$/)
})

/** The key that made a session of the site `shop` in 0.3.0, and one that was revoked there. */
const [KEY, REVOKED_KEY] = ['737c2cf6-491f-46a6-a700-6548ff3961fc', 'a-lost-key']

/** A session of the site `shop` as 0.3.0 keeps it. @returns the cookie that 0.3.0 made for it */
function sessionOfToken(at: Parameters<typeof fileOf>[1]): string {
  const id = '0123456789abcdef0123456789abcdef'
  const now = Math.floor(Date.now() / 1000)
  const database = new DatabaseSync(fileOf('shop', at))
  database
    .prepare(
      `INSERT INTO sessions (id, key_id, scope, label, issued_at, token_expires_at, expires_at, link, number)
       VALUES (?, ?, 'merchant:admin', NULL, ?, ?, ?, NULL, (SELECT ifnull(max(number), 0) + 1 FROM sessions))`,
    )
    .run(id, KEY, now - 60, now + 3600, now + 3600)
  database.close()
  const mac = createHmac('sha256', SECRET).update(`session\0shop\0${id}`).digest('hex')
  return `shop.${id}.${mac}`
}

/** Where a page of the console leads a browser that has a cookie of 0.3.0. @returns the address, without the host, and the status */
async function pageOf(origin: string, cookie: string, path: string): Promise<[string, number]> {
  const response = await fetch(`${origin}/console/${path}`, {
    headers: { cookie: `console-session=${cookie}` },
  })
  await response.body?.cancel()
  return [new URL(response.url).pathname, response.status]
}

/** Asks with a token of a key of the site `shop`. */
async function statusOfKey({ address }: Served, keyId: string): Promise<number> {
  const now = Math.floor(Date.now() / 1000)
  const token = await signToken(SECRET, {
    ...{ siteId: 'shop', keyId, scope: 'merchant:admin', issuedAt: now - 60, expiresAt: now + 3600 },
    label: undefined,
  })
  const url = `${address}/payin/v1/sites/shop/settings`
  return (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).status
}

/** An owner of the site `shop`, whose browser has joined. */
async function ownerOf(served: Served, origin: string): Promise<PersonBrowser> {
  const invited = await siteOf(served, 'shop').ask('/people', {
    body: { id: 'anna', name: 'Анна', role: 'owner' },
  })
  const browser = personBrowser(origin)
  expect((await browser.join(codeIn(invited.text), await softAuthenticator())).status).toBe(303)
  expect((await browser.get('me')).status).toBe(200)
  return browser
}

it('a session and the keys of 0.3.0 go on, and a session of a person is in no table that 0.3.0 reads', async () => {
  const at = directories()
  layOut('0.3.0', at)
  const cookie = sessionOfToken(at)
  const ports = [await freePort(), await freePort()] as const
  const origin = `http://localhost:${ports[0]}`
  const options = { ports, settings: { ...EXTERNAL, PUBLIC_URL: origin } }
  const served = await started(at.data, options)
  const expectSession = async () => {
    const [address, status] = await pageOf(origin, cookie, 'settings')
    expect([address, status]).toEqual([expect.stringMatching(/\/settings$/), 200])
  }
  await expectSession()
  expect(
    await pageOf(
      origin,
      cookie.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      'settings',
    ),
  ).toEqual(['/console/sign-in', 200])
  expect([await statusOfKey(served, KEY), await statusOfKey(served, REVOKED_KEY)]).toEqual([200, 401])
  const browser = await ownerOf(served, origin)
  await expectSession()
  await served.stop()
  const database = new DatabaseSync(fileOf('shop', at))
  const ids = database.prepare('SELECT id FROM sessions').all()
  const people = database.prepare('SELECT id FROM person_sessions').all()
  database.close()
  expect([ids, people]).toEqual([[{ id: cookie.split('.')[1] }], [{ id: expect.any(String) }]])

  if (!RELEASE) return
  const back = await started(at.data, { ...options, checkout: resolve(RELEASE) })
  await expectSession()
  expect([await statusOfKey(back, KEY), await statusOfKey(back, REVOKED_KEY)]).toEqual([200, 401])
  // The cookie of the person, also by the name that 0.3.0 reads.
  for (const value of browser.cookies.values())
    for (const each of [value, value.replace(/\.\d+(?=\.[0-9a-f]+$)/, '')])
      expect(await pageOf(origin, each, 'settings')).toEqual(['/console/sign-in', 200])
  await back.stop()
  const again = await started(at.data, options)
  await expectSession()
  expect((await browser.get('me')).status).toBe(200)
  await again.stop()
})

it('the connector goes on with a database of 0.3.0: check, reconcile, settle, a payment and a refund', async () => {
  const deployment = await bankDeployment({
    sites: { cafe: 'tbank-cafe' },
    begin({ data, connector, banks }) {
      layOut('0.3.0', { data, connector })
      banks.tbank.restore(readFileSync('test/fixtures/releases/0.3.0/bank.json', 'utf8'))
    },
  })
  const { connector, service } = deployment
  await expectConnector(deployment)
  if (RELEASE) {
    await connector.stop()
    connector.checkout = resolve(RELEASE)
    await connector.start()
    await expectPayment(deployment, 'back')
  }
  await service.verify()
})

it('a database of a build before 0.3.0 is refused by name, and stays as it is', async () => {
  const at = directories()
  const file = fileOf('shop', at)
  mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file)
  database.exec(EARLIER_BUILD)
  database.close()
  const before = readFileSync(file)
  const refusal = /the database is of version 2 of a build before 0\.3\.0, .*: run 0\.2\.0 to read it/
  const served = await serve(at.data, { settings: EXTERNAL })
  expect([await served.ended, served.output()]).toEqual([1, expect.stringMatching(refusal)])
  expect(run('verify', '--data', at.data)).toEqual({ status: 1, output: expect.stringMatching(refusal) })
  expect(readFileSync(file).equals(before)).toBe(true)
  expect(readdirSync(dirname(file))).toHaveLength(1)
})

it.runIf(RELEASE)('0.3.0 reads and writes what this build has written', async () => {
  const at = directories()
  layOut('0.3.0', at)
  const now = await started(at.data, { settings: EXTERNAL })
  await goOn(now, 'now')
  await now.stop()
  const back = await started(at.data, { settings: EXTERNAL, checkout: resolve(RELEASE ?? '') })
  await goOn(back, 'back')
  await expectEverything(back)
  await back.stop()
  const again = await started(at.data, { settings: EXTERNAL })
  await expectEverything(again)
  await again.stop()
  expect(succeeds('verify', '--data', at.data)).toMatch(/with problems: 0\n$/)
})

it.runIf(RELEASE)(
  '0.3.0 sends to callbackUrl alone; what waits for another address is delivered after the next upgrade',
  async () => {
    const at = directories()
    const got: string[] = []
    const state = { isSecondDown: true }
    const server = createServer((request, response) => {
      const isTaken = request.url !== '/second' || !state.isSecondDown
      if (isTaken)
        got.push(`${request.url} ${request.headers['webhook-id']?.toString().replace(/^[^-]+-/, '')}`)
      request.resume().on('end', () => response.writeHead(isTaken ? 204 : 500).end())
    })
    const url = `http://127.0.0.1:${await portOf(server)}`
    onTestFinished(() => void server.close())
    const release = resolve(RELEASE ?? '')
    const settingsOf = (build?: string) => ({
      ...EXTERNAL,
      CALLBACK_HOSTS: 'any',
      WORKERD: workerdThatNotifiesThisMachine(temporaryDirectory(), build),
    })
    const settings = settingsOf()
    const now = await started(at.data, { settings })
    const site = siteOf(now)
    await site.value('/settings', { method: 'PUT', body: { callbackUrl: `${url}/first` } })
    await site.value('/settings/notificationKeys', { method: 'POST' })
    const body = { url: `${url}/second`, types: ['PAYMENT'] }
    await site.value('/settings/callbacks/second', { method: 'PUT', body })
    await site.value('/settings/callbacks/second/notificationKeys', { method: 'POST' })
    await site.pay('a')
    await site.create('own', { callbackUrl: body.url })
    await vi.waitFor(() => expect(got).toHaveLength(1), WAITING)
    const [first = ''] = got
    await now.stop()

    state.isSecondDown = false
    const back = await started(at.data, {
      settings: settingsOf(join(release, 'dist/fps-qr')),
      checkout: release,
    })
    await siteOf(back).pay('b')
    await vi.waitFor(() => expect(got.length).toBe(2), WAITING)
    expect(got[1]).toMatch(/^\/first \d+$/)
    const log = z.object({ notifications: z.array(z.object({ status: z.string() })) })
    const { notifications } = log.parse(await siteOf(back).value('/notifications'))
    expect(notifications.map(({ status }) => status)).toEqual(['DELIVERED', 'DELIVERED'])
    await back.stop()
    expect(got.length).toBe(2)

    const again = await started(at.data, { settings })
    await vi.waitFor(
      () => expect(got.slice(2)).toEqual([`${first.replace('/first', '/second')}-at-second`]),
      WAITING,
    )
    await again.stop()
    expect(succeeds('verify', '--data', at.data)).toMatch(/with problems: 0\n$/)
  },
)
