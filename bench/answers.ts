// Measures the memory of the server while it sends long answers: the report of a million payments, and the export of a site.
import { join } from 'node:path'
import { mintToken } from '../bin/mint-token.ts'
import { FeedAnswer } from '../src/contract/event.ts'
import type { Server } from '../test/support/processes.ts'
import { SECRET } from '../test/support/secret.ts'
import { serve } from '../test/support/workers.ts'
import { CONNECTIONS } from './creating.ts'
import type { Part } from './figures.ts'
import { drive } from './load.ts'
import { DAY, MILLION, manyPayments } from './million-payments.ts'
import { creates, reads } from './requests.ts'
import { figure, mebibytes, table } from './table.ts'

const SAMPLE_MS = 10
/** Payments; creates, and as many reads, that a warm server has answered. */
const FULL = { payments: MILLION, requests: 10_000, seconds: 1 }
const SMALLEST = { payments: 1_500, requests: 50, seconds: 0.1 }
const EXPORT = '/operator/v1/sites/demo/export'
const OPERATOR = await mintToken(SECRET, { siteId: '*', scope: 'operator', days: 1 })
const MERCHANT = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant', days: 1 })

export const answers: Part = async ({ directory, ours, isSmallest }) => {
  const { payments, ...warm } = isSmallest ? SMALLEST : FULL
  const disk = join(directory, 'disk')
  const paid = await manyPayments(ours, disk, payments)

  const faults: string[] = []
  const rows: string[][] = []
  const growths: Record<string, number> = {}
  const measure = async (server: Server, name: string, path: string, token: string) => {
    const before = server.memory() ?? Number.NaN
    let most = before
    const sampling = setInterval(() => {
      most = Math.max(most, server.memory() ?? Number.NaN)
    }, SAMPLE_MS)
    const started = performance.now()
    const cpu = server.cpuSeconds() ?? Number.NaN
    const answer = await readAnswer(server.port, path, token)
    clearInterval(sampling)
    growths[name] = most - before
    rows.push([
      ...[name, answer.lines.toLocaleString('en'), mebibytes(answer.bytes), mebibytes(before)],
      ...[mebibytes(most - before), figure((performance.now() - started) / 1000)],
      figure((server.cpuSeconds() ?? Number.NaN) - cpu),
    ])
    return answer
  }
  const report = `/payin/v1/sites/demo/reports/payments?from=${DAY}&to=${DAY}`
  const fresh = await serve(ours, disk)
  const { sum } = await measure(fresh, 'report, first after a start', report, MERCHANT)
  if (sum !== paid) faults.push(`the report has ${sum} kopecks, the tables ${paid}`)
  await measure(fresh, 'report, the next', report, MERCHANT)
  const ofFeed = await feedSum(fresh.port)
  if (sum !== ofFeed) faults.push(`the report has ${sum} kopecks, the feed ${ofFeed}`)
  await fresh.stop()
  const another = await serve(ours, disk)
  await measure(another, 'export, first after a start', EXPORT, OPERATOR)
  await measure(another, 'export, the next', EXPORT, OPERATOR)
  await another.stop()
  for (const [name, path, token] of [
    ['report, warm', report, MERCHANT],
    ['export, warm', EXPORT, OPERATOR],
  ] as const) {
    const server = await serve(ours, disk)
    faults.push(...(await warmUp(server.port, warm)))
    await measure(server, name, path, token)
    await server.stop()
  }
  const growth = (name: string) => (growths[name] ?? Number.NaN) / 2 ** 20
  return {
    tables: [
      table(
        `Answers of ${payments.toLocaleString('en')} payments`,
        ['', 'lines', 'size', 'memory before', 'growth', 's', 'CPU s'],
        rows,
      ),
    ],
    figures: {
      report_growth_mib: growth('report, first after a start'),
      report_growth_warm_mib: growth('report, warm'),
      export_growth_mib: growth('export, first after a start'),
      export_growth_warm_mib: growth('export, warm'),
    },
    faults,
  }
}

/** What a server in operation has done before: thousands of creates, and reads. @returns the faults */
async function warmUp(port: number, { requests, seconds }: Omit<typeof FULL, 'payments'>): Promise<string[]> {
  const load = { port, connections: CONNECTIONS, seconds, warmUp: 0 }
  for (const request of [creates('none'), reads('order-0')]) {
    for (let served = 0; served < requests; ) {
      const { perSecond, faults } = await drive({ ...load, request })
      if (faults.length > 0) return faults
      served += perSecond * seconds
    }
  }
  return []
}

/** Reads an answer to its end, as fast as it comes. @returns `sum` of a CSV report in kopecks */
async function readAnswer(port: number, path: string, token: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  if (!response.ok || !response.body) throw new Error(`${path} is answered ${response.status}`)
  const decoder = new TextDecoder()
  let [bytes, lines, sum, rest] = [0, 0, 0n, '']
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    const read = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = read.pop() ?? ''
    lines += read.length
    for (const line of read) {
      if (line.startsWith('PAYMENT,')) sum += BigInt(line.split(',')[3]?.replace('.', '') ?? 0)
    }
  }
  return { bytes, lines, sum }
}

/** The completed payments of the event feed, in kopecks. */
async function feedSum(port: number): Promise<bigint> {
  let [sum, after] = [0n, '']
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/payin/v1/sites/demo/events?limit=1000${after}`, {
      headers: { Authorization: `Bearer ${MERCHANT}` },
    })
    const { events, nextCursor } = FeedAnswer.parse(await response.json())
    for (const { type, payment, dateTime } of events) {
      if (type === 'payment.completed' && payment && dateTime.startsWith(DAY))
        sum += BigInt(payment.amount.value.replace('.', ''))
    }
    if (events.length === 0) return sum
    after = `&after=${encodeURIComponent(nextCursor)}`
  }
}
