// Everything that a site's callers do, at once: creates, payments, refunds, sales at tills, long polls, pages of the console,
// notifications; with a record of what was acknowledged, and a check that the service has all of it, once.
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { type Acknowledged, losses } from './acknowledged.ts'
import type { Instance } from './cluster.ts'
import { type Delivery, type MerchantReceiver, merchantReceiver } from './merchant-receiver.ts'
import { randomOf } from './random.ts'
import { SECRET } from './secret.ts'
import { type Answered, answerTo, linkIdIn, qrCodeOf, type Site, valueIn } from './site-at.ts'
import { eventsOf, feedProblems, subjectOf } from './site-records.ts'

/** What takes the requests: an instance, or a balancer. */
export type Reached = Pick<Instance, 'site' | 'address'>

export interface MixedOptions {
  /** Those that take requests now. */
  instances(): readonly Reached[]
  siteIds: readonly string[]
  clients: number
  seed: number
  /** How long a client rests between two orders, by default not at all. */
  pauseMs?: number
  /** What the merchants' servers answer to a delivery, by its `webhook-id`; by default 204. */
  statusOf?: (id: string) => number
}

/** What the contract gives while a site has no owner; a balancer's own answers are the same. */
const TEMPORARY = [502, 503, 504]
/** A request without an answer is sent again after this time: a network can lose both. */
export const PATIENCE_MS = 15_000
const PAUSE_MS = 50

export class MixedLoad {
  /** How many answers there were of each kind, such as `create 503`. */
  readonly answers: Record<string, number> = {}
  /** Answers that are neither a success nor temporary, and those that differ from the one before. */
  readonly faults: string[] = []
  readonly #options: MixedOptions
  readonly #codes: Acknowledged[] = []
  /** Refunds, sales and their payments that were acknowledged, as `siteId event uid`. */
  readonly #events = new Set<string>()
  readonly #receivers = new Map<string, MerchantReceiver>()
  readonly #sites = new Map<Reached, Map<string, Site>>()
  #running: Promise<unknown> = Promise.resolve()
  #hasEnded = false

  private constructor(options: MixedOptions) {
    this.#options = options
  }

  /** Gives each site a merchant's server, and begins. */
  static async start(options: MixedOptions): Promise<MixedLoad> {
    const load = new MixedLoad(options)
    const all = options.instances()
    for (const [i, siteId] of options.siteIds.entries()) {
      // Who asks for a site first has it.
      const owner = all[i % all.length]
      if (!owner) throw new Error('a load needs an instance')
      load.#receivers.set(siteId, await receiverOf(owner.site(siteId), options.statusOf))
    }
    load.#running = Promise.all(Array.from({ length: options.clients }, (_, number) => load.#client(number)))
    return load
  }

  /** How many QR codes were acknowledged. */
  get acknowledged(): number {
    return this.#codes.length
  }

  /** Resolves when so many more QR codes are acknowledged. */
  async more(count: number): Promise<void> {
    const until = this.acknowledged + count
    while (this.acknowledged < until) await sleep(20)
  }

  /** Ends it, after the answers to the requests that are in flight. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await this.#running
  }

  /** What is wrong now: refunds and notifications take a moment. */
  async problems(reached: Reached): Promise<string[]> {
    const found = [...this.faults, ...(await losses(reached, this.#codes))]
    for (const [siteId, receiver] of this.#receivers) {
      const feed = await Array.fromAsync(eventsOf(reached.site(siteId).ask))
      const counts = new Map<string, number>()
      for (const event of feed) {
        const name = `${siteId} ${event.type} ${subjectOf(event)}`
        counts.set(name, (counts.get(name) ?? 0) + 1)
      }
      for (const [name, count] of counts) if (count > 1) found.push(`${name}: ${count} events`)
      for (const name of this.#events)
        if (name.startsWith(`${siteId} `) && !counts.has(name)) found.push(`${name}: lost`)
      found.push(...receiver.faults, ...feedProblems(siteId, feed, receiver.deliveries.filter(isTaken)))
    }
    return found
  }

  async #client(number: number): Promise<void> {
    const random = randomOf(this.#options.seed + number)
    const { siteIds } = this.#options
    const atTill = siteIds[number % siteIds.length] ?? ''
    const till = await this.#insist('create', atTill, random, (site) =>
      site.create(`till-${number}`, { amount: undefined }, { type: 'COUNTER' }),
    )
    for (let n = 0; !this.#hasEnded; n++) {
      const siteId = siteIds[random.below(siteIds.length)] ?? ''
      await this.#order(siteId, `order-${number}-${n}`, random)
      if (till && random.chance(0.3))
        await this.#sale(atTill, till, `till-${number}`, `sale-${number}-${n}`, random)
      if (random.chance(0.1)) await this.#console(siteId, random)
      if (this.#options.pauseMs) await sleep(this.#options.pauseMs)
    }
  }

  /** A customer pays while the merchant waits, and perhaps gets a part of it back. */
  async #order(siteId: string, qrCodeUid: string, random: Random): Promise<void> {
    const create = () => this.#insist('create', siteId, random, (site) => site.create(qrCodeUid))
    const created = await create()
    if (!created) return
    const { payload } = qrCodeOf(created).qrCode
    const code: Acknowledged = { siteId, qrCodeUid, payload, isPaid: false }
    this.#codes.push(code)
    if (random.chance(0.1)) {
      const again = await create()
      if (again && qrCodeOf(again).qrCode.payload !== payload) this.faults.push(`${qrCodeUid} has two links`)
    }
    if (random.chance(0.3)) return
    const waiting =
      random.chance(0.5) && this.#insist('long poll', siteId, random, (site) => poll(site, qrCodeUid))
    const paymentUid = `pay-${qrCodeUid}`
    const paid = await this.#insist('payment', siteId, random, (site) =>
      site.report(linkIdIn(created), paymentUid),
    )
    await waiting
    if (!paid) return
    code.isPaid = true
    if (random.chance(0.5)) return
    const refundUid = `refund-${qrCodeUid}`
    const refunded = await this.#insist('refund', siteId, random, (site) =>
      site.refund(paymentUid, refundUid, 1),
    )
    if (refunded) this.#events.add(`${siteId} refund.completed ${paymentUid}/${refundUid}`)
  }

  /** A till arms its printed code, and the customer pays. */
  async #sale(
    siteId: string,
    till: Answered,
    tillUid: string,
    saleUid: string,
    random: Random,
  ): Promise<void> {
    const path = `/sbp/qrCodes/${tillUid}/sales/${saleUid}`
    const call = { method: 'PUT', body: { amount: { value: 5 } } }
    if (!(await this.#insist('sale', siteId, random, (site) => site.ask(path, call)))) return
    this.#events.add(`${siteId} sale.created ${saleUid}`)
    const paymentUid = `pay-${saleUid}`
    const report = (site: Site) => site.report(linkIdIn(till), paymentUid, { saleUid })
    if (await this.#insist('payment', siteId, random, report))
      this.#events.add(`${siteId} payment.completed ${paymentUid}`)
  }

  /** The shop's owner signs in, and looks at the payments of today. */
  async #console(siteId: string, random: Random): Promise<void> {
    const token = await mintToken(SECRET, { siteId, scope: 'merchant:admin', days: 1 })
    let cookie = ''
    await this.#insist('console', siteId, random, async (_, { address }) => {
      const response = await fetch(`${address}/console/sign-in`, {
        ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ token }) },
        headers: { Origin: address, 'Sec-Fetch-Site': 'same-origin' },
      })
      const set = response.headers.getSetCookie()
      cookie = set[0]?.split(';', 1)[0] ?? ''
      const answered = await answerTo(Promise.resolve(response))
      return { ...answered, status: answered.status === 303 ? 200 : answered.status }
    })
    if (cookie === '') return
    const headers = { Cookie: cookie, Accept: 'text/html' }
    await this.#insist('console', siteId, random, (_, { address }) =>
      answerTo(fetch(`${address}/console/sites/${siteId}/`, { headers, redirect: 'manual' })),
    )
  }

  /** Sends a request through one instance or another until it succeeds; undefined where the load ends before. */
  async #insist(
    what: string,
    siteId: string,
    random: Random,
    send: (site: Site, through: Reached) => Promise<Answered>,
  ): Promise<Answered | undefined> {
    while (!this.#hasEnded) {
      const all = this.#options.instances()
      const through = all[random.below(all.length)]
      if (!through) throw new Error('a load needs an instance')
      const sent = send(this.#siteOf(through, siteId), through).catch(() => undefined)
      const answered = await Promise.race([sent, sleep(PATIENCE_MS, undefined, { ref: false })])
      const kind = `${what} ${answered?.status ?? 'without an answer'}`
      this.answers[kind] = (this.answers[kind] ?? 0) + 1
      if (answered?.status === 200) return answered
      if (answered && !TEMPORARY.includes(answered.status)) {
        this.faults.push(`${what} of ${siteId}: ${answered.status} ${answered.text.slice(0, 300)}`)
        return undefined
      }
      await sleep(PAUSE_MS)
    }
    return undefined
  }

  /** With tokens that are made once. */
  #siteOf(through: Reached, siteId: string): Site {
    const sites = this.#sites.get(through) ?? new Map<string, Site>()
    this.#sites.set(through, sites)
    const site = sites.get(siteId) ?? through.site(siteId)
    sites.set(siteId, site)
    return site
  }
}

const isTaken = ({ status }: Delivery): boolean => status === 204

type Random = ReturnType<typeof randomOf>

const poll = (site: Site, qrCodeUid: string) =>
  site.ask(`/sbp/qrCodes/${qrCodeUid}`, { headers: { Prefer: 'wait=10' } })

const Key = z.object({ key: z.string() })

/** A merchant's server that takes everything, with its key and its address in the site's settings. */
export async function receiverOf(site: Site, statusOf?: (id: string) => number): Promise<MerchantReceiver> {
  const receiver = await merchantReceiver(statusOf)
  onTestFinished(() => receiver.close())
  const made = await site.ask('/settings/notificationKeys', { method: 'POST' })
  receiver.key = Key.parse(valueIn(made)).key
  await site.value('/settings', { method: 'PATCH', body: { callbackUrl: receiver.url } })
  return receiver
}
