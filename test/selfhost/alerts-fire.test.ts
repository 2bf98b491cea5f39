// Every alert of the service in a real Prometheus: a fault makes it fire, and what docs/runbook.md says ends it. It
// takes some minutes, and runs by hand, with those beside it: ALERTS=1 npm run test:selfhost -- alerts-fire
import { closeSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { registryFile } from '../../bin/data/data-directory.ts'
import { PaymentReceiptsAnswer } from '../../src/contract/receipts/list.ts'
import { SiteAnswer } from '../../src/contract/site.ts'
import { workerdThatNotifiesThisMachine } from '../support/bank-deployment.ts'
import { hasClock, shiftedClock } from '../support/clock.ts'
import { succeeds } from '../support/command.ts'
import { freePort, portOf } from '../support/ports.ts'
import { hasPrometheus, prometheus, type Watch } from '../support/prometheus.ts'
import {
  asOperator,
  EXTERNAL,
  fileOf,
  type Served,
  type ServeOptions,
  siteOf,
  started,
  temporaryDirectory,
  workerdOf,
} from '../support/serve.ts'
import { linkIdIn, valueIn } from '../support/site-at.ts'

let directory: string
let data: string
let ports: readonly [number, number]
let watch: Watch

const start = (options: ServeOptions = {}) => started(data, { ports, ...options })

/** Repeats something until the test says that it is enough; the next one begins when one before has its answer. */
function repeatedly(lanes: number, act: (n: number) => Promise<unknown>): () => Promise<void> {
  let [isEnded, n] = [false, 0]
  const running = Array.from({ length: lanes }, async () => {
    while (!isEnded) await act(n++)
  })
  const stop = async () => {
    isEnded = true
    await Promise.allSettled(running)
  }
  onTestFinished(stop)
  return stop
}

/** None yet. */
const noText = (): string | undefined => undefined

/** A server on this machine that answers as it is told now; 500 where the request has the text of `fails`. */
async function answering(answer: { status: number; body?: () => unknown; ms?: number }) {
  const network = { answer, answered: 0, settings: { ...EXTERNAL }, fails: noText() }
  const server = createServer(async (request, response) => {
    const asked = await text(request)
    await sleep(answer.ms ?? 0)
    const fails = network.fails !== undefined && asked.includes(network.fails)
    response.writeHead(fails ? 500 : answer.status, { 'Content-Type': 'application/json' })
    response.end(answer.body && JSON.stringify(answer.body()))
    network.answered++
  })
  const port = await portOf(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  network.settings.NETWORK_URL = `http://127.0.0.1:${port}/`
  return network
}

describe.runIf(process.env.ALERTS && hasPrometheus && hasClock)('the alert', () => {
  beforeEach(async () => {
    directory = temporaryDirectory()
    data = join(directory, 'data')
    ports = [await freePort(), await freePort()]
  })
  const watched = async (speed?: number) => {
    watch = await prometheus(directory, { 'fps-qr': ports[1] }, speed)
  }

  it('FpsQrDown: the service is stopped; it is started', async () => {
    const served = await start()
    await watched()
    await served.stop()
    await watch.fires('FpsQrDown')
    await start()
    await watch.ends('FpsQrDown')
  })

  it.each([true, false])(
    'FpsQrErrors: a table of a site is lost, and one request gets 500, which Prometheus sees: %s; the site is restored',
    async (isFirst) => {
      const before = await start()
      await siteOf(before).create('a')
      const backup = join(directory, 'backup')
      succeeds('backup', '--data', data, '--to', backup)
      await before.stop()
      const file = new DatabaseSync(fileOf(data))
      file.exec('ALTER TABLE qr_codes RENAME TO gone')
      file.close()
      const served = await start()
      if (isFirst) await watched()
      expect((await siteOf(served).ask('/sbp/qrCodes')).status).toBe(500)
      if (!isFirst) await watched()
      await watch.fires('FpsQrErrors')
      expect(served.output()).toMatch(/"status":500.*"fault"/)
      await served.stop()
      rmSync(data, { recursive: true })
      succeeds('restore', '--from', backup, '--data', data, '--audit-of-backup')
      const again = await start()
      expect((await siteOf(again).ask('/sbp/qrCodes')).status).toBe(200)
      await watch.ends('FpsQrErrors')
    },
  )

  it('FpsQrUnavailable: the disk is full; it gets room', async () => {
    // A file system of its own: the log of a database takes 4 MB.
    const disk =
      'data=$1 && shift && mkdir -p "$data" && mount -t tmpfs -o size=32m tmpfs "$data" && exec "$@"'
    const wrapper = ['unshare', '--map-root-user', '--mount', 'sh', '-c', disk, 'sh', data]
    const served = await start({ wrapper })
    await watched()
    const filler = join('/proc', `${served.process.pid}`, 'root', data, 'filler')
    for (let size = 33_000_000; ; size -= 50_000) {
      try {
        writeFileSync(filler, Buffer.alloc(size))
        break
      } catch {}
    }
    const stop = repeatedly(1, async (n) => {
      await siteOf(served).create(`uid-${n}`)
      await sleep(50)
    })
    await watch.fires('FpsQrUnavailable')
    rmSync(filler)
    await watch.ends('FpsQrUnavailable')
    await stop()
    expect((await siteOf(served).create('one more')).status).toBe(200)
  })

  it('FpsQrNetworkUnavailable: the bank gives no links, while the service is well; it gives them', async () => {
    let n = 0
    const body = () => ({ payload: `https://qr.nspk.ru/AS${n++}?type=02` })
    const bank = await answering({ status: 500, body })
    const served = await start({ settings: { ...bank.settings, LINKS: 'connector' } })
    await watched()
    repeatedly(1, async (n) => {
      await siteOf(served).create(`uid-${n}`)
      await sleep(50)
    })
    await watch.fires('FpsQrNetworkUnavailable')
    await watch.ends('FpsQrUnavailable')
    bank.answer.status = 200
    await watch.ends('FpsQrNetworkUnavailable')
  })

  it('FpsQrSiteFailing: the bank of one site gives no links, while ten other sites work; it gives them', async () => {
    let n = 0
    const body = () => ({ payload: `https://qr.nspk.ru/AS${n++}?type=02` })
    const bank = await answering({ status: 200, body })
    const served = await start({ settings: { ...bank.settings, LINKS: 'connector' } })
    await watched()
    bank.fails = '"siteId":"demo"'
    repeatedly(1, async (n) => {
      await siteOf(served).create(`uid-${n}`)
      await sleep(1000)
    })
    const others = repeatedly(2, async (n) => {
      expect((await siteOf(served, `other-${n % 10}`).create(`uid-${n}`)).status).toBe(200)
      await sleep(5)
    })
    await watch.fires('FpsQrSiteFailing')
    bank.fails = undefined
    await watch.ends('FpsQrSiteFailing')
    await others()
  })

  it('FpsQrSlow: the bank answers late; it answers in time', async () => {
    let n = 0
    const body = () => ({ payload: `https://qr.nspk.ru/AS${n++}?type=02` })
    const bank = await answering({ status: 200, ms: 1500, body })
    const served = await start({ settings: { ...bank.settings, LINKS: 'connector' } })
    await watched()
    repeatedly(4, (n) => siteOf(served).create(`uid-${n}`))
    await watch.fires('FpsQrSlow')
    bank.answer.ms = 0
    await watch.ends('FpsQrSlow')
  })

  it('FpsQrSlow: the process gets no time of the machine; what takes it ends', async () => {
    const served = await start()
    await watched()
    repeatedly(4, (n) => siteOf(served).create(`uid-${n}`))
    const workerd = workerdOf(data)
    let isBusy = true
    const busy = (async () => {
      while (isBusy) {
        process.kill(workerd, 'SIGSTOP')
        await sleep(1500)
        process.kill(workerd, 'SIGCONT')
        await sleep(500)
      }
    })()
    await watch.fires('FpsQrSlow')
    isBusy = false
    await busy
    await watch.ends('FpsQrSlow')
  })

  it.each(['the bank reports', 'it is sent by hand'])(
    'FpsQrInstructionsOverdue: a refund has no answer for an hour; %s',
    async (cure) => {
      const isTaken = cure === 'the bank reports'
      const bank = await answering({ status: isTaken ? 202 : 500 })
      const clock = shiftedClock(directory)
      const settings = { ...bank.settings, ...clock.settings }
      const before = await start({ settings })
      await siteOf(before).pay('a')
      expect((await siteOf(before).refund('pay-a', 'r', 1)).status).toBe(200)
      await expect.poll(() => bank.answered).toBeGreaterThan(0)
      await before.stop()
      clock.set(1.1)
      const served = await start({ settings })
      const site = siteOf(served)
      await watched()
      await watch.fires('FpsQrInstructionsOverdue')
      const { instructions } = SiteAnswer.parse(await (await asOperator(served, '/sites/demo')).json())
      expect(instructions.overdue).toMatchObject([{ taken: isTaken }])
      expect(served.output()).toContain('an instruction is overdue')
      if (!isTaken) {
        bank.answer.status = 202
        const path = `/sites/demo/instructions/${instructions.overdue[0]?.id}/send`
        const sent = await asOperator(served, path, { method: 'POST' })
        expect(sent.status).toBe(200)
      }
      expect((await site.reportRefund('pay-a', 'r', { status: 'COMPLETED' })).status).toBe(200)
      await watch.ends('FpsQrInstructionsOverdue')
    },
  )

  it('FpsQrConnectorFailing: the connector has another secret; it takes one', async () => {
    const bank = await answering({ status: 401 })
    const served = await start({ settings: bank.settings })
    await watched()
    const site = siteOf(served)
    await site.pay('a')
    for (let n = 0; n < 5; n++) await site.refund('pay-a', `r${n}`, 1)
    // Merchants refund all the time: without that, the alert lasts as long as attempts are made.
    const stop = repeatedly(1, async (n) => {
      await site.pay(`b-${n}`)
      await site.refund(`pay-b-${n}`, 'r', 1)
      await sleep(500)
    })
    await watch.fires('FpsQrConnectorFailing')
    bank.answer.status = 202
    await watch.ends('FpsQrConnectorFailing')
    await stop()
  })

  it('FpsQrNotificationsStuck: a merchant takes no notification; it removes its callbackUrl', async () => {
    const clock = shiftedClock(directory)
    const set = (served: Served, body: object) => siteOf(served).ask('/settings', { method: 'PUT', body })
    const before = await start({ settings: clock.settings })
    await set(before, { callbackUrl: 'https://no-such-host.invalid/' })
    await siteOf(before).ask('/settings/notificationKeys', { method: 'POST' })
    await siteOf(before).pay('a')
    await expect.poll(() => before.output()).toContain('a notification was not delivered')
    await before.stop()
    clock.set(1.1)
    const served = await start({ settings: clock.settings })
    await watched()
    await watch.fires('FpsQrNotificationsStuck')
    await set(served, {})
    await watch.ends('FpsQrNotificationsStuck')
  })

  it('FpsQrNotificationsStuck: the server of a merchant answers 500; it works again', async () => {
    const shop = await answering({ status: 500 })
    const clock = shiftedClock(directory)
    const notifying = { CALLBACK_HOSTS: 'any', WORKERD: workerdThatNotifiesThisMachine(directory) }
    const settings = { ...clock.settings, ...notifying }
    const before = await start({ settings })
    await siteOf(before).ask('/settings', {
      method: 'PUT',
      body: { callbackUrl: shop.settings.NETWORK_URL },
    })
    await siteOf(before).ask('/settings/notificationKeys', { method: 'POST' })
    await siteOf(before).pay('a')
    await expect.poll(() => before.output()).toContain('a notification was not delivered')
    await before.stop()
    clock.set(1.1)
    const served = await start({ settings })
    const notifications = async (status: string) =>
      valueIn(await siteOf(served).ask(`/notifications?status=${status}`))
    await watched()
    await watch.fires('FpsQrNotificationsStuck')
    expect(await notifications('PENDING')).toMatchObject({ notifications: [{ type: 'PAYMENT' }] })
    expect(served.output()).toMatch(/"a notification was not delivered","site":"demo",.*"httpStatus":500/)
    shop.answer.status = 200
    await watch.ends('FpsQrNotificationsStuck')
    expect(await notifications('DELIVERED')).toMatchObject({ notifications: [{ type: 'PAYMENT' }] })
  })

  it('FpsQrNotificationsFailed: the server of a merchant answers 410; it works again, and gets them redelivered', async () => {
    const shop = await answering({ status: 410 })
    const notifying = { CALLBACK_HOSTS: 'any', WORKERD: workerdThatNotifiesThisMachine(directory) }
    const served = await start({ settings: notifying })
    const site = siteOf(served)
    await site.ask('/settings', { method: 'PUT', body: { callbackUrl: shop.settings.NETWORK_URL } })
    await site.ask('/settings/notificationKeys', { method: 'POST' })
    await watched()
    const stop = repeatedly(1, async (n) => {
      await site.pay(`a-${n}`)
      await sleep(1000)
    })
    await watch.fires('FpsQrNotificationsFailed')
    await stop()
    const failed = async () =>
      z
        .object({ notifications: z.array(z.object({ id: z.string() })) })
        .parse(valueIn(await site.ask('/notifications?status=FAILED&limit=100'))).notifications
    expect((await failed()).length).toBeGreaterThan(0)
    shop.answer.status = 200
    for (const { id } of await failed())
      expect((await site.ask(`/notifications/${id}/redeliver`, { method: 'POST' })).status).toBe(200)
    expect(await failed()).toEqual([])
    await watch.ends('FpsQrNotificationsFailed')
  })

  it('FpsQrSiteRestored: a site is restored; it is resumed while the service runs', async () => {
    const before = await start()
    await siteOf(before).pay('a')
    await before.stop()
    const backup = join(directory, 'backup')
    succeeds('backup', '--data', data, '--to', backup)
    rmSync(data, { recursive: true })
    succeeds('restore', '--from', backup, '--data', data, '--audit-of-backup')
    const served = await start()
    await watched()
    await watch.fires('FpsQrSiteRestored')
    expect((await asOperator(served, '/sites/demo/resume', { method: 'POST' })).status).toBe(200)
    await watch.ends('FpsQrSiteRestored')
  })

  it('FpsQrRegistryDown: the file of the registry is overwritten; it is made anew', async () => {
    const served = await start()
    await siteOf(served).create('a')
    const metrics = async () => (await fetch(`${served.admin}/metrics`)).text()
    await expect.poll(metrics).toContain('fps_qr_sites 1')
    // The runtime keeps the object and its pages in memory while it is called, and some seconds longer.
    await sleep(15_000)
    for (const end of ['-wal', '-shm']) rmSync(registryFile(data) + end, { force: true })
    writeFileSync(registryFile(data), Buffer.alloc(65_536, 'x'))
    await watched()
    await watch.fires('FpsQrRegistryDown')
    expect((await siteOf(served).create('b')).status).toBe(200)
    await served.stop()
    succeeds('sites', 'rebuild', '--data', data)
    await start()
    await watch.ends('FpsQrRegistryDown')
  })

  /** A payment with a receipt. @returns the document's key */
  async function soldWithReceipt(served: Served): Promise<string> {
    const site = siteOf(served)
    // A site exists with its first write.
    await site.ask('/settings', { method: 'PUT', body: {} })
    const body = { kind: 'atol', ffd: '1.2' }
    expect((await asOperator(served, '/sites/demo/cashRegister', { method: 'PUT', body })).status).toBe(200)
    const receipts = { email: 'shop@shop.example', place: 'https://shop.example' }
    expect((await site.ask('/settings', { method: 'PATCH', body: { receipts } })).status).toBe(200)
    const receipt = {
      contact: { email: 'customer@shop.example' },
      taxation: 'osn',
      items: [{ name: 'Tea', price: '5.00', vat: '10' }],
    }
    const created = await site.create('a', { amount: { value: 5 }, receipt })
    expect((await site.report(linkIdIn(created), 'pay-a')).status).toBe(200)
    const { receipts: made } = PaymentReceiptsAnswer.parse(await site.value('/payments/pay-a/receipts'))
    return made[0]?.receiptUid ?? ''
  }
  const reportReceipt = (served: Served, receiptUid: string, body: object) =>
    siteOf(served).ask(`/network/v1/sites/demo/receipts/${receiptUid}`, { method: 'PUT', body })

  it('FpsQrReceiptsLate: a payment has no receipt for ten minutes; the cash register makes it', async () => {
    const bank = await answering({ status: 202 })
    const clock = shiftedClock(directory)
    const settings = { ...bank.settings, ...clock.settings }
    const before = await start({ settings })
    const receiptUid = await soldWithReceipt(before)
    await before.stop()
    clock.set(0.2)
    const served = await start({ settings })
    // A write of the site tells the registry.
    await siteOf(served).create('b')
    await watched()
    await watch.fires('FpsQrReceiptsLate')
    expect((await reportReceipt(served, receiptUid, { state: 'REGISTERED' })).status).toBe(200)
    await watch.ends('FpsQrReceiptsLate')
  })

  it('FpsQrReceiptsFailed: the cash register refuses a receipt; it is corrected and sent again', async () => {
    const bank = await answering({ status: 202 })
    const served = await start({ settings: bank.settings })
    const receiptUid = await soldWithReceipt(served)
    await watched()
    await sleep(2000)
    const failed = { state: 'FAILED', reason: 'the shift is closed', canRetry: true }
    expect((await reportReceipt(served, receiptUid, failed)).status).toBe(200)
    await watch.fires('FpsQrReceiptsFailed')
    const again = await siteOf(served).ask(`/receipts/${receiptUid}/retry`, { method: 'POST', body: {} })
    expect(again.status).toBe(202)
    await watch.ends('FpsQrReceiptsFailed')
  })

  it('FpsQrSettlementExpected: on each of three days more payments are in no file; then there are no more', async () => {
    let served = await start()
    await siteOf(served).create('a')
    // A day takes 24 seconds.
    await watched(3600)
    const expect = async (count: number) => {
      await served.stop()
      const file = new DatabaseSync(registryFile(data))
      const columns = `payments, gross, refunds, refunded, fee, fee_vat, net, without_fee, without_vat, matched, mismatched, unknown`
      file.exec(
        `INSERT OR REPLACE INTO settlement_months (site_id, month, expected, ${columns})
         VALUES ('demo', '2026-11', ${count}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
      )
      file.close()
      served = await start()
      await sleep(25_000)
    }
    for (const count of [0, 1, 2]) await expect(count)
    await Promise.all([expect(3), watch.fires('FpsQrSettlementExpected')])
    await expect(0)
    await watch.ends('FpsQrSettlementExpected')
  })

  it('FpsQrSiteWithoutKey: a merchant sets its callbackUrl; it makes a key', async () => {
    const served = await start()
    await watched()
    const site = siteOf(served)
    await site.ask('/settings', { method: 'PUT', body: { callbackUrl: 'https://no-such-host.invalid/' } })
    await watch.fires('FpsQrSiteWithoutKey')
    const stuck = await (await asOperator(served, '/sites?stuck=true')).json()
    expect(stuck).toMatchObject({ sites: [{ siteId: 'demo', stuck: { withoutKey: true } }] })
    await site.ask('/settings/notificationKeys', { method: 'POST' })
    await watch.ends('FpsQrSiteWithoutKey')
  })

  it('FpsQrSiteLarge: a site has 5 GB, as its file says; it is deleted', async () => {
    const before = await start()
    await siteOf(before).create('a')
    await before.stop()
    // The pages are holes of the file: nothing is written.
    const bytes = 5_000_003_584
    truncateSync(fileOf(data), bytes)
    const file = openSync(fileOf(data), 'r+')
    const pages = Buffer.alloc(4)
    pages.writeUInt32BE(bytes / 4096)
    writeSync(file, pages, 0, 4, 28)
    closeSync(file)
    const served = await start()
    await watched()
    await watch.fires('FpsQrSiteLarge')
    const stuck = await (await asOperator(served, '/sites?stuck=true')).json()
    expect(stuck).toMatchObject({ sites: [{ siteId: 'demo', stuck: { large: true } }] })
    await asOperator(served, '/sites/demo', { method: 'DELETE', body: { siteId: 'demo', force: true } })
    await watch.ends('FpsQrSiteLarge')
  })

  it.each([0, 27])(
    'FpsQrBackupOld: the last backup is %s hours old, where 0 says that there was none; one is made',
    async (hours) => {
      const backUp = (name: string) =>
        succeeds('backup', '--data', data, '--to', join(directory, name), '--admin-port', `${ports[1]}`)
      const before = await start()
      await siteOf(before).create('a')
      if (hours > 0) {
        backUp('before')
        await watched()
        await watch.ends('FpsQrBackupOld')
        await before.stop()
        const file = new DatabaseSync(registryFile(data))
        file.prepare('UPDATE machine SET backed_up_at = backed_up_at - ?').run(hours * 3_600_000)
        file.close()
        await start()
      } else await watched()
      await watch.fires('FpsQrBackupOld')
      backUp('after')
      await watch.ends('FpsQrBackupOld')
    },
  )

  it('FpsQrRestarts: not where the operator restarts it five times', async () => {
    let served = await start()
    await watched()
    for (let n = 0; n < 5; n++) {
      await sleep(1500)
      await served.stop()
      served = await start()
    }
    await sleep(1500)
    await watch.ends('FpsQrRestarts')
    expect(await (await fetch(`${served.admin}/metrics`)).text()).toContain(
      'fps_qr_unplanned_starts_total 0\n',
    )
  })

  it('FpsQrRestarts: workerd is killed again and again; it is left alone for an hour', async () => {
    const served = await start()
    await watched()
    const stop = repeatedly(1, async () => {
      const pid = workerdOf(data)
      process.kill(pid, 'SIGKILL')
      while (workerdOf(data) === pid) await sleep(20)
      await served.ready()
      await sleep(600)
    })
    await watch.fires('FpsQrRestarts')
    await stop()
    await watch.ends('FpsQrRestarts')
  })

  it('FpsQrWritesRefused: a merchant sends 2,000 creates at once, again and again; it sends them one by one', async () => {
    const served = await start()
    // A slow machine answers no scrape during a burst: the five minutes of the rule hold two bursts, and what is between them.
    await watched(6)
    const workerd = workerdOf(data)
    const stop = repeatedly(1, async (n) => {
      // The client here is not faster than the service: while the process rests, all of its creates arrive.
      process.kill(workerd, 'SIGSTOP')
      const burst = Array.from({ length: 2000 }, (_, i) => siteOf(served).create(`uid-${n}-${i}`))
      await sleep(2000)
      process.kill(workerd, 'SIGCONT')
      await Promise.allSettled(burst)
      await sleep(2000)
    })
    await watch.fires('FpsQrWritesRefused')
    await stop()
    repeatedly(1, (n) => siteOf(served).create(`slow-${n}`))
    await watch.ends('FpsQrWritesRefused')
  })
})

it('every alert has a test here, or beside it', () => {
  const files = ['', '-connector', '-cluster'].map((part) => `alerts-fire${part}.test.ts`)
  const tests = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('')
  const alerts = Array.from(
    readFileSync('deploy/alerts.yml', 'utf8').matchAll(/- alert: (\w+)/g),
    ([, name]) => name,
  )
  for (const name of alerts) expect(tests).toContain(`${name}: `)
})
