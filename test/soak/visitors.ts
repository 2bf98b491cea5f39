// Everybody who reads: payers, the merchant's server and its owner, and the operator.
import { mintToken } from '../../bin/mint-token.ts'
import { ListAnswer } from '../../src/contract/qr-code-list.ts'
import type { BankDeployment } from '../support/bank-deployment.ts'
import type { Random } from '../support/random.ts'
import { SECRET } from '../support/secret.ts'
import { isOfFetch } from './answers.ts'

type Visit = (siteId: string) => Promise<unknown>

/** What somebody looks at, and how often. */
const WEIGHTS = {
  ...{ list: 4, page: 6, 'long poll': 3, payments: 2, feed: 3, search: 1, report: 0.3, figures: 0.5 },
  ...{ notifications: 1, console: 3, sites: 1, export: 0.2, audit: 0.3 },
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
  readonly #deployment: BankDeployment
  readonly #random: Random
  /** The session of the owner of each site. */
  readonly #cookies = new Map<string, string>()
  readonly #operator = mintToken(SECRET, { siteId: '*', scope: 'operator', days: 30 })

  constructor(deployment: BankDeployment, random: Random) {
    this.#deployment = deployment
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
    page: async (siteId) => {
      const { pageUrl } = this.#random.pick(await this.#codes(siteId))
      const { pathname, search } = new URL(pageUrl)
      return this.#get(pathname + search, { Accept: 'text/html', 'Accept-Language': 'ru' })
    },
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
      const cookie = this.#cookies.get(siteId) ?? (await this.#signIn(siteId))
      return this.#get(`/console/${this.#random.pick(CONSOLE)}`, { Cookie: cookie, Accept: 'text/html' })
    },
    sites: () => this.#operate('/sites'),
    export: (siteId) => this.#operate(`/sites/${siteId}/export`),
    audit: () => this.#operate('/audit'),
  }

  #day(ahead: number): string {
    return new Date(this.#deployment.now() + ahead * DAY_MS).toISOString().slice(0, 10)
  }

  async #codes(siteId: string) {
    const { status, text } = await this.#deployment.merchant(siteId).ask('/sbp/qrCodes?limit=20')
    if (status !== 200) throw new Unanswered(`${status} ${text}`)
    const [first, ...rest] = ListAnswer.parse(JSON.parse(text)).qrCodes
    if (!first) throw new Unanswered(`${siteId} has no QR code yet`)
    return [first, ...rest] as const
  }

  #ask(siteId: string, path: string, headers: Record<string, string> = {}) {
    return this.#deployment.merchant(siteId).ask(path, { headers })
  }

  async #get(path: string, headers: Record<string, string>): Promise<void> {
    const response = await fetch(`${this.#deployment.service.address}${path}`, {
      headers,
      redirect: 'manual',
    })
    await response.arrayBuffer()
  }

  async #operate(below: string): Promise<void> {
    await this.#get(`/operator/v1${below}`, { Authorization: `Bearer ${await this.#operator}` })
  }

  async #signIn(siteId: string): Promise<string> {
    const token = await mintToken(SECRET, { siteId, scope: 'merchant:admin', days: 1 })
    const { address } = this.#deployment.service
    const response = await fetch(`${address}/console/sign-in`, {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ token }) },
      headers: { Origin: address ?? '', 'Sec-Fetch-Site': 'same-origin' },
    })
    const [cookie] = response.headers.getSetCookie().map((each) => each.split(';', 1)[0])
    if (!cookie) throw new Unanswered(`the owner of ${siteId} is not let in: ${response.status}`)
    this.#cookies.set(siteId, cookie)
    return cookie
  }
}
