// Quiet sites beside one that asks ten times what SITE_RATE allows: their latency, with it and without it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import * as z from 'zod'
import { serve } from '../test/support/workers.ts'
import type { Part } from './figures.ts'
import { driveOpenLoop, type Measured } from './load.ts'
import type { Order } from './loud-client.ts'
import { creates, siteOf } from './requests.ts'
import { median, percentile, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

const SITE_RATE = 50
const LOUD_RATE = 10 * SITE_RATE
/** Of all quiet sites: five a second of each. */
const QUIET_RATE = 100
const QUIET = await Promise.all(Array.from({ length: 20 }, (_, number) => siteOf(`quiet-${number}`)))
/** Until the loud site has used up what it may ask at once. */
const WARM_UP = 0.6
/** Turns of a round: they are short and many, because a busy machine has good seconds and bad ones. */
const TURNS = 2

/**
 * What the quiet sites are measured in, by turns. control: what noise makes of a ratio. machine: the loud site asks another server,
 * so only the cores are shared. floor: what is above the limit asks for /healthz, the cheapest answer.
 */
const SITUATIONS = ['alone', 'control', 'machine', 'floor', 'limited', 'unlimited'] as const
type Situation = (typeof SITUATIONS)[number]
const NAMES: Record<Situation, string> = {
  alone: 'alone',
  control: 'alone, again',
  machine: 'while the loud site asks another server',
  floor: `beside ${SITE_RATE} creates and ${LOUD_RATE - SITE_RATE} /healthz`,
  limited: 'beside it',
  unlimited: 'beside it, without a limit',
}
const BESIDE: Record<Situation, Order['requests'] | undefined> = {
  alone: undefined,
  control: undefined,
  machine: 'creates',
  floor: 'floor',
  limited: 'creates',
  unlimited: 'creates',
}

export const fairShare: Part = async ({ directory, ours, rounds, seconds, isSmallest }) => {
  const turns = isSmallest ? 1 : rounds * TURNS
  const withRate = (rate: number, name: string) =>
    serve(ours, join(directory, name), { vars: { SITE_RATE: String(rate) } })
  const limited = await withRate(SITE_RATE, 'limited')
  const unlimited = await withRate(1_000_000, 'unlimited')
  const elsewhere = await withRate(SITE_RATE, 'elsewhere')
  const loud = fork(join(import.meta.dirname, 'loud-client.ts'))
  const measured: Record<Situation, Measured[]> = {
    alone: [],
    control: [],
    machine: [],
    floor: [],
    limited: [],
    unlimited: [],
  }
  const faults: string[] = []
  const driveBeside = async (order: Order): Promise<string[]> => {
    const answered = once(loud, 'message')
    loud.send(order)
    return z.array(z.string()).parse((await answered)[0])
  }
  const run = async (situation: Situation, length: number): Promise<Measured> => {
    const { port, cpuSeconds } = situation === 'unlimited' ? unlimited : limited
    const load = { port, seconds: length, warmUp: WARM_UP }
    const requests = BESIDE[situation]
    const loudPort = situation === 'machine' ? elsewhere.port : port
    // Without a limit its site has too many queued writes on a slow machine.
    const accepts = situation === 'unlimited' ? '503' : '429'
    const [quiet, others] = await Promise.all([
      driveOpenLoop({ ...load, rate: QUIET_RATE, request: creates('none', QUIET), cpuSeconds }),
      requests ? driveBeside({ ...load, port: loudPort, rate: LOUD_RATE, requests, accepts }) : [],
    ])
    faults.push(...[...quiet.faults, ...others].map((fault) => `fair share, ${situation}: ${fault}`))
    return quiet
  }
  for (const situation of SITUATIONS) await run(situation, Math.min(seconds, 1))
  for (let turn = 0; turn < turns; turn++) {
    for (const situation of turn % 2 === 0 ? SITUATIONS : SITUATIONS.toReversed()) {
      measured[situation].push(await run(situation, seconds))
    }
  }
  loud.disconnect()
  await Promise.all([limited, unlimited, elsewhere].map((server) => server.stop()))

  const pooled = (situation: Situation) => measured[situation].flatMap(({ latencies }) => latencies)
  const p99 = (situation: Situation) => percentile(pooled(situation), 0.99)
  const ofTurns = (situation: Situation) => measured[situation].map((each) => each.p99)
  /** The thread's: the runtime uses no other to speak of. */
  const cpuShare = (situation: Situation) =>
    median(measured[situation].map(({ cpuMicros, perSecond }) => (cpuMicros * perSecond) / 1e4))
  return {
    tables: [
      table(
        `${QUIET.length} quiet sites, ${QUIET_RATE} creates a second, beside one with ${LOUD_RATE} (SITE_RATE=${SITE_RATE}; ${turns} turns of ${seconds} s; ms)`,
        ['', 'requests', 'median', 'p99', 'of alone', 'of alone, by turns', 'CPU, %'],
        SITUATIONS.map((situation) => [
          NAMES[situation],
          String(pooled(situation).length),
          figure(median(pooled(situation))),
          figure(p99(situation)),
          times(p99(situation) / p99('alone')),
          times(ratio(ofTurns(situation), ofTurns('alone'))),
          figure(cpuShare(situation)),
        ]),
      ),
    ],
    figures: {
      quiet_sites: Object.fromEntries(
        SITUATIONS.map((situation) => {
          const ms = { median: median(pooled(situation)), p99: p99(situation) }
          const vs_alone = {
            of_all: p99(situation) / p99('alone'),
            of_turns: ratio(ofTurns(situation), ofTurns('alone')),
          }
          const cpu_percent = cpuShare(situation)
          return [situation, { ...ms, ...(situation !== 'alone' && vs_alone), cpu_percent }] as const
        }),
      ),
    },
    faults,
  }
}
