// A site of gigabytes of which nothing is in memory: how long each kind of work takes at first, and the memory that it needs.
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { mintToken } from '../bin/mint-token.ts'
import { residentBytes } from '../test/support/processes.ts'
import { SECRET } from '../test/support/secret.ts'
import { signIn } from './console.ts'
import type { Part } from './figures.ts'
import { DAY, firstPayment, multiply } from './million-payments.ts'
import { bin, Production } from './production.ts'
import { deletedIn, siteFile, untilDeleted } from './site-file.ts'
import { figure, mebibytes, table } from './table.ts'

/** A QR code with its two events, and four of five times its payment. */
const BYTES_OF_CODE = 600
const DAYS = 365
const EXPIRED_OF = 5
const RETENTION_DAYS = '30'
const RETENTION_MS = 60_000
/** An export goes through the site from its first row to its last: so much of it tells how fast it goes. */
const EXPORT_MS = 60_000
/** Beside long work a QR code is created so often. */
const CREATE_EVERY_MS = 100
const SAMPLE_MS = 50

const [MERCHANT, ADMIN, OPERATOR] = await Promise.all(
  (['merchant', 'merchant:admin', 'operator'] as const).map((scope) =>
    mintToken(SECRET, { siteId: scope === 'operator' ? '*' : 'demo', scope, days: 1 }),
  ),
)
const MONTH = { from: daysBefore(29), to: DAY }

/** What a merchant reads, and then what people do in the console; the middle one of the codes is `order-N`. */
const reads = (middle: number): Record<string, string> => ({
  'read of a QR code': `/sbp/qrCodes/order-${middle}`,
  'list of QR codes': '/sbp/qrCodes?limit=100',
  'list, those that are EXPIRED': '/sbp/qrCodes?status=EXPIRED&limit=100',
  'list, until a day half a year ago': `/sbp/qrCodes?createdTo=${daysBefore(180)}T00:00:00Z&limit=100`,
  'list of payments': '/payments?limit=100',
  'feed, the first 1,000 events': '/events?limit=1000',
  'feed, the latest 100': '/events?before=end&limit=100',
  'search by an identifier': `/search?q=order-${middle + 1}`,
  'search by a part of one': `/search?q=rder-${middle + 2}`,
  'search by a purpose': '/search?q=%D1%87%D0%B0%D0%B9',
  'search for what is not there': '/search?q=nothing',
  'figures of a day': `/reports/day?date=${DAY}`,
  'figures of a month': `/reports/day?date=${DAY}&period=month`,
})
const PAGES: Record<string, string> = {
  'console: today': '',
  'console: a month': `?date=${DAY}&period=month`,
  'console: QR codes': 'qr',
  'console: payments': 'payments',
  'console: payments of a day': `payments?status=COMPLETED&from=${daysBefore(90)}&to=${daysBefore(90)}`,
  'console: events': 'events',
  'console: search by a part': 'search?q=rder-77',
  'console: notifications': 'notifications',
}
const OPERATOR_PAGES: Record<string, string> = {
  'console: all sites': 'operator/sites',
  'console: the operator’s page of the site': 'operator/sites/demo',
}

export const cold: Part = async ({ directory, gigabytes, isSmallest }) => {
  const data = join(directory, 'data')
  const empty = await Production.start(data)
  await firstPayment(empty.address)
  await empty.stop()
  const file = siteFile(data)
  const count = Math.round((gigabytes * 1e9) / BYTES_OF_CODE)
  multiply(file, { count, days: DAYS, expiredOf: EXPIRED_OF })
  const { size } = statSync(file)

  const rows: string[][] = []
  // It takes so long that a person looks at it meanwhile.
  const add = (...row: string[]) => {
    console.log(row.join('  '))
    rows.push(row)
  }
  const faults: string[] = []
  const slowest: number[] = []
  /** Does the same twice: after the first time some of it is in memory. */
  const twice = async (name: string, server: Production, ask: () => Promise<Response>) => {
    server.forgetPeak()
    const seconds: number[] = []
    for (let i = 0; i < 2; i++) {
      const started = performance.now()
      const response = await ask()
      const body = await response.text()
      seconds.push((performance.now() - started) / 1000)
      if (response.status !== 200)
        faults.push(`${name} is answered ${response.status}: ${body.slice(0, 200)}`)
    }
    slowest.push(...seconds)
    add(name, ...seconds.map(figure), ...memoryOf(server), '')
  }
  /** Does something long once, with creates beside it. */
  const long = async (name: string, server: Production, work: () => Promise<string>) => {
    server.forgetPeak()
    const started = performance.now()
    const creates = createsBeside(server, faults)
    const what = await work()
    const seconds = (performance.now() - started) / 1000
    const longest = await creates.end()
    slowest.push(longest)
    add(`${name}: ${what}`, figure(seconds), '', ...memoryOf(server), figure(longest))
  }

  dropFromMemory(data)
  let started = performance.now()
  let server = await Production.start(data)
  add('start', figure((performance.now() - started) / 1000), '', ...memoryOf(server), '')
  const site = `${server.address}/payin/v1/sites/demo`
  const middle = Math.round(count / 2 / EXPIRED_OF) * EXPIRED_OF + 1
  for (const [name, path] of Object.entries(reads(middle))) {
    await twice(name, server, () => fetch(site + path, { headers: { Authorization: `Bearer ${MERCHANT}` } }))
    // The first write comes after the first read.
    if (rows.length === 2) await twice('create of a QR code', server, () => create(server))
  }
  const pages = `${server.address}/console/`
  for (const [token, shown, base] of [
    [ADMIN, PAGES, `${pages}sites/demo/`],
    [OPERATOR, OPERATOR_PAGES, pages],
  ] as const) {
    const headers = { Cookie: await signIn(pages, token ?? '') }
    for (const [name, page] of Object.entries(shown))
      await twice(name, server, () => fetch(base + page, { headers, redirect: 'manual' }))
  }
  dropFromMemory(data)
  await long('report of the payments of 30 days', server, () =>
    sizeOf(`${site}/reports/payments?from=${MONTH.from}&to=${MONTH.to}`, MERCHANT ?? ''),
  )
  dropFromMemory(data)
  await long('backup', server, async () => {
    const { printed } = await run('data/backup', '--data', data, '--to', join(directory, 'backup'))
    return printed.trim()
  })
  dropFromMemory(data)
  await long('export', server, () =>
    sizeOf(`${server.address}/operator/v1/sites/demo/export`, OPERATOR ?? '', EXPORT_MS),
  )
  await server.stop()

  dropFromMemory(data)
  started = performance.now()
  server = await Production.start(data, { RETENTION_DAYS })
  add('start with retention', figure((performance.now() - started) / 1000), '', ...memoryOf(server), '')
  await (await create(server)).text()
  await long('retention', server, async () => {
    await sleep(isSmallest ? 0 : RETENTION_MS)
    await untilDeleted(file)
    return `${deletedIn(file).toLocaleString('en')} of ${Math.floor(count / EXPIRED_OF).toLocaleString('en')} deleted`
  })
  await server.stop()

  dropFromMemory(data)
  const { printed, seconds, peak } = await run('data/verify', '--data', data)
  if (!printed.endsWith('with problems: 0\n')) faults.push(`verify: ${printed}`)
  add('verify', figure(seconds), '', '', mebibytes(peak), '')
  return {
    tables: [
      table(
        `A site of ${figure(size / 1e9)} GB with ${count.toLocaleString('en')} QR codes, one in ${EXPIRED_OF} not paid`,
        ['', 's at first', 's again', 'memory after', 'peak', 's of the slowest create beside'],
        rows,
      ),
    ],
    figures: { cold_request_seconds: Math.max(...slowest) },
    faults,
  }
}

const memoryOf = (server: Production): string[] => {
  const { present, peak } = server.memory()
  return [mebibytes(present), mebibytes(peak)]
}

function daysBefore(days: number): string {
  return new Date(Date.parse(DAY) - days * 86_400_000).toISOString().slice(0, 10)
}

/** Has the system forget what it has read of the files; what is not on the disk yet is written before. */
function dropFromMemory(directory: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const file = `of=${join(entry.parentPath, entry.name)}`
      execFileSync('dd', [file, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none'])
    }
}

/** However long that takes. */
const create = ({ address }: Production): Promise<Response> =>
  fetch(`${address}/payin/v1/sites/demo/sbp/qrCodes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${MERCHANT}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      qrCodeUid: randomUUID(),
      qrCode: { type: 'DYNAMIC', ttl: 60 },
      amount: { value: 5 },
    }),
  })

/** Creates one QR code after the other. @returns what ends that: the seconds of the slowest */
function createsBeside(server: Production, faults: string[]) {
  let isDone = false
  let slowest = 0
  const creates = (async () => {
    while (!isDone) {
      const started = performance.now()
      const response = await create(server)
      if (!response.ok) faults.push(`a create is answered ${response.status}`)
      await response.text()
      slowest = Math.max(slowest, (performance.now() - started) / 1000)
      await sleep(CREATE_EVERY_MS)
    }
  })()
  return {
    async end() {
      isDone = true
      await creates
      return slowest
    },
  }
}

/** Reads an answer, by default to its end. @returns the size of what has come */
async function sizeOf(url: string, token: string, ms = Number.POSITIVE_INFINITY): Promise<string> {
  const until = performance.now() + ms
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } })
  if (!response.ok || !response.body) throw new Error(`${url} is answered ${response.status}`)
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (performance.now() > until) return `the first ${mebibytes(bytes)}`
  }
  return mebibytes(bytes)
}

/** Runs a command of bin/ to its end. @returns what it printed, how long it took, and the memory of its process */
async function run(name: string, ...options: string[]) {
  const started = performance.now()
  const child = spawn(process.execPath, [...bin(name), ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  let peak = 0
  const sampling = setInterval(() => {
    peak = residentBytes(child.pid, 'VmHWM') ?? peak
  }, SAMPLE_MS)
  const ended = once(child, 'exit')
  const printed = await text(child.stdout)
  await ended
  clearInterval(sampling)
  return { printed, seconds: (performance.now() - started) / 1000, peak }
}
