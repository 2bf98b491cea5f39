// npx wrangler dev, for development: it serves the source, on data of its own, and says why it has no sandbox.
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EventsAnswer } from '../../src/contract/event.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { dataOf, type NpmStart, npmStarts, READY } from '../support/npm-start.ts'
import { siteAt } from '../support/site-at.ts'
import { wranglerDev } from '../support/wrangler-dev.ts'

const { directory, start } = npmStarts()
const shared = npmStarts('describe')
const dev = wranglerDev()
let address: string
let service: NpmStart
const demoAt = (address: string) => siteAt(() => address, dev.secret, 'demo')
const local = () => `http://127.0.0.1:${service.port}`

beforeAll(async () => {
  service = await shared.start('--persist-to', dev.disk)
  ;[address] = await Promise.all([dev.start(), service.writes(READY)])
})
afterAll(() => dev.dispose())

it('serves static files and the documentation', async () => {
  expect((await fetch(`${address}/style.css`)).status).toBe(200)
  expect(await (await fetch(`${address}/docs/reference/qr-codes`)).text()).toContain('id="createQrCode"')
})

it('has data of its own beside an npm start with the same state directory: no number is used by both', async () => {
  const sites = [demoAt(address), demoAt(local())]
  const uids = Array.from({ length: 30 }, (_, i) => `order-${i}`)
  const created = await Promise.all(
    sites.flatMap((site, i) => uids.map((uid) => site.create(uid, { amount: { value: i + 1 } }))),
  )
  expect(
    new Set(created.map(({ status, headers }) => `${status} ${headers.get('Idempotent-Replayed')}`)),
  ).toEqual(new Set(['200 null']))
  for (const site of sites) {
    const { events } = EventsAnswer.parse(await site.value('/events?limit=1000'))
    expect(events.filter(({ qrCodeUid = '' }) => uids.includes(qrCodeUid))).toHaveLength(uids.length)
  }
})

it('says on its pages why there is no button that simulates a payment; a build never says so', async () => {
  const pagesOf = async (address: string) => {
    const { text } = await demoAt(address).create('page')
    const { pageUrl } = QrCodeAnswer.parse(JSON.parse(text))
    const headers = { Accept: 'text/html', 'Accept-Language': 'ru' }
    const pages = [`${address}/`, pageUrl].map(async (url) => (await fetch(url, { headers })).text())
    return (await Promise.all(pages)).map((page) => [
      page.includes('value="pay"') || page.includes('id="demo"'),
      page.includes('PAYMENT_NETWORK не sandbox'),
    ])
  }
  expect(await pagesOf(address)).toEqual([
    [false, true],
    [false, true],
  ])
  expect(await pagesOf(local())).toEqual([
    [true, false],
    [true, false],
  ])
})

it('an npm start refuses by name the data of an earlier version, which are where wrangler dev has its own, and goes on with them once they are moved', async () => {
  const [data, earlier] = [dataOf(directory()), join(directory(), 'v3/do')]
  const created = async ({ port }: NpmStart) =>
    (await demoAt(`http://127.0.0.1:${port}`).create('kept')).headers.get('Idempotent-Replayed')
  const first = await start()
  await first.writes(READY)
  expect(await created(first)).toBeNull()
  first.process.kill('SIGTERM')
  await first.ended
  mkdirSync(join(directory(), 'v3'))
  renameSync(data, earlier)
  const second = await start()
  expect([await second.ended, second.output()]).toEqual([
    1,
    `${earlier} has the data of an earlier version, must be ${data}: stop npm start and wrangler dev, then move it (mv) or delete it\n`,
  ])
  renameSync(earlier, data)
  const third = await start()
  await third.writes(READY)
  expect(await created(third)).toBe('true')
})
