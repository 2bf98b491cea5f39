// Registers QR codes at a bank: answers the service's instruction `qrCode.register` (contract, section 14).
import * as z from 'zod'
import { AmountField, kopecksOf } from '../../amounts.ts'
import type { Link, NewCode } from '../../banks/bank.ts'
import { Refused } from '../../banks/bank-errors.ts'
import { IDENTIFIER } from '../../banks/identifiers.ts'
import { carryProblem, RidingField } from '../../cash-registers/riding.ts'
import { isOwner } from '../../config/owners.ts'
import type { Core, OpenSite } from '../../core.ts'
import { messageOf } from '../../log.ts'
import { referenceOf } from '../../reference.ts'
import { MINUTE_MS, nextAsk } from '../../work/schedule.ts'
import { addBinding } from '../bindings/bindings.ts'
import { linkProblem } from './links.ts'
import { registerReserved } from './reserved-ids.ts'
import type { CodeRow } from './rows.ts'

/** The service's own timeout is 10 seconds. */
export const TIMEOUT_MS = 9_000
/** Minutes. */
const DEFAULT_TTL = 4_320

export const Register = z.object({
  siteId: z.string(),
  key: z.string(),
  type: z.string(),
  flags: z.array(z.string()).optional(),
  ttl: z.int().optional(),
  expiresOn: z.string().optional(),
  amount: AmountField.optional(),
  paymentPurpose: z.string().optional(),
  redirectUrl: z.string().optional(),
  tokenizationPurpose: z.string().optional(),
  receipt: RidingField.optional(),
})
type Register = z.output<typeof Register>

/** The answer to a synchronous call. */
export interface Answer {
  status: 200 | 204 | 422 | 503
  body?: object
}

export const unavailable = (description: string): Answer => ({ status: 503, body: { description } })
export const refused = (description: string): Answer => ({ status: 422, body: { description } })

export class Registers {
  readonly #core: Core
  /** The calls in flight by site and key: all requests with one key get the answer of one call. */
  readonly #inFlight = new Map<string, Promise<Answer>>()

  constructor(core: Core) {
    this.#core = core
  }

  async register(request: Register): Promise<Answer> {
    const site = this.#core.sites.get(request.siteId)
    if (!site) return unavailable(`the connector has no site ${request.siteId}`)
    const id = JSON.stringify([request.siteId, request.key])
    const inFlight = this.#inFlight.get(id)
    if (inFlight) return inFlight
    const answer = this.#registerOnce(site, request).finally(() => this.#inFlight.delete(id))
    this.#inFlight.set(id, answer)
    return answer
  }

  async #registerOnce(site: OpenSite, asked: Register): Promise<Answer> {
    const { disk, platform, log } = this.#core
    const known = disk.codes.ofKey(site.siteId, asked.key)
    const spec = specOf(site, asked, platform.now())
    if (known && isStillGood(known, spec, platform.now())) return linkAnswer(known)
    if (typeof spec === 'string') return refused(spec)

    const id = platform.random(16)
    const createdAt = platform.now()
    const { type, amount } = spec
    disk.codes.start({
      id,
      site: site.siteId,
      bank: site.bank.name,
      key: asked.key,
      type,
      amount: amount ?? null,
      createdAt,
    })
    try {
      const code = { ...spec, key: asked.key, order: id, webhookUrl: site.bank.webhookUrl }
      const made = await this.#made(site, code)
      const problem = linkProblem(made, spec)
      if (problem !== undefined) throw new Error(problem)
      if (spec.tokenizationPurpose !== undefined && !IDENTIFIER.test(made.request ?? '')) {
        throw new Error('the bank’s id of the request to bind an account is no identifier')
      }
      const { name, bank } = site.bank
      // The row would be the other's: the same register gets a link of that one.
      if (!isOwner(site.bank, disk))
        throw new Error(`the link is of ${bank.identity}, and ${name} is another now`)
      const { qrcId, payload, request } = made
      const expiresAt = spec.expiresAt ?? null
      const reference = referenceOf(site.bank, made.reference, request)
      disk.transaction(() => {
        // A bank can have one link for a key, whenever it is asked: then the earlier code goes on with the new time.
        const earlier = disk.codes.ofKeyAndLink(site.siteId, asked.key, qrcId)
        if (earlier) disk.codes.forget(id)
        const link = { qrcId, payload, reference, expiresAt, dueAt: firstAskOf(spec, createdAt) }
        disk.codes.finish(earlier?.id ?? id, link)
        disk.webhooks.wake(made, platform.now())
        if (request === undefined) return
        const binding = { site: site.siteId, bank: site.bank, request, qrcId, createdAt, expiresAt }
        addBinding(this.#core, { ...binding, state: 'WAITING', isNew: true })
      })
      return linkAnswer({ qrcId, payload, reference, expiresAt })
    } catch (error) {
      log('warning', 'a code was not registered', {
        site: site.siteId,
        bank: site.bank.name,
        error: messageOf(error),
      })
      if (!(error instanceof Refused)) return unavailable('the bank did not answer')
      disk.codes.forget(id)
      return refused(error.message)
    }
  }

  #made(site: OpenSite, code: NewCode): Promise<Link> {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const ids = code.type === 'COUNTER' ? site.account.reservedQrcIds : undefined
    return ids
      ? registerReserved(this.#core, site, { ids, code, signal })
      : site.account.register(code, signal)
  }
}

/** When the bank is asked about the payment of a code. @returns null: never */
function firstAskOf(
  { type, expiresAt }: Exclude<ReturnType<typeof specOf>, string>,
  createdAt: number,
): number | null {
  if (type === 'TOKEN') return null
  return nextAsk({ createdAt, endsAt: expiresAt, askedAt: createdAt, isPending: false }) ?? null
}

/** What is asked of the bank, or why this is not possible. */
function specOf(site: OpenSite, request: Register, now: number) {
  const { bank } = site.bank
  const { flags = [], ttl, expiresOn, amount, paymentPurpose, redirectUrl, tokenizationPurpose } = request
  const { receipt } = request
  const { title } = bank
  const type = bank.types.find((each) => each === request.type)
  if (!type) return `${title}: codes of the type ${request.type} cannot be registered`
  const isBinding = type === 'TOKEN' || flags.length > 0
  if (isBinding && !(bank.bindings && (type === 'TOKEN' || type === 'DYNAMIC'))) {
    return `${title}: accounts cannot be bound (${[type, ...flags].join(', ')})`
  }
  if (amount && amount.currency !== 'RUB') return `${title}: the currency is ${amount.currency}, must be RUB`
  const kopecks = amount && kopecksOf(String(amount.value))
  const problem = carryProblem(bank, receipt !== undefined)
  if (problem !== undefined) return problem
  const isOpen = type === 'COUNTER' || type === 'TOKEN' || (type === 'STATIC' && bank.takesOpenAmounts)
  if (kopecks === undefined && !isOpen) return `${title}: a code without an amount cannot be registered`
  const fields = {
    ...{
      type,
      amount: type === 'TOKEN' ? undefined : kopecks,
      purpose: paymentPurpose ?? site.name,
      redirectUrl,
    },
    tokenizationPurpose: isBinding ? (tokenizationPurpose ?? site.name) : undefined,
    ...(receipt && { receipt }),
  }
  if (type === 'STATIC' || type === 'COUNTER') return { ...fields, ttl: undefined, expiresAt: undefined }
  const expiresAt = expiresOn === undefined ? now + (ttl ?? DEFAULT_TTL) * MINUTE_MS : Date.parse(expiresOn)
  return { ...fields, ttl: ttl ?? Math.max(1, Math.ceil((expiresAt - now) / MINUTE_MS)), expiresAt }
}

/** Whether a repeat gets the link again. An older version can have stored one that the service refuses. */
function isStillGood(
  { state, expiresAt, qrcId, payload }: CodeRow,
  spec: ReturnType<typeof specOf>,
  now: number,
): boolean {
  if (state === 'PAID') return true
  if (state !== 'OPEN' || (expiresAt !== null && now >= expiresAt)) return false
  if (typeof spec === 'string') return true
  return qrcId !== null && payload !== null && linkProblem({ qrcId, payload }, spec) === undefined
}

type LinkFields = Pick<CodeRow, 'payload' | 'qrcId' | 'reference' | 'expiresAt'>

function linkAnswer({ payload, qrcId, reference, expiresAt }: LinkFields): Answer {
  const expiresOn = expiresAt === null ? {} : { expiresOn: new Date(expiresAt).toISOString() }
  return { status: 200, body: { payload, qrcId, reference, ...expiresOn } }
}
