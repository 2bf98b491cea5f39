// Creating at random times: latency by rate, beside the same service without batching.
import { join } from 'node:path'
import type { Part } from './figures.ts'
import { driveOpenLoop, type Measured } from './load.ts'
import { requests } from './requests.ts'
import { median, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'
import { serve, serveContender } from './workers.ts'

const RATES = [500, 1000, 2000, 3000] as const
/** The rate at which batching is compared: without it, faster ones queue up or are refused. */
const COMPARED = 1000
const WARM_UP = 0.3

export const openLoop: Part = async ({ directory, ours, rounds, seconds }) => {
  const contenders = {
    ours: { server: await serve(ours, join(directory, 'ours-disk')), rates: [...RATES] },
    unbatched: { server: await serveContender('unbatched', directory), rates: [COMPARED] },
  }
  const faults: string[] = []
  const lines = Object.entries(contenders).flatMap(([name, { server, rates }]) =>
    rates.map((rate) => ({ name, port: server.port, rate, measured: [] as Measured[] })),
  )
  const run = async ({ name, port, rate }: (typeof lines)[number], measuring: number) => {
    const load = { port, rate, request: requests('none'), seconds: measuring, warmUp: WARM_UP }
    const measured = await driveOpenLoop(load)
    faults.push(...measured.faults.map((fault) => `${name}, ${rate} a second: ${fault}`))
    return measured
  }

  for (const line of lines) await run(line, seconds)
  for (let round = 0; round < rounds; round++) {
    for (const line of round % 2 === 0 ? lines : lines.toReversed())
      line.measured.push(await run(line, seconds))
  }
  await Promise.all(Object.values(contenders).map(({ server }) => server.stop()))

  const medians = ({ measured }: (typeof lines)[number]) => measured.map((one) => one.median)
  const p99s = ({ measured }: (typeof lines)[number]) => measured.map(({ p99 }) => p99)
  const ofOurs = lines.filter(({ name }) => name === 'ours')
  const compared = ofOurs.find(({ rate }) => rate === COMPARED)
  const unbatched = lines.find(({ name }) => name === 'unbatched')
  const vsUnbatched = compared && unbatched ? ratio(medians(compared), medians(unbatched)) : Number.NaN
  const byRate = (values: (line: (typeof lines)[number]) => number[]) =>
    Object.fromEntries(ofOurs.map((line) => [line.rate, median(values(line))]))
  return {
    tables: [
      table(
        `Creating at random times (medians of ${rounds} rounds; ms)`,
        ['', 'requests/s', 'median', 'p99', 'of unbatched'],
        lines.map((line) => [
          line.name,
          String(line.rate),
          figure(median(medians(line))),
          figure(median(p99s(line))),
          line === compared ? times(vsUnbatched) : '',
        ]),
      ),
    ],
    figures: {
      open_loop_p50_ms: byRate(medians),
      open_loop_p99_ms: byRate(p99s),
      open_loop_vs_unbatched: vsUnbatched,
    },
    faults,
  }
}
