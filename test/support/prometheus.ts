// A Prometheus that scrapes a service by the rules of deploy/alerts.yml, sixty times as fast by default: a minute takes a second.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import * as z from 'zod'
import { freePort } from './ports.ts'

export const PROMETHEUS = process.env.PROMETHEUS ?? '/usr/bin/prometheus'
export const hasPrometheus = existsSync(PROMETHEUS)

const Alerts = z.object({
  data: z.object({
    alerts: z.array(z.object({ state: z.string(), labels: z.object({ alertname: z.string() }) })),
  }),
})

const Result = z.object({ data: z.object({ result: z.array(z.unknown()) }) })

/** Every duration of the rules, divided by the speed. The thresholds stay. */
const fast = (rules: string, speed: number): string =>
  rules.replace(
    /(\[|for: |offset )(\d+)([mh])/g,
    (_, before, count, unit) => `${before}${(Number(count) * (unit === 'h' ? 3600 : 60)) / speed}s`,
  )

export interface Watch {
  /** Resolves when the alert fires. */
  fires(alert: string): Promise<void>
  /** Resolves when it fires no longer. */
  ends(alert: string): Promise<void>
}

/** Starts it, with jobs of docs/runbook.md. It ends with the test. @param jobs what each of them scrapes: a port here */
export async function prometheus(
  directory: string,
  jobs: Record<string, number>,
  speed = 60,
): Promise<Watch> {
  const [own, port] = [join(directory, 'prometheus'), await freePort()]
  mkdirSync(own)
  writeFileSync(join(own, 'alerts.yml'), fast(readFileSync('deploy/alerts.yml', 'utf8'), speed))
  const configs = Object.entries(jobs).map(
    ([name, port]) => `  - job_name: ${name}
    static_configs: [{ targets: ["127.0.0.1:${port}"] }]
`,
  )
  writeFileSync(
    join(own, 'prometheus.yml'),
    `global: { scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 250ms }
rule_files: [alerts.yml]
scrape_configs:
${configs.join('')}`,
  )
  const child = spawn(
    PROMETHEUS,
    [
      ...[`--config.file=${join(own, 'prometheus.yml')}`, `--storage.tsdb.path=${join(own, 'data')}`],
      ...[`--web.listen-address=127.0.0.1:${port}`, '--query.lookback-delta=5s', '--log.level=error'],
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const firing = async (): Promise<string[]> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`).catch(() => undefined)
    if (!response?.ok) throw new Error('Prometheus does not answer')
    const { data } = Alerts.parse(await response.json())
    return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
  }
  const scrapes = async (): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=up`).catch(() => undefined)
    return response?.ok ? Result.parse(await response.json()).data.result.length : 0
  }
  // A site tells its figures once a minute, and an endpoint that fails is tried once a minute.
  const wait = { timeout: 180_000, interval: 100 }
  await expect.poll(scrapes, wait).toBe(configs.length)
  return {
    fires: (alert) => expect.poll(firing, wait).toContain(alert),
    ends: (alert) => expect.poll(firing, wait).not.toContain(alert),
  }
}
