// The service over HTTP beside its ceiling and its peers, round by round.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Part, Setting } from './figures.ts'
import { drive, type Measured } from './load.ts'
import { type Server, startServer } from './processes.ts'
import { create, type Picture, requests, SECRET } from './requests.ts'
import { median, ratio } from './statistics.ts'
import { figure, mebibytes, table, times } from './table.ts'
import { serve, serveContender } from './workers.ts'

const MANY = 32
const WARM_UP = 0.2
const FIRST_WARM_UP = 1.5

const starts = {
  ceiling: ({ directory }: Setting) => serveContender('ceiling', directory),
  ours: ({ directory, ours }: Setting) => serve(ours, join(directory, 'ours-disk')),
  plain: ({ directory }: Setting) => serveContender('plain', directory),
  fastify: ({ directory }: Setting) =>
    startServer(process.execPath, ['--no-warnings', join(import.meta.dirname, 'contenders/fastify.ts')], {
      TOKEN_SECRET: SECRET,
      DATABASE: join(directory, 'fastify.sqlite'),
    }),
}
type Name = keyof typeof starts

/** A line of the table: a contender, the picture that it is asked for, and what was measured round by round. */
class Contest {
  readonly name: Name
  readonly picture: Picture
  readonly one: Measured[] = []
  readonly many: Measured[] = []

  constructor(name: Name, picture: Picture) {
    this.name = name
    this.picture = picture
  }

  /** Requests per second with many connections, round by round. */
  get perSecond(): number[] {
    return this.many.map(({ perSecond }) => perSecond)
  }
}

export const http: Part = async (setting) => {
  const ceiling = new Contest('ceiling', 'none')
  const ours = new Contest('ours', 'none')
  const oursSvg = new Contest('ours', 'svg')
  const oursPng = new Contest('ours', 'png')
  const plain = new Contest('plain', 'none')
  const plainPng = new Contest('plain', 'png')
  const fastify = new Contest('fastify', 'none')
  const fastifyPng = new Contest('fastify', 'png')
  const contests = [ceiling, ours, oursSvg, oursPng, plain, plainPng, fastify, fastifyPng]

  const servers = {
    ceiling: await starts.ceiling(setting),
    ours: await starts.ours(setting),
    plain: await starts.plain(setting),
    fastify: await starts.fastify(setting),
  }
  const faults: string[] = []
  const run = async ({ name, picture }: Contest, connections: number, seconds: number, warmUp: number) => {
    const { port } = servers[name]
    const measured = await drive({ port, connections, request: requests(picture), seconds, warmUp })
    faults.push(...measured.faults.map((fault) => `${name}, ${picture}: ${fault}`))
    return measured
  }

  for (const contest of contests) {
    if (contest.name !== 'ceiling') await checkAnswer(servers[contest.name], contest)
    await run(contest, MANY, 0, FIRST_WARM_UP)
  }
  for (let round = 0; round < setting.rounds; round++) {
    // Every other round goes backwards, so that no contender always follows the same one.
    for (const contest of round % 2 === 0 ? contests : contests.toReversed()) {
      contest.one.push(await run(contest, 1, setting.seconds / 2, WARM_UP))
      contest.many.push(await run(contest, MANY, setting.seconds, WARM_UP))
    }
  }
  const memory = new Map(Object.entries(servers).map(([name, server]) => [name, server.memory()]))
  await Promise.all(Object.values(servers).map((server) => server.stop()))

  return {
    tables: [
      table(
        `Creating QR codes over HTTP, 1 connection and ${MANY} (medians of ${setting.rounds} rounds; ms)`,
        ['', '1: req/s', 'median', 'p99', `${MANY}: req/s`, 'median', 'p99', 'of ceiling', 'memory'],
        contests.map((contest) => [
          contest.picture === 'none' ? contest.name : `${contest.name}, ${contest.picture.toUpperCase()}`,
          ...columns(contest.one),
          ...columns(contest.many),
          times(ratio(contest.perSecond, ceiling.perSecond)),
          mebibytes(memory.get(contest.name)),
        ]),
      ),
    ],
    figures: {
      create_vs_ceiling: ratio(ours.perSecond, ceiling.perSecond),
      create_svg_vs_ceiling: ratio(oursSvg.perSecond, ceiling.perSecond),
      create_png_vs_ceiling: ratio(oursPng.perSecond, ceiling.perSecond),
      create_vs_fastify: ratio(ours.perSecond, fastify.perSecond),
      create_png_vs_fastify: ratio(oursPng.perSecond, fastifyPng.perSecond),
      create_png_vs_plain: ratio(oursPng.perSecond, plainPng.perSecond),
      p99_vs_median: median(ours.many.map((measured) => measured.p99 / measured.median)),
    },
    faults,
  }
}

const columns = (measured: readonly Measured[]) => [
  figure(median(measured.map(({ perSecond }) => perSecond))),
  figure(median(measured.map((one) => one.median))),
  figure(median(measured.map(({ p99 }) => p99))),
]

/** A contender must do the whole job. @throws Error where it does not */
async function checkAnswer(server: Server, { name, picture }: Contest): Promise<void> {
  const response = await create(server.port, randomUUID(), picture)
  const text = await response.text()
  const says = (pattern: RegExp) => pattern.test(text)
  const link = says(/"payload":"http:[^"]+&sum=123456&cur=RUB&crc=[0-9A-F]{4}"/)
  const image = {
    none: !says(/"image"/),
    svg: says(/"content":"PHN2Zy/),
    png: says(/"content":"iVBORw0KGgo/),
  }
  if (!response.ok || !link || !image[picture]) {
    throw new Error(`${name} answered ${response.status} to a create with the picture ${picture}: ${text}`)
  }
}
