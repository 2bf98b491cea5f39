// The connector's metrics, in the text format of Prometheus.

interface CallSample {
  bank: string
  operation: string
  outcome: string
  seconds: number
}

const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

interface Latency {
  counts: number[]
  sum: number
  count: number
}

/** A value that is read when the metrics are. */
export interface Gauge {
  name: string
  help: string
  /** As in `version="0.3.0"`. */
  labels?: string
  read: () => number
}

export class Metrics {
  readonly #calls = new Map<string, number>()
  readonly #latencies = new Map<string, Latency>()
  readonly #reports = new Map<string, number>()
  readonly #webhooks = new Map<string, number>()

  observeCall({ bank, operation, outcome, seconds }: CallSample): void {
    increment(this.#calls, `bank="${bank}",operation="${operation}",outcome="${outcome}"`)
    const labels = `bank="${bank}",operation="${operation}"`
    const latency = this.#latencies.get(labels) ?? { counts: BUCKETS.map(() => 0), sum: 0, count: 0 }
    latency.counts = latency.counts.map((count, i) => count + (seconds <= (BUCKETS[i] ?? 0) ? 1 : 0))
    latency.sum += seconds
    latency.count++
    this.#latencies.set(labels, latency)
  }

  /** @param status of the service's answer; 0 where none came */
  countReport(status: number): void {
    increment(this.#reports, `status="${status}"`)
  }

  countWebhook(bank: string, outcome: string): void {
    increment(this.#webhooks, `bank="${bank}",outcome="${outcome}"`)
  }

  render(gauges: readonly Gauge[]): string {
    const lines = [
      ...family('fps_connector_bank_calls_total', 'counter', 'Calls of banks', this.#calls),
      ...header('fps_connector_bank_call_seconds', 'histogram', 'Time of calls of banks'),
    ]
    for (const [labels, { counts, sum, count }] of this.#latencies) {
      const name = 'fps_connector_bank_call_seconds'
      for (const [i, bucket] of BUCKETS.entries()) {
        lines.push(`${name}_bucket{${labels},le="${bucket}"} ${counts[i] ?? 0}`)
      }
      lines.push(`${name}_bucket{${labels},le="+Inf"} ${count}`)
      lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`)
    }
    lines.push(
      ...family('fps_connector_reports_total', 'counter', 'Reports to the service', this.#reports),
      ...family('fps_connector_webhooks_total', 'counter', 'Webhooks of banks', this.#webhooks),
    )
    for (const { name, help, labels, read } of gauges) {
      lines.push(...header(name, 'gauge', help), `${name}${labels ? `{${labels}}` : ''} ${read()}`)
    }
    return `${lines.join('\n')}\n`
  }
}

function increment(counts: Map<string, number>, labels: string): void {
  counts.set(labels, (counts.get(labels) ?? 0) + 1)
}

const header = (name: string, type: string, help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]

const family = (name: string, type: string, help: string, counts: Map<string, number>): string[] => [
  ...header(name, type, help),
  ...Array.from(counts, ([labels, count]) => `${name}{${labels}} ${count}`),
]
