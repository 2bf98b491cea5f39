// A run of hostile inputs against the production build, the connector and fake banks, and what was wrong with the answers.
import { readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { type BankDeployment, bankDeployment, WITH_PAY } from '../support/bank-deployment.ts'
import { type Random, randomOf } from '../support/random.ts'
import { SECRET } from '../support/secret.ts'
import { asOperator, EXTERNAL } from '../support/serve.ts'
import { siteAt } from '../support/site-at.ts'
import { finderOf, type Operation, operationsIn } from './document.ts'
import { keyOf, type World } from './draw.ts'
import { type Input, Inputs } from './inputs.ts'
import { type Judge, jsonIn, judgeOf } from './oracle.ts'
import { answerOf, faultOf, type Hostile, hostileServer, instructionOf, webhookOf } from './outward.ts'
import { bytesOf, type Request } from './request.ts'
import { eventsOf, type State, stateOf } from './state.ts'
import { anyOf } from './values.ts'
import { type Answer, Client, sendBytes } from './wire.ts'
import { furnish, furnishLive, signIn } from './world.ts'

/** The test sites of an epoch: new ones, so that no list becomes longer with each batch. */
const sandboxesOf = (epoch: number) => ['one', 'two', 'three'].map((name) => `${name}-${epoch}-test`)
const LIVE = ['tea', 'cafe', 'farm'] as const
/** Its merchant's server answers what is drawn. */
const HOOK = 'hook-test'
const BATCH = 400
/** So often the sites are furnished anew. */
const EPOCH = 20_000
/** So often the service starts anew: what it has logged is looked through then. */
const LIFE = 200_000
const LANES = 12
/** How often other things come than requests to the service. */
const WEIGHTS = { request: 94, webhook: 4, instruction: 1.5, callback: 0.6, bank: 0.4 }

export interface Options {
  seed: number
  /** How many; it ends with a batch. */
  inputs?: number
  seconds?: number
}

export interface Report {
  inputs: number
  seconds: number
  /** By kind: how many were sent, and what was answered. */
  kinds: Map<string, Map<string, number>>
  findings: string[]
  /** Resident bytes of the processes, after the first batch of each epoch and in the end. */
  memory: Record<string, number[]>
}

type Job = { kind: string; name: string; run: () => Promise<void> }

export async function fuzz({ seed, inputs = Number.POSITIVE_INFINITY, seconds }: Options): Promise<Report> {
  const random = randomOf(seed)
  const hostile = await hostileServer(seed)
  onTestFinished(() => void hostile.close())
  const deployment = await bankDeployment({ ...WITH_PAY, settings: { TEST_SITES: 'on' } })
  const operations = operationsIn(await (await fetch(`${deployment.service.address}/openapi.json`)).json())
  const run = new Run(deployment, operations, hostile)
  const begun = Date.now()
  const isOver = () =>
    run.report.inputs >= inputs || (seconds !== undefined && Date.now() - begun >= seconds * 1000)
  for (let batch = 0; !isOver(); batch++) {
    if ((batch * BATCH) % LIFE === 0 && batch > 0) await run.restart()
    if ((batch * BATCH) % EPOCH === 0) await run.furnish((batch * BATCH) / EPOCH)
    await run.batch(random, batch, Math.min(BATCH, inputs - run.report.inputs))
    run.report.seconds = (Date.now() - begun) / 1000
    if (run.report.inputs % EPOCH === 0)
      console.log(
        `${run.report.inputs} inputs of seed ${seed}, ${Math.round(run.report.seconds)} s, ${run.report.findings.length} findings`,
      )
  }
  await run.end()
  return run.report
}

class Run {
  readonly report: Report = { inputs: 0, seconds: 0, kinds: new Map(), findings: [], memory: {} }
  readonly #deployment: BankDeployment
  readonly #operations: readonly Operation[]
  readonly #hostile: Hostile
  readonly #judge: Judge
  #world: World | undefined
  #sandboxes: readonly string[] = []
  #clients: Client[] = []
  #toConnector: Client
  /** Of the one connection to the connector. */
  #told: Promise<unknown> = Promise.resolve()
  /** One bank is asked at a time, because its next answers are set before. */
  #asked: Promise<unknown> = Promise.resolve()
  #drawn = 0

  constructor(deployment: BankDeployment, operations: readonly Operation[], hostile: Hostile) {
    this.#deployment = deployment
    this.#operations = operations
    this.#hostile = hostile
    this.#toConnector = new Client(deployment.connector.ownPort)
    const secrets = [SECRET, EXTERNAL.NETWORK_SECRET, ...Object.values(deployment.env)]
    this.#judge = judgeOf(finderOf(operations), secrets)
  }

  get #address(): string {
    const { address } = this.#deployment.service
    if (address === undefined) throw new Error('the service does not run')
    return address
  }

  async furnish(epoch: number): Promise<void> {
    const address = this.#address
    const hook = siteAt(() => address, SECRET, HOOK)
    if (epoch === 0) {
      await hook.create('first')
      await hook.ask('/settings/notificationKeys', { method: 'POST' })
      await hook.ask('/settings', { method: 'PATCH', body: { callbackUrl: this.#hostile.hook } })
    }
    this.#sandboxes = sandboxesOf(epoch)
    // What an input has set would refuse what is furnished now.
    await Promise.all(
      LIVE.map((siteId) => this.#operate(`/sites/${siteId}/limits`, { method: 'PUT', body: {} })),
    )
    const sites = [
      ...(await Promise.all(this.#sandboxes.map((siteId) => furnish(address, siteId, epoch)))),
      ...(await Promise.all(LIVE.map((siteId) => furnishLive(this.#deployment, siteId, epoch)))),
    ]
    const { host } = new URL(address)
    this.#world = {
      ...{ host, sites, operations: this.#operations, url: this.#hostile.url },
      ...{ operator: await signIn(address, '*', 'operator'), now: Math.floor(Date.now() / 1000) },
    }
    for (const client of this.#clients) client.close()
    this.#clients = Array.from({ length: LANES }, () => new Client(Number(new URL(address).port)))
  }

  async batch(random: Random, number: number, size: number): Promise<void> {
    const world = this.#world
    if (!world) throw new Error('no site is furnished')
    const before = await this.#states()
    const inputs = new Inputs(random, world, number)
    const accepted = new Accepted()
    const jobs = Array.from({ length: size }, () => this.#job(random, inputs, accepted))
    const rows = this.#webhookRows()
    const taken = this.#count('webhook', '200')
    await Promise.all(
      this.#clients.map(async (client) => {
        for (let job = jobs.shift(); job; job = jobs.shift()) await this.#do(job(client))
      }),
    )
    await this.#asked
    this.report.inputs += size
    for (const [siteId, state] of before) await this.#compare(siteId, state, number, accepted)
    if (this.#count('webhook', '200') === taken && this.#webhookRows() !== rows)
      this.#find(`batch ${number}: a webhook that was refused is on the connector's disk`)
    if ((number * BATCH) % EPOCH === 0) this.#measure()
  }

  /** Each is drawn here, in order; only then are they sent. */
  #job(random: Random, inputs: Inputs, accepted: Accepted): (client: Client) => Job {
    const number = this.#drawn++
    const connectorHost = `127.0.0.1:${this.#deployment.connector.ownPort}`
    switch (random.weighted(WEIGHTS)) {
      case 'request': {
        const input = inputs.next()
        return (client) => ({
          kind: input.kind,
          name: `input ${number} (${input.kind})`,
          run: () => this.#send(client, number, input, accepted),
        })
      }
      case 'webhook': {
        const { bytes, statuses } = webhookOf(random, this.#deployment, connectorHost)
        return () => ({
          kind: 'webhook',
          name: `input ${number}`,
          run: () => this.#tell('webhook', number, bytes, statuses),
        })
      }
      case 'instruction': {
        const { bytes, statuses } = instructionOf(random, connectorHost, Date.now())
        return () => ({
          kind: 'instruction',
          name: `input ${number}`,
          run: () => this.#tell('instruction', number, bytes, statuses),
        })
      }
      case 'callback': {
        const answer = answerOf(random)
        return () => ({
          kind: 'callback',
          name: `input ${number}`,
          run: () => this.#one(() => this.#callBack(number, answer)),
        })
      }
      case 'bank': {
        const siteId = anyOf(random, LIVE)
        const fault = faultOf(random)
        // A refund is answered before its bank is asked.
        const isRegistration = !('bytes' in fault) || random.chance(0.7)
        return () => ({
          kind: 'bank',
          name: `input ${number}`,
          run: () => this.#one(() => this.#askBank(number, siteId, fault, isRegistration, accepted)),
        })
      }
    }
  }

  async #do({ kind, name, run }: Job): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#add(kind, 'failed')
      this.#find(`${name}: ${error}`)
    }
  }

  async #send(client: Client, number: number, { kind, siteId, keyId, sent }: Input, accepted: Accepted) {
    if ('bytes' in sent) {
      const { answers, isSilent } = await sendBytes(Number(new URL(this.#address).port), sent.bytes)
      if (isSilent) this.#add(kind, 'silent')
      for (const answer of answers) {
        // Which request an answer belongs to is not known: only what every answer owes is looked at.
        this.#judged(kind, number, { method: '?', target: '/?', headers: [] }, answer, sent.bytes.pieces)
        if (answer.status < 400) accepted.add(keyId, siteId, 2)
      }
      if (answers.length === 0) {
        this.#add(kind, 'no answer')
        // What was sent can have been done.
        accepted.add(keyId, siteId, 2 * sent.bytes.methods.length)
      }
      return
    }
    const { request } = sent
    const bytes = bytesOf(request)
    const answer = await client.send(bytes, request.method)
    const isWrite = !/^(?:GET|HEAD|OPTIONS)$/.test(request.method)
    if (!answer) accepted.add(keyId, siteId, 2)
    else if (isWrite && answer.status < 400) accepted.add(keyId, siteId, mostEvents(request, answer))
    if (answer) this.#judged(kind, number, request, answer, [bytes])
    else this.#unanswered(kind, number, bytes)
  }

  #unanswered(kind: string, number: number, bytes: Buffer): void {
    this.#add(kind, 'no answer')
    this.#find(`input ${number} (${kind}): no answer\n${bytes.toString('latin1').slice(0, 1_500)}`)
  }

  #judged(
    kind: string,
    number: number,
    request: Omit<Request, 'body'>,
    answer: Answer,
    bytes: readonly Buffer[],
  ): void {
    this.#add(kind, String(answer.status))
    const problem = this.#judge(request, answer)
    if (!problem) return
    const shown = Buffer.concat(bytes).toString('latin1').slice(0, 1_500)
    this.#find(
      `input ${number} (${kind}): ${problem}\n${shown}\n→ ${answer.status} ${answer.body.slice(0, 500)}`,
    )
  }

  /** What banks and the service send to the connector. */
  async #tell(kind: string, number: number, bytes: Buffer, statuses: readonly number[]): Promise<void> {
    const answer = await this.#inTurn(() => this.#toConnector.send(bytes, 'POST'))
    if (!answer) return this.#unanswered(kind, number, bytes)
    this.#add(kind, String(answer.status))
    if (!statuses.includes(answer.status))
      this.#find(
        `input ${number} (${kind}): ${answer.status}\n${bytes.toString('latin1').slice(0, 1_500)}\n→ ${answer.body.slice(0, 300)}`,
      )
  }

  /** A merchant's server answers a notification. */
  async #callBack(number: number, answer: Buffer): Promise<void> {
    this.#hostile.next.splice(0, 1, answer)
    const told = await siteAt(() => this.#address, SECRET, HOOK).ask('/notifications/test', {
      method: 'POST',
    })
    this.#add('callback', String(told.status))
    const { success } = Delivery.safeParse(jsonIn(told.text))
    if (told.status !== 200 || !success)
      this.#find(
        `input ${number} (callback): ${told.status} ${told.text}\n${answer.toString('latin1').slice(0, 500)}`,
      )
  }

  /** A bank answers the creation of a code, or a refund. */
  async #askBank(
    number: number,
    siteId: (typeof LIVE)[number],
    fault: ReturnType<typeof faultOf>,
    isRegistration: boolean,
    accepted: Accepted,
  ): Promise<void> {
    const { fake, operations } = this.#deployment.bankOf(siteId)
    const site = siteAt(() => this.#address, SECRET, siteId)
    const operation = isRegistration ? operations.register : operations.refund
    const before = fake.callsOf(operation).length
    fake.fail(operation, fault)
    const uid = `bank-${number}`
    const paymentUid = this.#world?.sites.find((each) => each.siteId === siteId)?.paymentUids[0] ?? ''
    const answered = isRegistration
      ? await site.create(uid, { amount: { value: 100 } })
      : await site.refund(paymentUid, uid, 0.01)
    fake.heal()
    accepted.add('', siteId, 0)
    const gaveNoAnswer = !('bytes' in fault)
    this.#add(gaveNoAnswer ? 'bank without an answer' : 'bank', String(answered.status))
    const wrong = (problem: string) =>
      this.#find(`input ${number} (bank): ${problem}: ${answered.status} ${answered.text.slice(0, 500)}`)
    if (![200, 400, 409, 503].includes(answered.status)) return wrong('this is not documented')
    // Of two calls the other one can have had no answer. 409 can be a refusal before any call.
    const isOnlyCall = fake.callsOf(operation).length === before + 1
    if (gaveNoAnswer && isOnlyCall && [200, 400].includes(answered.status))
      return wrong('the bank gave no answer')
    if (answered.status === 200 || !isRegistration) return
    const { status } = await site.ask(`/sbp/qrCodes/${uid}`)
    if (status !== 404) wrong('a code that was refused is there')
  }

  #one<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#asked.then(work)
    this.#asked = done.catch(() => {})
    return done
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#told.then(work)
    this.#told = done.catch(() => {})
    return done
  }

  async #states(): Promise<Map<string, State>> {
    const states = await Promise.all(
      [...this.#sandboxes, ...LIVE].map(async (siteId) => [siteId, await this.#state(siteId)] as const),
    )
    return new Map(states)
  }

  #state(siteId: string): Promise<State> {
    return stateOf(
      siteAt(() => this.#address, SECRET, siteId),
      async () => (await this.#operate(`/sites/${siteId}`)).json(),
    )
  }

  async #operate(below: string, call = {}): Promise<Response> {
    return asOperator({ address: this.#address }, below, call)
  }

  /** The events are not more than what was accepted explains; where nothing of a site was, the site is as it was. */
  async #compare(siteId: string, before: State, number: number, accepted: Accepted): Promise<void> {
    const session = this.#world?.sites.find((each) => each.siteId === siteId)?.session.keyId ?? ''
    const events = await eventsOf(
      siteAt(() => this.#address, SECRET, siteId),
      before,
    )
    for (const keyId of [keyOf(number, siteId), session]) {
      const made = events.filter((event) => event.keyId === keyId)
      if (made.length > accepted.most(keyId))
        this.#find(
          `batch ${number}: of ${siteId} ${accepted.most(keyId)} events are explained, and there are ${made.map(({ type }) => type)}`,
        )
    }
    this.#add('feed of a site', 'compared')
    if (accepted.sites.has(siteId)) return
    this.#add('state of a site', 'compared')
    const { counts } = await this.#state(siteId)
    if (counts !== before.counts)
      this.#find(
        `batch ${number}: ${siteId} refused everything and has changed:\n${before.counts}\n${counts}`,
      )
  }

  #webhookRows(): number {
    return Number(this.#deployment.connector.read('SELECT count(*) AS rows FROM webhooks')[0]?.rows)
  }

  #count(kind: string, answer: string): number {
    return this.report.kinds.get(kind)?.get(answer) ?? 0
  }

  #add(kind: string, answer: string): void {
    const answers = this.report.kinds.get(kind) ?? new Map<string, number>()
    this.report.kinds.set(kind, answers)
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
  }

  #find(problem: string): void {
    this.report.findings.push(problem)
    console.error(`FINDING ${problem}`)
  }

  #measure(): void {
    const { service, connector } = this.#deployment
    for (const [name, pid] of Object.entries({ ...service.pids, connector: connector.pid })) {
      const samples = this.report.memory[name] ?? []
      this.report.memory[name] = samples
      samples.push(residentBytes(pid))
    }
  }

  /** What nobody may read in a log, and what says that something is broken. */
  #readLog(): void {
    const { log } = this.#deployment.service
    for (const secret of [SECRET, EXTERNAL.NETWORK_SECRET])
      if (log.includes(secret)) this.#find('the log has a secret')
    const [token] = /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{20,}/.exec(log) ?? []
    if (token) this.#find(`the log has a token: ${token.slice(0, 20)}…`)
    for (const line of log
      .match(/^.*(?:"level":"error"|ncaught|segmentation|workerd ended).*$/gm)
      ?.slice(0, 5) ?? [])
      this.#find(`the log has: ${line.slice(0, 1_000)}`)
  }

  /** The service ends and starts again, on the same data. */
  async restart(): Promise<void> {
    for (const client of this.#clients) client.close()
    // After the stop the service has no log.
    this.#readLog()
    await this.#deployment.service.stop()
    await this.#deployment.service.start()
    if (this.#world) this.#world = { ...this.#world, host: new URL(this.#address).host }
    this.#clients = Array.from({ length: LANES }, () => new Client(Number(new URL(this.#address).port)))
  }

  async end(): Promise<void> {
    this.#measure()
    for (const client of [...this.#clients, this.#toConnector]) client.close()
    if (this.#deployment.connector.hasEnded) this.#find('the connector has ended')
    this.#readLog()
    await this.#deployment.service.verify()
  }
}

const Delivery = z.strictObject({ httpStatus: z.int().optional(), error: z.string().optional(), ms: z.int() })

/** Of a batch: which sites something was not refused of, and how many events that can have made at most, by key. */
class Accepted {
  readonly sites = new Set<string>()
  readonly #most = new Map<string, number>()

  add(keyId: string, siteId: string, most: number): void {
    this.sites.add(siteId)
    this.#most.set(keyId, this.most(keyId) + most)
  }

  most(keyId: string): number {
    return this.#most.get(keyId) ?? 0
  }
}

/** How many events a write that was not refused makes at most. */
function mostEvents({ method, target }: Request, { headers }: Answer): number {
  if (headers['idempotent-replayed'] === 'true') return 0
  // The cancellation of a code ends its sale, a payment that is another code's is an event of both.
  return method === 'DELETE' || !/^\/(?:partner\/)?payin\//.test(target) ? 2 : 1
}

function residentBytes(pid: number | undefined): number {
  const status = pid === undefined ? '' : readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}
