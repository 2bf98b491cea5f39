// What this process counts, for GET /metrics of a self-hosted service: the text format of OpenMetrics 1.0.
import { FailingSites } from './failing-sites.ts'

const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const FAMILIES = {
  requests: { type: 'counter', help: 'Requests by method, route and status' },
  errors: {
    type: 'counter',
    help: 'Requests that got 500; there from the start, so that the first one is a change',
  },
  unavailable: {
    type: 'counter',
    help: 'Requests that got 503, by the code of the error: those of network.* have their cause at a bank or the connector',
  },
  request_seconds: {
    type: 'histogram',
    help: 'Seconds from a request to its response; requests that waited for a change are left out',
    buckets: SECONDS,
  },
  qr_codes: { type: 'counter', help: 'Requests for QR codes that the sites took: created or replayed' },
  payments: { type: 'counter', help: 'Reports of payments by status, applied or not; repeats are left out' },
  bindings: { type: 'counter', help: 'Reports of bindings by status; repeats are left out' },
  deliveries: { type: 'counter', help: 'Notifications sent, by the status of the answer, or none' },
  instructions: {
    type: 'counter',
    help: 'Instructions sent to the payment network, by the status of the answer, or none',
  },
  refunds: {
    type: 'counter',
    help: 'Refunds by status: requested, completed, declined; repeats are left out',
  },
  settlement_imports: {
    type: 'counter',
    help: 'Imports of bank files by bank and outcome: imported, replayed, the code of the refusal, or broken',
  },
  long_polls: { type: 'gauge', help: 'Requests that wait for a change now' },
  long_polls_answered: { type: 'counter', help: 'Requests that have waited for a change, by status' },
} as const

type Families = typeof FAMILIES
type Name = keyof Families
type Histogram = { [K in Name]: Families[K] extends { buckets: unknown } ? K : never }[Name]
type Labels = Record<string, string | number | boolean>

export class Metrics {
  readonly failingSites = new FailingSites()
  /** When the list of banks was made, in Unix milliseconds, where that is known. */
  banksMadeAt: number | undefined
  /** By family and labels: the value; of a histogram the sum, then the count of each bucket and of all. */
  readonly #series = new Map<string, Map<string, number[]>>()

  /** Adds to a counter or a gauge. */
  add(name: Exclude<Name, Histogram>, labels: Labels = {}, by = 1): void {
    this.counter(name, labels)(by)
  }

  /** Makes the function that adds to a counter, for a caller that has the same labels often. */
  counter(name: Exclude<Name, Histogram>, labels: Labels): (by?: number) => void {
    let sums: number[] | undefined
    return (by = 1) => {
      sums ??= this.#sums(name, labels)
      sums[0] = (sums[0] ?? 0) + by
    }
  }

  /** Makes the function that records a value in a histogram. */
  histogram(name: Histogram, labels: Labels = {}): (value: number) => void {
    const limits = [...FAMILIES[name].buckets, Number.POSITIVE_INFINITY]
    let sums: number[] | undefined
    return (value) => {
      sums ??= this.#sums(name, labels)
      sums[0] = (sums[0] ?? 0) + value
      for (const [index, limit] of limits.entries()) {
        sums[index + 1] = (sums[index + 1] ?? 0) + (value <= limit ? 1 : 0)
      }
    }
  }

  /** The sums of a series, which a first use adds. */
  #sums(name: Name, labels: Labels): number[] {
    const key = Object.entries(labels)
      .map(([label, value]) => `${label}="${value}"`)
      .join()
    const series = this.#series.get(name) ?? new Map<string, number[]>()
    this.#series.set(name, series)
    const sums = series.get(key) ?? []
    series.set(key, sums)
    return sums
  }

  /** The exposition, of media type METRICS_TYPE. @param read what is not counted here */
  text(read: readonly Reading[] = []): string {
    const lines = Object.entries(FAMILIES).flatMap(([name, family]) => {
      const full = `fps_qr_${name}`
      const series = [...(this.#series.get(name) ?? [])]
      return [
        `# TYPE ${full} ${family.type}`,
        `# HELP ${full} ${family.help}`,
        ...series.flatMap(([labels, values]) =>
          'buckets' in family
            ? histogram(full, labels, values, family.buckets)
            : [`${full}${family.type === 'counter' ? '_total' : ''}${braces(labels)} ${values[0]}`],
        ),
      ]
    })
    return `${[...lines, ...read.flatMap(linesOf)].join('\n')}\n# EOF\n`
  }
}

/** Values that are read when they are asked for. */
export interface Reading {
  name: string
  type: 'gauge' | 'counter' | 'info'
  help: string
  /** By labels: `status="PENDING"`, or nothing. */
  values: Record<string, number>
}

const SUFFIXES = { gauge: '', counter: '_total', info: '_info' }

const linesOf = ({ name, type, help, values }: Reading): string[] => [
  `# TYPE fps_qr_${name} ${type}`,
  `# HELP fps_qr_${name} ${help}`,
  ...Object.entries(values).map(
    ([labels, value]) => `fps_qr_${name}${SUFFIXES[type]}${braces(labels)} ${value}`,
  ),
]

export const METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

const braces = (...labels: string[]) => {
  const given = labels.filter((each) => each !== '')
  return given.length > 0 ? `{${given.join()}}` : ''
}

function histogram(
  name: string,
  labels: string,
  [sum = 0, ...counts]: readonly number[],
  buckets: readonly number[],
): string[] {
  return [
    ...counts.map(
      (count, index) => `${name}_bucket${braces(labels, `le="${bound(buckets[index])}"`)} ${count}`,
    ),
    `${name}_count${braces(labels)} ${counts.at(-1) ?? 0}`,
    `${name}_sum${braces(labels)} ${sum}`,
  ]
}

/** A canonical number of OpenMetrics. */
const bound = (limit: number | undefined): string =>
  limit === undefined ? '+Inf' : Number.isInteger(limit) ? `${limit}.0` : `${limit}`
