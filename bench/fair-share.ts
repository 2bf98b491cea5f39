// Quiet sites beside one that asks ten times what SITE_RATE allows: their latency, with it and without it.
import { join } from 'node:path'
import { serve } from '../test/support/workers.ts'
import type { Part } from './figures.ts'
import { driveOpenLoop, type Measured } from './load.ts'
import { creates, ONE_SITE, siteOf } from './requests.ts'
import { median, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

const SITE_RATE = 50
const LOUD_RATE = 10 * SITE_RATE
/** Of all quiet sites: five a second of each. */
const QUIET_RATE = 100
const QUIET = await Promise.all(Array.from({ length: 20 }, (_, number) => siteOf(`quiet-${number}`)))
/** Until the loud site has used up what it may ask at once. */
const WARM_UP = 0.6
/** Turns of a round: they are short and many, because a busy machine has good seconds and bad ones. */
const TURNS = 4

/** What the quiet sites are measured in, by turns. */
const SITUATIONS = ['alone', 'beside it', 'beside it, without a limit'] as const
type Situation = (typeof SITUATIONS)[number]

export const fairShare: Part = async ({ directory, ours, rounds, seconds }) => {
  const withRate = (rate: number, name: string) =>
    serve(ours, join(directory, name), { vars: { SITE_RATE: String(rate) } })
  const limited = await withRate(SITE_RATE, 'limited')
  const unlimited = await withRate(1_000_000, 'unlimited')
  const measured: Record<Situation, Measured[]> = {
    alone: [],
    'beside it': [],
    'beside it, without a limit': [],
  }
  const faults: string[] = []
  const run = async (situation: Situation, length: number): Promise<Measured> => {
    const { port } = situation === 'beside it, without a limit' ? unlimited : limited
    const load = { port, seconds: length, warmUp: WARM_UP }
    const loud = {
      ...load,
      rate: LOUD_RATE,
      request: creates('none', ONE_SITE),
      accepts: '429',
      isCoarse: true,
    }
    const [quiet, other] = await Promise.all([
      driveOpenLoop({ ...load, rate: QUIET_RATE, request: creates('none', QUIET) }),
      situation === 'alone' ? undefined : driveOpenLoop(loud),
    ])
    faults.push(
      ...[...quiet.faults, ...(other?.faults ?? [])].map((fault) => `fair share, ${situation}: ${fault}`),
    )
    return quiet
  }
  for (const situation of SITUATIONS) await run(situation, 1)
  for (let turn = 0; turn < rounds * TURNS; turn++) {
    for (const situation of turn % 2 === 0 ? SITUATIONS : SITUATIONS.toReversed()) {
      measured[situation].push(await run(situation, seconds))
    }
  }
  await Promise.all([limited, unlimited].map((server) => server.stop()))

  const of = (situation: Situation, measure: 'median' | 'p99') =>
    measured[situation].map((each) => each[measure])
  const vsAlone = (situation: Situation) => ratio(of(situation, 'p99'), of('alone', 'p99'))
  return {
    tables: [
      table(
        `${QUIET.length} quiet sites, ${QUIET_RATE} creates a second, beside one with ${LOUD_RATE} (SITE_RATE=${SITE_RATE}; medians of ${rounds * TURNS} turns of ${seconds} s; ms)`,
        ['', 'median', 'p99', 'p99, of alone'],
        SITUATIONS.map((situation) => [
          situation,
          figure(median(of(situation, 'median'))),
          figure(median(of(situation, 'p99'))),
          situation === 'alone' ? '' : times(vsAlone(situation)),
        ]),
      ),
    ],
    figures: { quiet_p99_vs_alone: vsAlone('beside it') },
    faults,
  }
}
