// Measures the latency of creates that arrive at random times, by rate.
import type { Server } from '../test/support/processes.ts'
import * as contenders from './contenders.ts'
import type { Part } from './figures.ts'
import { driveOpenLoop, type Measured } from './load.ts'
import { creates } from './requests.ts'
import { median, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

const RATES = [500, 1000, 2000, 3000]
/** The rates at which another build is compared. */
const COMPARED = [500, 1000]
const WARM_UP = 0.3

/** A line of the table: a contender at a rate, and what was measured round by round. */
interface Line {
  name: string
  server: Server
  rate: number
  measured: Measured[]
}

export const openLoop: Part = async (setting) => {
  const { against, rounds, seconds } = setting
  const servers: Record<string, Server> = {
    ours: await contenders.ours(setting),
    ...(against !== undefined && { against: await contenders.against(against, setting) }),
  }
  const lines = Object.entries(servers).flatMap(([name, server]): Line[] =>
    (name === 'ours' ? RATES : COMPARED).map((rate) => ({ name, server, rate, measured: [] })),
  )
  const faults: string[] = []
  const run = async ({ name, server: { port, cpuSeconds }, rate }: Line) => {
    const load = { port, cpuSeconds, rate, request: creates('none'), seconds, warmUp: WARM_UP }
    const measured = await driveOpenLoop(load)
    faults.push(...measured.faults.map((fault) => `${name}, ${rate} a second: ${fault}`))
    return measured
  }

  for (const line of lines) await run(line)
  for (let round = 0; round < rounds; round++) {
    for (const line of round % 2 === 0 ? lines : lines.toReversed()) line.measured.push(await run(line))
  }
  await Promise.all(Object.values(servers).map((server) => server.stop()))

  const of = ({ measured }: Line, measure: 'median' | 'p99' | 'cpuMicros') =>
    measured.map((each) => each[measure])
  const mediansAt = (name: string, rate: number) =>
    lines.filter((line) => line.name === name && line.rate === rate).flatMap((line) => of(line, 'median'))
  /** Our median at a rate, of that of another contender. */
  const vs = (name: string, rate: number) => ratio(mediansAt('ours', rate), mediansAt(name, rate))
  const byRate = (rates: readonly number[], value: (rate: number) => number) =>
    Object.fromEntries(rates.map((rate) => [rate, value(rate)]))
  const oursAt = (measure: 'median' | 'p99') =>
    Object.fromEntries(
      lines.filter(({ name }) => name === 'ours').map((line) => [line.rate, median(of(line, measure))]),
    )
  return {
    tables: [
      table(
        `Creating at random times (medians of ${rounds} rounds; ms; CPU time of the server, µs a request)`,
        ['', 'requests/s', 'median', 'p99', 'CPU', 'ours, of this'],
        lines.map((line) => [
          line.name,
          String(line.rate),
          figure(median(of(line, 'median'))),
          figure(median(of(line, 'p99'))),
          figure(median(of(line, 'cpuMicros'))),
          line.name === 'ours' ? '' : times(vs(line.name, line.rate)),
        ]),
      ),
    ],
    figures: {
      open_loop_p50_ms: oursAt('median'),
      open_loop_p99_ms: oursAt('p99'),
      ...(against !== undefined && { open_loop_vs_against: byRate(COMPARED, (rate) => vs('against', rate)) }),
    },
    faults,
  }
}
