// Requests that are right, of every operation of the document: what the others are made wrong of.
import type { Random } from '../support/random.ts'
import type { Operation } from './document.ts'
import { type Claims, tokenOf } from './jwt.ts'
import type { Request } from './request.ts'
import { anyOf, type Json, jsonOf } from './values.ts'

/** What the inputs name: what exists is right, so that one thing alone is wrong. */
export interface Site {
  siteId: string
  /** Path and query of the payers' pages. */
  pages: readonly string[]
  qrcIds: readonly string[]
  qrCodeUids: readonly string[]
  paymentUids: readonly string[]
  /** Of bound accounts. */
  tokens: readonly string[]
  notificationIds: readonly string[]
  cursors: readonly string[]
  /** Of the console, with its key. */
  session: { cookie: string; keyId: string }
}

export interface World {
  /** Host and port. */
  host: string
  operations: readonly Operation[]
  /** The sites of the sandbox, then those of banks. */
  sites: readonly Site[]
  operator: { cookie: string }
  /** An address at which nothing is harmed. */
  url: string
  /** Unix seconds. */
  now: number
}

/** The key of a batch's tokens for a site. */
export const keyOf = (batch: number, siteId: string): string => `fuzz-${batch}-${siteId}`

/** Draws what is right; each value by the random numbers of the batch. */
export class Draw {
  readonly random: Random
  readonly world: World
  readonly operations: readonly [Operation, ...Operation[]]
  /** The number of the batch: its keys are those of no other one. */
  readonly batch: number

  constructor(random: Random, world: World, batch: number) {
    this.random = random
    this.world = world
    const [first, ...rest] = world.operations
    if (!first) throw new Error('the document has no operations')
    this.operations = [first, ...rest]
    this.batch = batch
  }

  claims(site: Site, scope: string): Claims {
    const isOperator = scope === 'operator'
    const jti = keyOf(this.batch, site.siteId)
    if (isOperator) return { sub: '*', jti, scope: 'operator' }
    return { sub: site.siteId, jti, scope: scope === 'network' ? 'network' : 'merchant:admin' }
  }

  readable(): Operation {
    const random = this.random
    const [first, ...rest] = this.operations.filter(({ query }) => query.length > 0)
    return first ? anyOf(random, [first, ...rest]) : anyOf(random, this.operations)
  }

  some(values: readonly string[], otherwise: string): string {
    const [first, ...rest] = values
    return first === undefined ? otherwise : anyOf(this.random, [first, ...rest])
  }

  /** The value of a parameter of the path. */
  parameter(name: string, site: Site): string {
    const random = this.random
    switch (name) {
      case 'siteId':
        return site.siteId
      case 'qrCodeUid':
        return random.chance(0.3) ? `new-${random.below(5_000)}` : this.some(site.qrCodeUids, 'none')
      case 'qrcId':
        return this.some(site.qrcIds, 'AD100067I9RHETOK8A4BDRGO1FLQCT6T')
      case 'paymentUid':
      case 'paymentId':
        return random.chance(0.2) ? `pay-${random.below(5_000)}` : this.some(site.paymentUids, 'none')
      case 'refundId':
      case 'refundUid':
        return `refund-${random.below(2_000)}`
      case 'saleUid':
        return `sale-${random.below(2_000)}`
      case 'bindingUid':
        return `binding-${random.below(200)}`
      case 'notificationId':
        return this.some(site.notificationIds, 'none')
      default:
        return `id-${random.below(200)}`
    }
  }

  /** The query's parameters with values that are right, as far as the name alone says. */
  queryValue(name: string, site: Site): string {
    const random = this.random
    const day = () => `2026-11-${String(1 + random.below(28)).padStart(2, '0')}`
    switch (name) {
      case 'limit':
      case 'width':
      case 'height':
        return String(anyOf(random, [1, 2, 20, 50, 100, 300]))
      case 'cursor':
      case 'after':
      case 'before':
        return random.chance(0.3) ? 'end' : this.some(site.cursors, 'end')
      case 'from':
      case 'to':
      case 'date':
        return day()
      case 'createdFrom':
      case 'createdTo':
      case 'endedFrom':
        return `${day()}T10:00:00Z`
      case 'qrCodeUid':
        return this.some(site.qrCodeUids, 'none')
      case 'status':
        return anyOf(random, ['CREATED', 'PAYED', 'COMPLETED', 'WAITING', 'PENDING', 'CREATED,DECLINED'])
      case 'month':
        return anyOf(random, ['2026-11', '2026-10', '1970-01', '9998-12'])
      case 'bank':
        return anyOf(random, ['tbank', 'raiffeisen', 'tochka', 'tochka-pay'])
      case 'format':
        return anyOf(random, ['registry', 'statement'])
      case 'state':
        return anyOf(random, ['MATCHED', 'EXPECTED', 'WAITING', 'FAILED'])
      case 'kind':
        return anyOf(random, ['payment', 'payout'])
      case 'stuck':
      case 'deleted':
        return 'true'
      case 'applied':
      case 'test':
        return 'false'
      default:
        return anyOf(random, ['desc', 'day', 'week', 'month', 'RUB', 'STATIC', 'order', 'new-1', site.siteId])
    }
  }

  target(
    { path }: Operation,
    site: Site,
    change = (_: string, text: string) => encodeURIComponent(text),
  ): string {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      change(name, this.parameter(name, site)),
    )
    return path.startsWith('/payin/') && this.random.chance(0.1) ? `/partner${filled}` : filled
  }

  headers(operation: Operation, site: Site): Request['headers'] {
    const random = this.random
    const scope = random.chance(0.06)
      ? anyOf(random, ['merchant', 'merchant:read', 'network', 'operator'])
      : operation.scope
    const claims = this.claims(site, scope)
    return [
      ['Host', this.world.host],
      this.authorization({ ...claims, ...(random.chance(0.02) && { sub: 'other' }) }),
    ]
  }

  /** The header with a token. */
  authorization(claims: Claims): readonly ['Authorization', string] {
    return ['Authorization', `Bearer ${tokenOf(claims, this.world.now)}`]
  }

  /** @param isWrong whether something in the body is wrong */
  right(operation: Operation, site: Site, isWrong = false): Request {
    const random = this.random
    const headers = this.headers(operation, site)
    const request: Request = { method: operation.method, target: this.target(operation, site), headers }
    const [first, ...rest] = operation.bodies
    const [mediaType] = operation.mediaTypes
    if (mediaType === undefined) return request
    if (!mediaType.endsWith('json')) {
      return { ...request, headers: [...headers, ['Content-Type', mediaType]], body: picture(random) }
    }
    const example = this.own(first === undefined ? {} : anyOf(random, [first, ...rest]), site)
    const body = isWrong ? jsonOf(random, example) : Buffer.from(JSON.stringify(example))
    return { ...request, headers: [...headers, ['Content-Type', mediaType]], body }
  }

  /** An example of the document with values of the site; its addresses lead to this machine. */
  own(example: Json, site: Site): Json {
    const random = this.random
    const own = (name: string, value: Json): Json => {
      if (Array.isArray(value)) return value
      if (typeof value === 'object' && value !== null)
        return Object.fromEntries(Object.entries(value).map(([each, of]) => [each, own(each, of)]))
      if (name === 'qrCodeUid') return `new-${random.below(5_000)}`
      if (name === 'token') return this.some(site.tokens, String(value))
      if (/Url$/.test(name)) return this.world.url
      if (name === 'value' && random.chance(0.5)) return anyOf(random, ['5.00', '0.13', 5, 1, '100.00'])
      return value
    }
    return own('', example)
  }
}

/** A picture, or nearly one. */
function picture(random: Random): Buffer {
  const size = anyOf(random, [0, 1, 24, 33, 1_000])
  const begin = anyOf(random, [
    '89504e470d0a1a0a0000000d49484452',
    'ffd8ffe000104a46494600010100',
    '52494646000000005745425056503820',
    '474946383961',
    '3c737667',
  ])
  return Buffer.concat([
    Buffer.from(begin, 'hex'),
    Buffer.from(Array.from({ length: size }, () => random.below(256))),
  ])
}
