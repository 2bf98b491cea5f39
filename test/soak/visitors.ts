// Everybody else: payers, the merchant's server and its owner, and the operator. Nearly all of them only look.
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import type { Random } from '../support/random.ts'
import { SECRET } from '../support/secret.ts'
import type { Site } from '../support/site-at.ts'
import { isOfFetch } from './answers.ts'

type Visit = (siteId: string) => Promise<unknown>

/** What is looked at: a service, or an instance of a cluster. */
interface Visited {
  /** Of what takes the next request. */
  address(): string
  /** Asks below a site, with the merchant's token. */
  ask(siteId: string, ...call: Parameters<Site['ask']>): ReturnType<Site['ask']>
  /** Unix milliseconds of the service's clock. */
  now(): number
}

const List = z.object({ qrCodes: z.array(z.object({ qrCodeUid: z.string(), pageUrl: z.string() })) })

/** What somebody looks at, and how often. */
const WEIGHTS = {
  ...{ list: 4, page: 6, banks: 1, print: 0.5, 'long poll': 3, payments: 2, feed: 3, search: 1, report: 0.3 },
  ...{ figures: 0.5, notifications: 1, console: 3, form: 0.3, sites: 1, export: 0.2, audit: 0.3 },
}
const CONSOLE = [
  '',
  'qr',
  'payments',
  'events',
  'notifications',
  'settings',
  'tills',
  'search?q=uid-1',
] as const
const DAY_MS = 86_400_000

/** Somebody cannot look now: the service refuses, or there is nothing yet. */
class Unanswered extends Error {}

export class Visitors {
  readonly #visited: Visited
  readonly #random: Random
  /** The session of the owner of each site. */
  readonly #cookies = new Map<string, string>()
  #forms = 0
  readonly #operator = mintToken(SECRET, { siteId: '*', scope: 'operator', days: 30 })

  constructor(visited: Visited, random: Random) {
    this.#visited = visited
    this.#random = random
  }

  /** One of them looks at something of a site. Whether there is an answer, and which, the answers have. */
  async visit(siteId: string): Promise<void> {
    try {
      await this.#visits[this.#random.weighted(WEIGHTS)](siteId)
    } catch (error) {
      if (!(error instanceof Unanswered) && !isOfFetch(error)) throw error
    }
  }

  readonly #visits: Record<keyof typeof WEIGHTS, Visit> = {
    list: (siteId) => this.#codes(siteId),
    page: (siteId) => this.#page(siteId),
    banks: (siteId) => this.#page(siteId, '/banks'),
    print: (siteId) => this.#page(siteId, '/print'),
    'long poll': async (siteId) => {
      const { qrCodeUid } = this.#random.pick(await this.#codes(siteId))
      return this.#ask(siteId, `/sbp/qrCodes/${qrCodeUid}`, { Prefer: 'wait=2' })
    },
    payments: (siteId) => this.#ask(siteId, '/payments?limit=50'),
    feed: (siteId) => this.#ask(siteId, '/events?limit=100'),
    search: (siteId) => this.#ask(siteId, `/search?q=uid-${this.#random.below(100)}`),
    report: (siteId) => this.#ask(siteId, `/reports/payments?from=${this.#day(-1)}&to=${this.#day(0)}`),
    figures: (siteId) => this.#ask(siteId, `/reports/day?date=${this.#day(0)}`),
    notifications: (siteId) => this.#ask(siteId, '/notifications?limit=20'),
    console: async (siteId) => {
      const headers = { Cookie: await this.#cookie(siteId), Accept: 'text/html' }
      return this.#request(`/console/sites/${siteId}/${this.#random.pick(CONSOLE)}`, { headers })
    },
    /** The owner creates a QR code, which nobody pays. */
    form: async (siteId) => {
      const fields = { qrCodeUid: `by-hand-${this.#forms++}`, type: 'DYNAMIC', amount: '500' }
      return this.#send(`/console/sites/${siteId}/qr/new`, fields, { Cookie: await this.#cookie(siteId) })
    },
    sites: () => this.#operate('/sites'),
    export: (siteId) => this.#operate(`/sites/${siteId}/export`),
    audit: () => this.#operate('/audit'),
  }

  #day(ahead: number): string {
    return new Date(this.#visited.now() + ahead * DAY_MS).toISOString().slice(0, 10)
  }

  async #codes(siteId: string) {
    const { status, text } = await this.#visited.ask(siteId, '/sbp/qrCodes?limit=20')
    if (status !== 200) throw new Unanswered(`${status} ${text}`)
    const [first, ...rest] = List.parse(JSON.parse(text)).qrCodes
    if (!first) throw new Unanswered(`${siteId} has no QR code yet`)
    return [first, ...rest] as const
  }

  #ask(siteId: string, path: string, headers: Record<string, string> = {}) {
    return this.#visited.ask(siteId, path, { headers })
  }

  async #page(siteId: string, below = ''): Promise<unknown> {
    const { pageUrl } = this.#random.pick(await this.#codes(siteId))
    const { pathname, search } = new URL(pageUrl)
    return this.#request(pathname + below + search, {
      headers: { Accept: 'text/html', 'Accept-Language': 'ru' },
    })
  }

  async #request(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(`${this.#visited.address()}${path}`, { redirect: 'manual', ...init })
    await response.arrayBuffer()
    return response
  }

  async #operate(below: string): Promise<unknown> {
    return this.#request(`/operator/v1${below}`, {
      headers: { Authorization: `Bearer ${await this.#operator}` },
    })
  }

  /** Sends a form as the console's own pages do. */
  #send(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.#request(path, {
      ...{ method: 'POST', body: new URLSearchParams(fields) },
      headers: { Origin: this.#visited.address(), 'Sec-Fetch-Site': 'same-origin', ...headers },
    })
  }

  async #cookie(siteId: string): Promise<string> {
    return this.#cookies.get(siteId) ?? this.#signIn(siteId)
  }

  async #signIn(siteId: string): Promise<string> {
    const token = await mintToken(SECRET, { siteId, scope: 'merchant:admin', days: 1 })
    const response = await this.#send('/console/sign-in', { token })
    const [cookie] = response.headers.getSetCookie().map((each) => each.split(';', 1)[0])
    if (!cookie) throw new Unanswered(`the owner of ${siteId} is not let in: ${response.status}`)
    this.#cookies.set(siteId, cookie)
    return cookie
  }
}
