// The codes of the fake Pay Gateway, with the sales at those of cashboxes. A repeated registration makes a second code.
import { randomUUID } from 'node:crypto'
import { linkId, payloadOf } from '../fake-bank.ts'
import { NewActivation, NewCashboxCode, NewCode, read } from './bodies.ts'
import { CashboxSales } from './cashbox.ts'
import { invalid, refusal } from './errors.ts'
import type { Activation, Code, Tokenization } from './records.ts'
import { scenariosOf } from './scenarios.ts'

const MINUTE_MS = 60_000
/** Minutes of a code and of an activation without `ttl`: the document states neither. */
const DEFAULT_TTL = { code: 60, activation: 5 }

const TYPES = {
  DYNAMIC: { prefix: 'AD1000', link: '02' },
  STATIC: { prefix: 'AS1000', link: '01' },
  TOKEN: { prefix: 'AB1S00', link: '03' },
} as const

export class PayCodes {
  readonly all = new Map<string, Code>()
  readonly sales = new Map<string, CashboxSales>()
  /** The ids that the bank has reserved for cashbox codes. */
  readonly reserved: string[] = []
  /** The activationUids of other programs. */
  readonly foreign = new Set<string>()
  /** Whether the siteUid is a test one: its payments are no money, and JSON in a text field chooses what happens. */
  isTest = false
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** @throws Refusal */
  register(body: unknown): Code {
    const data = read(NewCode, body)
    const { qrcType: type, callbackUrl, metadata, merchantQrcId } = data
    const isToken = type === 'TOKEN'
    const text = isToken ? data.paymentToken.tokenizationPurpose : data.paymentPurpose
    const scenarios = this.scenariosOf(text)
    if (scenarios.createQrc === 'ERROR') throw refusal('INTERNAL_ERROR')
    const qrcId = linkId(TYPES[type].prefix)
    const amount = isToken ? undefined : data.amount
    const minutes = type === 'STATIC' ? undefined : (data.ttl ?? DEFAULT_TTL.code)
    const code: Code = {
      ...{ qrcId, type, merchantQrcId, amount, callbackUrl, metadata, scenarios },
      payload: payloadOf(qrcId, TYPES[type].link, amount),
      expiresAt: minutes === undefined ? undefined : this.#now() + minutes * MINUTE_MS,
      methods: isToken ? [] : (data.paymentMethods ?? ['SBP']),
      tokenization: type !== 'STATIC' && data.paymentToken ? newTokenization() : undefined,
      payments: [],
    }
    this.all.set(qrcId, code)
    return code
  }

  /** @throws Refusal */
  registerCashbox(body: unknown): Code {
    const { qrcId, merchantQrcId, paymentMethods: methods = ['SBP'], metadata } = read(NewCashboxCode, body)
    if (this.isTest && !qrcId.startsWith('TEST-')) throw refusal('INTERNAL_ERROR')
    if (!this.reserved.includes(qrcId)) throw invalid('data.qrcId')
    const code: Code = {
      ...{ qrcId, type: 'COUNTER', merchantQrcId, metadata, methods, payload: payloadOf(qrcId, '01') },
      ...{ amount: undefined, expiresAt: undefined, callbackUrl: undefined, tokenization: undefined },
      scenarios: scenariosOf(undefined),
      payments: this.all.get(qrcId)?.payments ?? [],
    }
    this.all.set(qrcId, code)
    if (!this.sales.has(qrcId)) this.sales.set(qrcId, new CashboxSales(code, this.#now))
    return code
  }

  /** @throws Refusal */
  activate({ qrcId }: Code, body: unknown): Activation {
    const data = read(NewActivation, body)
    const scenarios = this.scenariosOf(data.paymentPurpose)
    if (scenarios.activateCRQRC === 'ERROR') throw refusal('INTERNAL_ERROR')
    return this.salesOf(qrcId).activate({
      ...{ activationUid: data.activationUid, amount: data.amount, isForeign: false, scenarios },
      ...{ callbackUrl: data.callbackUrl, metadata: data.metadata },
      expiresAt: this.#now() + (data.ttl ?? DEFAULT_TTL.activation) * MINUTE_MS,
    })
  }

  /** @throws Refusal */
  deactivate({ qrcId }: Code): void {
    const sales = this.salesOf(qrcId)
    if (sales.open?.scenarios.deactivateCRQRC === 'ERROR') throw refusal('INTERNAL_ERROR')
    sales.deactivate()
  }

  /** @throws Refusal */
  status({ qrcId }: Code): ReturnType<CashboxSales['status']> {
    const sales = this.salesOf(qrcId)
    const scenario = sales.open?.scenarios.getCRQRCStatus
    if (scenario === 'ERROR') throw refusal('INTERNAL_ERROR')
    const stated = sales.status()
    return scenario === 'OK_IN_PROGRESS' ? { ...stated, status: 'IN_PROGRESS' } : stated
  }

  /** Another program begins a sale at a cashbox code. @returns its activationUid */
  activateElsewhere(qrcId: string, amount: number, minutes: number): string {
    const activationUid = randomUUID()
    this.foreign.add(activationUid)
    this.salesOf(qrcId).activate({
      ...{ activationUid, amount, expiresAt: this.#now() + minutes * MINUTE_MS, isForeign: true },
      ...{ callbackUrl: undefined, metadata: undefined, scenarios: scenariosOf(undefined) },
    })
    return activationUid
  }

  /** The bank reserves ids for cashbox codes. */
  reserve(count: number): string[] {
    const idOf = () => (this.isTest ? `TEST-${linkId('A')}` : linkId('AS1000'))
    const ids = Array.from({ length: count }, idOf)
    this.reserved.push(...ids)
    return ids
  }

  /** @throws Refusal where it is not a cashbox code */
  salesOf(qrcId: string): CashboxSales {
    const sales = this.sales.get(qrcId)
    if (!sales) throw invalid('qrcId')
    return sales
  }

  /** The code that a path names, by the bank's id or by ours. @throws Refusal */
  named(id: string | undefined, { qrcIdType = 'NSPK' }: Record<string, string>): Code {
    if (qrcIdType !== 'NSPK' && qrcIdType !== 'MERCHANT') throw invalid('qrcIdType')
    const code =
      qrcIdType === 'NSPK'
        ? this.all.get(id ?? '')
        : Array.from(this.all.values()).findLast(({ merchantQrcId }) => merchantQrcId === id)
    // The document has no error of a code.
    if (!code) throw refusal('PAYMENT_NOT_FOUND')
    return code
  }

  /** Whether a token can be charged: the gateway's, or the network's with the payer's bank. */
  isBound(by: { type: string; token: string; memberId?: string }): boolean {
    return Array.from(this.all.values()).some(({ tokenization }) => {
      if (tokenization?.state !== 'ACCEPTED' || tokenization.isOver) return false
      const { token, nspkToken, memberId } = tokenization
      return by.type === 'SBP_TOKEN' ? token === by.token : nspkToken === by.token && memberId === by.memberId
    })
  }

  scenariosOf = (text: string | undefined) => scenariosOf(this.isTest ? text : undefined)
}

const newTokenization = (): Tokenization => ({
  ...{ state: 'WAITING', token: `T-${randomUUID()}`, nspkToken: linkId('N'), isOver: false },
  memberId: '100000000004',
})
