// Receipts: what ten items cost a create, what a document takes on the disk, how fast creating is beside documents that wait.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { mintToken } from '../bin/mint-token.ts'
import { QrCodeAnswer } from '../src/contract/qr-code-answer.ts'
import { ReceiptsAnswer } from '../src/contract/receipts/list.ts'
import { SECRET } from '../test/support/secret.ts'
import { serve } from '../test/support/workers.ts'
import { CONNECTIONS, inParallel } from './creating.ts'
import type { Figures, Part, Report, Setting } from './figures.ts'
import { drive, type Measured } from './load.ts'
import { deadUrl } from './receiver.ts'
import { answerOf, create, creates } from './requests.ts'
import { measure, siteFile } from './site-file.ts'
import { median, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

/** Documents that are registered, and documents that wait. */
const FULL = { registered: 2_000, waiting: 10_000 }
const SMALLEST = { registered: 20, waiting: 50 }
const sizesOf = ({ isSmallest }: Setting) => (isSmallest ? SMALLEST : FULL)

const SANDBOX = { PAYMENT_NETWORK: 'sandbox' }
const NETWORK_SECRET = `whsec_${Buffer.alloc(32, 'a connector of the bench').toString('base64')}`

/** A receipt of the amount of each create: ten items, their names of 40 Cyrillic characters. */
const RECEIPT = {
  receipt: {
    contact: { email: 'customer@shop.example' },
    taxation: 'osn',
    items: Array.from({ length: 10 }, (_, index) => ({
      name: `Чай чёрный байховый листовой, пачка № ${index + 10}`,
      price: index === 0 ? '123.51' : '123.45',
      vat: '22',
    })),
  },
}
const WITHOUT = {}
/** What ATOL needs besides. */
const SHOP = { email: 'shop@shop.example', place: 'https://shop.example' }

const tokenOf = (scope: string, siteId = 'demo') => mintToken(SECRET, { siteId, scope, days: 1 })
const [operator, admin, merchant, network] = await Promise.all([
  tokenOf('operator', '*'),
  tokenOf('merchant:admin'),
  tokenOf('merchant'),
  tokenOf('network'),
])

export const receipts: Part = async (setting) => {
  const reports = [await creating(setting), await bytes(setting), await waiting(setting)]
  return {
    tables: reports.flatMap(({ tables }) => tables),
    figures: Object.assign({}, ...reports.map(({ figures }) => figures)) as Partial<Figures>,
    faults: reports.flatMap(({ faults }) => faults),
  }
}

/** Creates with a receipt of ten items, and without. */
async function creating({ directory, ours, rounds, seconds }: Setting): Promise<Report> {
  const { port, cpuSeconds, stop } = await serve(ours, join(directory, 'creating'), { vars: SANDBOX })
  const measured = { without: [] as Measured[], with: [] as Measured[] }
  const faults: string[] = []
  const load = async (name: keyof typeof measured, time: number) => {
    const request = creates('none', undefined, name === 'with' ? RECEIPT : WITHOUT)
    const one = await drive({
      ...{ port, cpuSeconds, request, connections: CONNECTIONS },
      ...{ seconds: time, warmUp: 0.3 },
    })
    faults.push(...one.faults)
    return one
  }
  for (const name of ['without', 'with'] as const) await load(name, Math.min(seconds, 1))
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) {
      measured[name].push(await load(name, seconds))
    }
  }
  await stop()
  const cpu = ratio(
    measured.with.map(({ cpuMicros }) => cpuMicros),
    measured.without.map(({ cpuMicros }) => cpuMicros),
  )
  return {
    tables: [
      table(
        `Creating with ${CONNECTIONS} connections (medians of ${rounds} rounds; ms)`,
        ['receipt', 'req/s', 'median', 'p99', 'CPU µs', 'CPU of none'],
        (['without', 'with'] as const).map((name) => [
          name === 'with' ? '10 items' : 'none',
          figure(median(measured[name].map(({ perSecond }) => perSecond))),
          figure(median(measured[name].map((one) => one.median))),
          figure(median(measured[name].map(({ p99 }) => p99))),
          figure(median(measured[name].map(({ cpuMicros }) => cpuMicros))),
          name === 'with' ? times(cpu) : '',
        ]),
      ),
    ],
    figures: { create_with_receipt_cpu: cpu },
    faults,
  }
}

/** What a registered document adds to a site, and what its code keeps of the receipt. */
async function bytes(setting: Setting): Promise<Report> {
  const { directory, ours } = setting
  const { registered } = sizesOf(setting)
  const sizeOf = async (
    name: string,
    more: object,
    work: (port: number, more: object) => Promise<unknown>,
  ) => {
    const disk = join(directory, name)
    const { port, stop } = await serve(ours, disk, { vars: SANDBOX })
    await inParallel(registered, () => work(port, more))
    await untilRegistered(port)
    await stop()
    return measure(siteFile(disk)).bytes / registered
  }
  const code = (await sizeOf('codes', RECEIPT, make)) - (await sizeOf('codes-without', WITHOUT, make))
  const paid = (await sizeOf('paid', RECEIPT, pay)) - (await sizeOf('paid-without', WITHOUT, pay))
  return {
    tables: [
      table(
        `What a receipt of ten items, each with a name of 40 Cyrillic characters, takes (${registered} QR codes)`,
        ['', 'bytes'],
        [
          ['its code and its contact', figure(code)],
          ['its document, once it is registered', figure(paid - code)],
        ],
      ),
    ],
    figures: { bytes_per_receipt: paid - code },
    faults: [],
  }
}

/** Creates while documents wait for a connector that does not answer, and while there are none. */
async function waiting(setting: Setting): Promise<Report> {
  const { directory, ours, rounds, seconds } = setting
  const { waiting: count } = sizesOf(setting)
  const vars = { NETWORK_URL: await deadUrl(), NETWORK_SECRET }
  const site = async (name: string, more: object) => {
    const server = await serve(ours, join(directory, name), { vars })
    const { port } = server
    await pay(port, WITHOUT)
    await answerOf({ port, token: operator }, '/operator/v1/sites/demo/cashRegister', 'PUT', {
      kind: 'atol',
      ffd: '1.2',
    })
    await answerOf({ port, token: admin }, '/payin/v1/sites/demo/settings', 'PATCH', { receipts: SHOP })
    await inParallel(count, () => pay(port, more))
    return { server, measured: [] as Measured[] }
  }
  const sites = { without: await site('none', WITHOUT), waiting: await site('waiting', RECEIPT) }
  const faults: string[] = []
  // More rounds, and shorter ones, as beside notifications.
  for (let round = -1; round < 2 * rounds; round++) {
    const { without, waiting: beside } = sites
    for (const { server, measured } of round % 2 === 0 ? [without, beside] : [beside, without]) {
      const { port, cpuSeconds } = server
      const request = creates('none')
      const one = await drive({
        ...{ port, cpuSeconds, request, connections: CONNECTIONS },
        ...{ seconds: seconds / 2, warmUp: 0.3 },
      })
      faults.push(...one.faults)
      if (round >= 0) measured.push(one)
    }
  }
  if (await hasReceipts(sites.waiting.server.port, 'REGISTERED,FAILED'))
    faults.push('a document does not wait')
  await Promise.all(Object.values(sites).map(({ server }) => server.stop()))
  const perSecond = (name: keyof typeof sites) => sites[name].measured.map((one) => one.perSecond)
  const beside = ratio(perSecond('waiting'), perSecond('without'))
  return {
    tables: [
      table(
        `Creating with ${CONNECTIONS} connections (medians of ${2 * rounds} rounds)`,
        ['documents that wait for the connector', 'req/s', 'CPU µs', 'of none'],
        (['without', 'waiting'] as const).map((name) => [
          name === 'waiting' ? count.toLocaleString('en') : '0',
          figure(median(perSecond(name))),
          figure(median(sites[name].measured.map(({ cpuMicros }) => cpuMicros))),
          name === 'waiting' ? times(beside) : '',
        ]),
      ),
    ],
    figures: { create_beside_waiting_receipts: beside },
    faults,
  }
}

/** Creates a QR code. @param more fields of the create */
const make = async (port: number, more: object) =>
  QrCodeAnswer.parse(await (await create(port, randomUUID(), 'none', undefined, more)).json())

/** Creates a QR code and reports its payment. */
async function pay(port: number, more: object): Promise<void> {
  const { qrCode } = await make(port, more)
  const link = new URL(qrCode.payload).pathname.split('/').at(-1)
  const path = `/network/v1/sites/demo/qrCodes/${link}/payments/${randomUUID()}`
  await answerOf({ port, token: network }, path, 'PUT', { status: 'COMPLETED', amount: { value: 1234.56 } })
}

/** Resolves when each document is registered. */
async function untilRegistered(port: number): Promise<void> {
  const deadline = performance.now() + 60_000
  while (await hasReceipts(port, 'WAITING,SENT')) {
    if (performance.now() > deadline) throw new Error('there are documents that are not registered')
    await pause(50)
  }
  if (await hasReceipts(port, 'FAILED')) throw new Error('a document failed')
}

/** Whether there is a document in one of the states. */
async function hasReceipts(port: number, states: string): Promise<boolean> {
  const page = await answerOf(
    { port, token: merchant },
    `/payin/v1/sites/demo/receipts?state=${states}&limit=1`,
  )
  return ReceiptsAnswer.parse(page).receipts.length > 0
}
