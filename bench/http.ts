// The service over HTTP beside its ceiling and its peers: what a request costs, by scenario, round by round.
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Server } from '../test/support/processes.ts'
import * as contenders from './contenders.ts'
import type { Figures, Part } from './figures.ts'
import { drive, type Measured } from './load.ts'
import { create, creates, MANY_SITES, ONE_SITE, type Picture, read, reads } from './requests.ts'
import { median, ratio } from './statistics.ts'
import { figure, mebibytes, range, table, times } from './table.ts'

const WARM_UP = 0.5
const FIRST_WARM_UP = 1
const SMALLEST_WARM_UP = 0.1
/** An object that was idle for ten seconds starts again. A second later it writes once more. */
const START_MS = 1500
const SMALLEST_START_MS = 0
const MANY = 32
/** The QR code that is read. */
const KNOWN = randomUUID()

/** What the contenders are asked for. */
const SCENARIOS = {
  one_site: {
    title: `Creating in one site, ${MANY} connections`,
    connections: MANY,
    request: (picture: Picture) => creates(picture, ONE_SITE),
  },
  many_sites: {
    title: `Creating in ${MANY_SITES.length} sites in turn, ${MANY} connections`,
    connections: MANY,
    request: (picture: Picture) => creates(picture, MANY_SITES),
  },
  alone: {
    title: 'Creating in one site, 1 connection',
    connections: 1,
    request: (picture: Picture) => creates(picture, ONE_SITE),
  },
  read: {
    title: `Reading one QR code, ${MANY} connections`,
    connections: MANY,
    request: () => reads(KNOWN),
  },
}
type Scenario = keyof typeof SCENARIOS
const NAMES: readonly Scenario[] = ['many_sites', 'alone', 'one_site', 'read']

/** A line of a table: a contender in a scenario, and what was measured round by round. */
class Contest {
  readonly scenario: Scenario
  readonly name: string
  readonly server: Server
  readonly picture: Picture
  readonly measured: Measured[] = []

  constructor(scenario: Scenario, [name, server]: readonly [string, Server], picture: Picture) {
    this.scenario = scenario
    this.name = picture === 'none' ? name : `${name}, ${picture.toUpperCase()}`
    this.server = server
    this.picture = picture
  }

  async run(seconds: number, warmUp: number, startMs: number): Promise<Measured> {
    const { connections, request } = SCENARIOS[this.scenario]
    const { port, cpuSeconds } = this.server
    if (this.scenario === 'many_sites') await start(port, startMs)
    return await drive({ port, cpuSeconds, connections, request: request(this.picture), seconds, warmUp })
  }

  /** The values of a measure, round by round. */
  of(measure: 'perSecond' | 'median' | 'p99' | 'cpuMicros'): number[] {
    return this.measured.map((each) => each[measure])
  }
}

export const http: Part = async (setting) => {
  const { against, isSmallest } = setting
  const startMs = isSmallest ? SMALLEST_START_MS : START_MS
  const servers: Record<string, Server> = {
    ceiling: await contenders.ceiling(setting),
    ours: await contenders.ours(setting),
    ...(against !== undefined && { against: await contenders.against(against, setting) }),
    plain: await contenders.plain(setting),
    fastify: await contenders.fastify(setting),
  }
  const contests = NAMES.flatMap((scenario) =>
    Object.entries(servers).flatMap((contender) =>
      picturesOf(scenario, contender[0]).map((picture) => new Contest(scenario, contender, picture)),
    ),
  )
  for (const { name, server, picture } of contests) {
    if (name !== 'ceiling') await checkCreate(server, picture)
  }
  for (const [name, server] of Object.entries(servers)) if (name !== 'ceiling') await checkRead(server)

  const faults: string[] = []
  const run = async (contest: Contest, seconds: number, warmUp: number) => {
    const measured = await contest.run(seconds, warmUp, startMs)
    faults.push(...measured.faults.map((fault) => `${contest.scenario}, ${contest.name}: ${fault}`))
    return measured
  }
  const warmUp = isSmallest ? SMALLEST_WARM_UP : WARM_UP
  for (const contest of contests) await run(contest, 0, isSmallest ? SMALLEST_WARM_UP : FIRST_WARM_UP)
  for (let round = 0; round < setting.rounds; round++) {
    // Every other round goes backwards, so that no contender always follows the same one.
    for (const contest of round % 2 === 0 ? contests : contests.toReversed()) {
      contest.measured.push(await run(contest, setting.seconds, warmUp))
    }
  }
  const memory = Object.entries(servers).map(([name, server]) => [name, mebibytes(server.memory())])
  await Promise.all(Object.values(servers).map((server) => server.stop()))

  return {
    tables: [
      ...NAMES.map((scenario) => tableOf(contests, scenario, setting.rounds)),
      table('Memory after it', ['', ''], memory),
    ],
    figures: figuresOf(contests),
    faults,
  }
}

/** Pictures are drawn alike in all scenarios, so that one of them is enough. */
const picturesOf = (scenario: Scenario, name: string): readonly Picture[] => {
  if (scenario !== 'one_site' || name === 'ceiling') return ['none']
  return name === 'ours' || name === 'against' ? ['none', 'svg', 'png'] : ['none', 'png']
}

/** The measures of a contender in a scenario; there are none of one that does not take part. */
const find = (contests: readonly Contest[], scenario: Scenario, name: string) =>
  contests.find((contest) => contest.scenario === scenario && contest.name === name)

function tableOf(contests: readonly Contest[], scenario: Scenario, rounds: number): string {
  const ceiling = find(contests, scenario, 'ceiling')?.of('perSecond') ?? []
  const plain = find(contests, scenario, 'plain')?.of('cpuMicros') ?? []
  return table(
    `${SCENARIOS[scenario].title} (medians of ${rounds} rounds; ms; CPU time of the server, µs a request)`,
    ['', 'req/s', 'median', 'p99', 'of ceiling', 'CPU', 'from, to', 'of plain'],
    contests
      .filter((contest) => contest.scenario === scenario)
      .map((contest) => [
        contest.name,
        figure(median(contest.of('perSecond'))),
        figure(median(contest.of('median'))),
        figure(median(contest.of('p99'))),
        times(ratio(contest.of('perSecond'), ceiling)),
        figure(median(contest.of('cpuMicros'))),
        range(contest.of('cpuMicros')),
        times(ratio(contest.of('cpuMicros'), plain)),
      ]),
  )
}

function figuresOf(contests: readonly Contest[]): Partial<Figures> {
  const speeds = (name: string) => find(contests, 'one_site', name)?.of('perSecond') ?? []
  const cpu = (scenario: Scenario, name: string) => find(contests, scenario, name)?.of('cpuMicros') ?? []
  const ours = find(contests, 'one_site', 'ours')?.measured ?? []
  const cpuVs = (name: 'plain' | 'against', scenario: Scenario) =>
    ratio(cpu(scenario, 'ours'), cpu(scenario, name))
  return {
    many_sites_cpu_vs_plain: cpuVs('plain', 'many_sites'),
    alone_cpu_vs_plain: cpuVs('plain', 'alone'),
    one_site_cpu_vs_plain: cpuVs('plain', 'one_site'),
    read_cpu_vs_plain: cpuVs('plain', 'read'),
    ...(speeds('against').length > 0 && {
      many_sites_cpu_vs_against: cpuVs('against', 'many_sites'),
      alone_cpu_vs_against: cpuVs('against', 'alone'),
      one_site_cpu_vs_against: cpuVs('against', 'one_site'),
      read_cpu_vs_against: cpuVs('against', 'read'),
      create_vs_against: ratio(speeds('ours'), speeds('against')),
    }),
    create_vs_ceiling: ratio(speeds('ours'), speeds('ceiling')),
    create_svg_vs_ceiling: ratio(speeds('ours, SVG'), speeds('ceiling')),
    create_png_vs_ceiling: ratio(speeds('ours, PNG'), speeds('ceiling')),
    cpu_micros: Object.fromEntries(
      contests
        .filter(({ scenario }) => scenario === 'one_site')
        .map(({ name }) => [
          name.replace(', ', '_').toLowerCase(),
          Object.fromEntries(NAMES.map((scenario) => [scenario, median(cpu(scenario, name))])),
        ]),
    ),
    p99_vs_median: median(ours.map((measured) => measured.p99 / measured.median)),
  }
}

/** Starts the objects of all sites, so that the cost of a start is not counted as that of a create. */
async function start(port: number, startMs: number): Promise<void> {
  for (const site of MANY_SITES) await (await create(port, randomUUID(), 'none', site)).arrayBuffer()
  await setTimeout(startMs)
}

/** A contender must do the whole job. @throws Error where it does not */
async function checkCreate({ port }: Server, picture: Picture): Promise<void> {
  const image = {
    none: (text: string) => !text.includes('"image"'),
    svg: (text: string) => text.includes('"content":"PHN2Zy'),
    png: (text: string) => text.includes('"content":"iVBORw0KGgo'),
  }
  await check(await create(port, randomUUID(), picture), image[picture])
}

/** Makes the QR code that is read. @throws Error where a contender cannot read it */
async function checkRead({ port }: Server): Promise<void> {
  await create(port, KNOWN)
  await check(await read(port, KNOWN), (text) => text.includes(KNOWN))
}

async function check(response: Response, isRight: (text: string) => boolean): Promise<void> {
  const text = await response.text()
  const hasLink = /"payload":"http:[^"]+&sum=123456&cur=RUB&crc=[0-9A-F]{4}"/.test(text)
  if (response.ok && hasLink && isRight(text)) return
  throw new Error(`${response.url} answered ${response.status}: ${text}`)
}
