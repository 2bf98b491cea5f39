// The connector's metrics, in the text format of Prometheus.

interface CallSample {
  /** Also the label. */
  of: 'bank' | 'register'
  /** Of the credentials. */
  name: string
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
  readonly #calls = { bank: callsOf(), register: callsOf() }
  readonly #reports = new Map<string, number>()
  readonly #webhooks = new Map<string, number>()
  #testPayments = 0

  observeCall({ of, name, operation, outcome, seconds }: CallSample): void {
    const { calls, latencies } = this.#calls[of]
    const labels = `${of}="${name}",operation="${operation}"`
    increment(calls, `${labels},outcome="${outcome}"`)
    const latency = latencies.get(labels) ?? { counts: BUCKETS.map(() => 0), sum: 0, count: 0 }
    latency.counts = latency.counts.map((count, i) => count + (seconds <= (BUCKETS[i] ?? 0) ? 1 : 0))
    latency.sum += seconds
    latency.count++
    latencies.set(labels, latency)
  }

  /** @param status of the service's answer; 0 where none came */
  countReport(status: number): void {
    increment(this.#reports, `status="${status}"`)
  }

  countWebhook(bank: string, outcome: string): void {
    increment(this.#webhooks, `bank="${bank}",outcome="${outcome}"`)
  }

  /** A payment or a code that is of a bank's test, although the credentials are not. */
  countTest(): void {
    this.#testPayments++
  }

  render(gauges: readonly Gauge[]): string {
    const lines = [
      ...family('fps_connector_bank_calls_total', 'counter', 'Calls of banks', this.#calls.bank.calls),
      ...histogram('fps_connector_bank_call_seconds', 'Time of calls of banks', this.#calls.bank),
      ...family(
        'fps_connector_register_calls_total',
        'counter',
        'Calls of cash registers',
        this.#calls.register.calls,
      ),
      ...histogram(
        'fps_connector_register_call_seconds',
        'Time of calls of cash registers',
        this.#calls.register,
      ),
    ]
    lines.push(
      ...family('fps_connector_reports_total', 'counter', 'Reports to the service', this.#reports),
      ...family('fps_connector_webhooks_total', 'counter', 'Webhooks of banks', this.#webhooks),
      // From 0 on: an increase counts from a value that was there.
      ...header(
        'fps_connector_test_payments_total',
        'counter',
        'Payments of a bank’s test that are not reported, and codes of it',
      ),
      `fps_connector_test_payments_total ${this.#testPayments}`,
    )
    for (const { name, help, labels, read } of gauges) {
      lines.push(...header(name, 'gauge', help), `${name}${labels ? `{${labels}}` : ''} ${read()}`)
    }
    return `${lines.join('\n')}\n`
  }
}

interface Calls {
  calls: Map<string, number>
  latencies: Map<string, Latency>
}

const callsOf = (): Calls => ({ calls: new Map(), latencies: new Map() })

function histogram(name: string, help: string, { latencies }: Calls): string[] {
  const lines = header(name, 'histogram', help)
  for (const [labels, { counts, sum, count }] of latencies) {
    for (const [i, bucket] of BUCKETS.entries())
      lines.push(`${name}_bucket{${labels},le="${bucket}"} ${counts[i] ?? 0}`)
    lines.push(`${name}_bucket{${labels},le="+Inf"} ${count}`)
    lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`)
  }
  return lines
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
