// The service's side of a connector: signed instructions, reports, the lists (contract, sections 7, 8, 10 and 14).
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { portOf } from './ports.ts'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

interface Report {
  [field: string]: unknown
}

export interface Answer {
  status: number
  headers?: Record<string, string>
  body: Record<string, unknown>
}

/** A site: what was reported to it. */
interface Site {
  payments: Map<string, Report & { qrcId: string }>
  /** The results. */
  refunds: Map<string, Report>
  /** What a refund without a result waits for, by the same keys. */
  waiting: Map<string, unknown>
  bindings: Map<string, Report>
  /** The results of documents, by their receiptUid. */
  receipts: Map<string, Report>
  /** What the merchant is told of documents without a result. */
  heldReceipts: Map<string, Report>
}

export class NetworkService {
  /** Where instructions go. */
  connectorUrl = ''
  readonly sites = new Map<string, Site>()
  /** What the lists answer; a test fills them. */
  qrCodes: (Record<string, unknown> & { siteId: string })[] = []
  waitingRefunds: (Record<string, unknown> & { siteId: string })[] = []
  /** What the lists of bindings and charges answer; undefined: a service that does not have them. */
  bindings: (Record<string, unknown> & { siteId: string; status: string })[] | undefined = []
  charges: (Record<string, unknown> & { siteId: string })[] | undefined = []
  /** The data of the documents that this service has; those without a result are listed. */
  receipts: (Record<string, unknown> & { siteId: string; receiptUid: string })[] = []
  readonly deleted = new Set<string>()
  /** Sites that were restored and are not resumed. */
  readonly restored = new Set<string>()
  /** Whether tokens of each site are taken, whoever has signed them. */
  takesAnyToken = false
  /** The status of the next reports, instead of taking them. */
  readonly failures: number[] = []
  readonly reports: { path: string; body: Report }[] = []
  /** The lists that were asked for; `endedFrom`: Unix milliseconds, NaN of a list without it. */
  readonly lists: { name: string; endedFrom: number }[] = []
  /** What reports whose path has the text are answered, instead of taking them. */
  readonly #answers = new Map<string, { status: number; body: unknown }>()
  readonly #server: Server

  constructor() {
    this.#server = createServer(async (request, response) => {
      const url = new URL(request.url ?? '/', 'http://service')
      const { status, headers, body } =
        request.method === 'PUT'
          ? this.#take(url.pathname, request.headers.authorization, JSON.parse(await text(request)))
          : this.#list(url, request.headers.authorization)
      response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  }

  /** How settlement files name what was reported, by the end of its path: no merchant is shown that. */
  readonly named = new Map<string, Report>()

  #name(path: string, fields: Report): void {
    const uid = /[^/]+(\/refunds\/[^/]+)?$/.exec(path)?.[0] ?? ''
    const stated = Object.entries(fields).filter(([, value]) => value !== undefined)
    // What was stated first stays.
    this.named.set(uid, { ...Object.fromEntries(stated), ...this.named.get(uid) })
  }

  /** The items that a document was reported with, by its receiptUid. */
  readonly reportedItems = new Map<string, unknown>()

  /** @param answer undefined: such reports are taken again */
  answerTo(text: string, answer: { status: number; body: unknown } | undefined): void {
    if (answer) this.#answers.set(text, answer)
    else this.#answers.delete(text)
  }

  async listen(): Promise<string> {
    return `http://127.0.0.1:${await portOf(this.#server)}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  site(siteId: string): Site {
    const site = this.sites.get(siteId) ?? {
      payments: new Map(),
      refunds: new Map(),
      waiting: new Map(),
      bindings: new Map(),
      receipts: new Map(),
      heldReceipts: new Map(),
    }
    this.sites.set(siteId, site)
    return site
  }

  /** Sends an instruction, signed. */
  async instruct(type: string, data: object, timestamp: number, secret = SECRET): Promise<Answer> {
    const body = JSON.stringify({
      type,
      timestamp: `${new Date(timestamp + 3 * 3_600_000).toISOString().slice(0, 19)}+03:00`,
      data,
    })
    const id = `id-${Math.random()}`
    const now = new Date()
    const response = await fetch(this.connectorUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(id, now, body),
      },
      body,
    })
    const answer = await response.text()
    return { status: response.status, body: answer ? JSON.parse(answer) : {} }
  }

  #isTokenOf(authorization: string | undefined, siteId: string): boolean {
    if (!this.takesAnyToken) return authorization === `Bearer ${tokenOf(siteId)}`
    const [, claims = ''] = authorization?.split('.') ?? []
    return JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}').sub === siteId
  }

  #take(
    path: string,
    authorization: string | undefined,
    body: Report,
  ): Omit<Answer, 'body'> & { body: unknown } {
    const [, siteId = '', rest = ''] = /^\/network\/v1\/sites\/([^/]+)\/(.*)$/.exec(path) ?? []
    if (!this.#isTokenOf(authorization, siteId)) return error(401, 'auth.unauthorized')
    if (this.deleted.has(siteId)) return error(410, 'site.deleted')
    this.reports.push({ path, body })
    const failure = this.failures.shift()
    if (failure !== undefined) return error(failure, 'a fault')
    const answer = Array.from(this.#answers).find(([text]) => path.includes(text))?.[1]
    if (answer) return answer
    const site = this.site(siteId)
    const payment = /^qrCodes\/([A-Za-z0-9._-]{1,64})\/payments\/([A-Za-z0-9._-]{1,64})$/.exec(rest)
    if (payment) {
      const { bank, order, ...shown } = body
      const taken = takePayment(site, payment[1] ?? '', payment[2] ?? '', shown)
      if (taken.status === 200) this.#name(path, { bank, order })
      return taken
    }
    const refund = /^payments\/([A-Za-z0-9._-]{1,64})\/refunds\/([A-Za-z0-9._-]{1,64})$/.exec(rest)
    if (refund) {
      const { networkUid, ...shown } = body
      const taken = this.#takeRefund(siteId, refund[1] ?? '', refund[2] ?? '', shown)
      if (taken.status === 200) this.#name(path, { networkUid })
      return taken
    }
    const receipt = /^receipts\/([A-Z0-9]{1,64})$/.exec(rest)
    if (receipt) return this.#takeReceipt(siteId, receipt[1] ?? '', body)
    const binding = /^qrCodes\/([^/]+)\/bindings\/([^/]+)$/.exec(rest)
    if (!binding) return error(404, 'http.url.not.found')
    site.bindings.set(binding[2] ?? '', body)
    return { status: 200, body: { status: body.status } }
  }

  #takeRefund(siteId: string, paymentUid: string, refundUid: string, body: Report): Answer {
    const site = this.site(siteId)
    const key = `${paymentUid}/${refundUid}`
    const waiting = this.waitingRefunds.find(
      (each) => each.paymentUid === paymentUid && each.refundUid === refundUid,
    )
    const isKnown = waiting !== undefined
    const before = site.refunds.get(key)
    const amount = before?.amount ?? waiting?.amount
    if (amount && body.amount && JSON.stringify(body.amount) !== JSON.stringify(amount))
      return error(409, 'payin.resource.already.exists')
    const payment = site.payments.get(paymentUid)
    if (!payment || (!before && !isKnown && !body.amount)) return error(404, 'payin.resource.not.found')
    if (payment.status !== 'COMPLETED') return error(409, 'payin.incorrect-method-invocation')
    if (before?.status === 'COMPLETED' && body.status === 'DECLINED')
      return error(409, 'payin.resource.already.exists')
    if (body.status === 'WAITING') {
      if (!before) site.waiting.set(key, body.reason)
      return { status: 200, body: { refundId: refundUid, paymentId: paymentUid } }
    }
    site.refunds.set(key, body)
    this.waitingRefunds = this.waitingRefunds.filter(
      (each) => each.paymentUid !== paymentUid || each.refundUid !== refundUid,
    )
    return { status: 200, body: { refundId: refundUid, paymentId: paymentUid } }
  }

  #takeReceipt(siteId: string, receiptUid: string, { items, ...body }: Report): Answer {
    const site = this.site(siteId)
    if (items !== undefined) this.reportedItems.set(receiptUid, items)
    const isKnown = this.receipts.some((each) => each.siteId === siteId && each.receiptUid === receiptUid)
    if (!isKnown) return error(404, 'payin.resource.not.found')
    const before = site.receipts.get(receiptUid)
    const isFact = before?.state === 'REGISTERED'
    // What it did not have of a registered document is added.
    const more: Report = isFact
      ? { ...before, fiscal: { ...Object(body.fiscal), ...Object(before.fiscal) } }
      : body
    const isSame = isFact && body.state === 'REGISTERED' && isPartOf(Object(body.fiscal), Object(more.fiscal))
    if (isFact && !isSame && body.state !== 'SENT') return error(409, 'payin.resource.already.exists')
    if (body.state !== 'SENT') site.receipts.set(receiptUid, more)
    if (body.state === 'SENT' && !before) site.heldReceipts.set(receiptUid, body)
    return { status: 200, body: { receiptUid, state: body.state } }
  }

  #list({ pathname, searchParams }: URL, authorization: string | undefined): Answer {
    const [, siteId = '', name = ''] =
      /^\/network\/v1\/sites\/([^/]+)\/(qrCodes|refunds|bindings|charges|receipts)$/.exec(pathname) ?? []
    if (!this.#isTokenOf(authorization, siteId)) return error(401, 'auth.unauthorized')
    if (this.deleted.has(siteId)) return error(410, 'site.deleted')
    const endedFrom = Date.parse(searchParams.get('endedFrom') ?? '')
    this.lists.push({ name, endedFrom })
    const of = (items: (Record<string, unknown> & { siteId: string })[]) =>
      items.filter((each) => each.siteId === siteId)
    if (name === 'refunds') return { status: 200, body: { refunds: of(this.waitingRefunds) } }
    if (name === 'receipts') {
      if (this.restored.has(siteId)) return error(409, 'site.restored')
      const results = this.site(siteId).receipts
      const open = of(this.receipts).filter(({ receiptUid }) => !results.has(String(receiptUid)))
      return { status: 200, body: { receipts: searchParams.get('state') === 'SENT' ? open : [] } }
    }
    if (name === 'bindings' || name === 'charges') {
      const items = this[name]
      if (!items) return error(404, 'http.url.not.found')
      const statuses = PARTS[searchParams.get('status') ?? ''] ?? []
      const isIn = ({ status = 'WAITING' }: Record<string, unknown>) => statuses.includes(String(status))
      return { status: 200, body: { [name]: of(items).filter(isIn) } }
    }
    const qrCodes = of(this.qrCodes).filter(
      ({ expiresOn }) => expiresOn === undefined || Date.parse(String(expiresOn)) >= endedFrom,
    )
    return { status: 200, body: { qrCodes } }
  }
}

/** The statuses of each part of the list of bindings. */
const PARTS: Record<string, string[]> = {
  WAITING: ['WAITING', 'REJECTED'],
  CREATED: ['CREATED'],
  ENDED: ['EXPIRED', 'DELETED'],
}

function takePayment(site: Site, qrcId: string, paymentUid: string, body: Report): Answer {
  const before = site.payments.get(paymentUid)
  if (before?.status === 'COMPLETED') {
    const isSame =
      before.status === body.status && JSON.stringify(before.amount) === JSON.stringify(body.amount)
    return isSame && before.qrcId === qrcId
      ? { status: 200, headers: { 'idempotent-replayed': 'true' }, body: { paymentId: paymentUid } }
      : error(409, 'payin.resource.already.exists')
  }
  site.payments.set(paymentUid, { ...body, qrcId })
  return { status: 200, body: { paymentId: paymentUid } }
}

const isPartOf = (part: object, whole: Report): boolean =>
  Object.entries(part).every(([name, value]) => value === whole[name])

const error = (status: number, errorCode: string): Answer => ({ status, body: { errorCode } })

/** A token as the service makes it; nobody here verifies its signature. */
export function tokenOf(siteId: string, scope = 'network'): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'HS256' })}.${part({ sub: siteId, scope, jti: '1', iat: 1, exp: 4e9 })}.signature`
}
