// The inputs: each is drawn by its number from the seed, by the grammar of whatever reads it.
import type { Random } from '../support/random.ts'
import type { Operation } from './document.ts'
import { type Claims, tokenOf, wrongAuthorization } from './jwt.ts'
import { bytesOf, chunked, type Request } from './request.ts'
import {
  anyOf,
  encodedOf,
  type Json,
  jsonOf,
  literalOf,
  numberOf,
  targetSafe,
  textOf,
  wrongText,
} from './values.ts'
import type { Bytes } from './wire.ts'

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

export type Sent = { request: Request } | { bytes: Bytes }

export interface Input {
  kind: Kind
  siteId: string
  /** The key of its token. */
  keyId: string
  sent: Sent
}

/** The kinds of inputs to the service, and how often each comes. */
const WEIGHTS = {
  ...{ body: 22, query: 12, path: 9, headers: 12, token: 12, right: 6, cursor: 4, link: 8, form: 8 },
  ...{ console: 6, raw: 3 },
}
export type Kind = keyof typeof WEIGHTS

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The key of a batch's tokens for a site. */
export const keyOf = (batch: number, siteId: string): string => `fuzz-${batch}-${siteId}`

export class Inputs {
  readonly #random: Random
  readonly #world: World
  readonly #operations: readonly [Operation, ...Operation[]]
  /** The number of the batch: its keys are those of no other one. */
  readonly #batch: number

  constructor(random: Random, world: World, batch: number) {
    this.#random = random
    this.#world = world
    const [first, ...rest] = world.operations
    if (!first) throw new Error('the document has no operations')
    this.#operations = [first, ...rest]
    this.#batch = batch
  }

  next(): Input {
    const kind = this.#random.weighted(WEIGHTS)
    const site = this.#site(kind)
    const { siteId, session } = site
    const sent = this.#make(kind, site)
    const isSession = 'request' in sent && sent.request.target.startsWith('/console/')
    return { kind, siteId, keyId: isSession ? session.keyId : keyOf(this.#batch, siteId), sent }
  }

  /** Requests that cost the banks' part something come seldom. */
  #site(kind: Kind): Site {
    const [first, ...rest] = this.#world.sites.filter(
      ({ siteId }) => siteId.endsWith('-test') || (kind !== 'right' && this.#random.chance(0.1)),
    )
    if (!first) throw new Error('there is no site')
    return anyOf(this.#random, [first, ...rest])
  }

  #claims(site: Site, scope: string): Claims {
    const isOperator = scope === 'operator'
    const jti = keyOf(this.#batch, site.siteId)
    if (isOperator) return { sub: '*', jti, scope: 'operator' }
    return { sub: site.siteId, jti, scope: scope === 'network' ? 'network' : 'merchant:admin' }
  }

  #make(kind: Kind, site: Site): Sent {
    const random = this.#random
    const operation = anyOf(random, this.#operations)
    switch (kind) {
      case 'right':
        return { request: this.#right(operation, site) }
      case 'body': {
        const [first, ...rest] = this.#operations.filter(({ bodies }) => bodies.length > 0)
        const withBody = first ? anyOf(random, [first, ...rest]) : operation
        return { request: this.#framed(this.#right(withBody, site, true)) }
      }
      case 'query':
        return { request: this.#withQuery(this.#readable(), site) }
      case 'path':
        return { request: this.#withPath(operation, site) }
      case 'headers':
        return { request: this.#withHeaders(operation, site) }
      case 'token': {
        const request = this.#right(operation, site)
        const wrong = wrongAuthorization(random, this.#claims(site, operation.scope), this.#world.now)
        const headers = request.headers.filter(([name]) => name !== 'Authorization')
        return { request: { ...request, headers: [...headers, ['Authorization', oneLine(wrong)]] } }
      }
      case 'cursor':
        return { request: this.#withCursor(site) }
      case 'link':
        return { request: this.#link(site) }
      case 'form':
        return { request: this.#form(site) }
      case 'console':
        return { request: this.#console(site) }
      case 'raw':
        return { bytes: this.#raw(operation, site) }
    }
  }

  #readable(): Operation {
    const random = this.#random
    const [first, ...rest] = this.#operations.filter(({ query }) => query.length > 0)
    return first ? anyOf(random, [first, ...rest]) : anyOf(random, this.#operations)
  }

  #some(values: readonly string[], otherwise: string): string {
    const [first, ...rest] = values
    return first === undefined ? otherwise : anyOf(this.#random, [first, ...rest])
  }

  /** The value of a parameter of the path. */
  #parameter(name: string, site: Site): string {
    const random = this.#random
    switch (name) {
      case 'siteId':
        return site.siteId
      case 'qrCodeUid':
        return random.chance(0.3) ? `new-${random.below(5_000)}` : this.#some(site.qrCodeUids, 'none')
      case 'qrcId':
        return this.#some(site.qrcIds, 'AD100067I9RHETOK8A4BDRGO1FLQCT6T')
      case 'paymentUid':
      case 'paymentId':
        return random.chance(0.2) ? `pay-${random.below(5_000)}` : this.#some(site.paymentUids, 'none')
      case 'refundId':
      case 'refundUid':
        return `refund-${random.below(2_000)}`
      case 'saleUid':
        return `sale-${random.below(2_000)}`
      case 'bindingUid':
        return `binding-${random.below(200)}`
      case 'notificationId':
        return this.#some(site.notificationIds, 'none')
      default:
        return `id-${random.below(200)}`
    }
  }

  /** The query's parameters with values that are right, as far as the name alone says. */
  #queryValue(name: string, site: Site): string {
    const random = this.#random
    const day = () => `2026-11-${String(1 + random.below(28)).padStart(2, '0')}`
    switch (name) {
      case 'limit':
      case 'width':
      case 'height':
        return String(anyOf(random, [1, 2, 20, 50, 100, 300]))
      case 'cursor':
      case 'after':
      case 'before':
        return random.chance(0.3) ? 'end' : this.#some(site.cursors, 'end')
      case 'from':
      case 'to':
      case 'date':
        return day()
      case 'createdFrom':
      case 'createdTo':
      case 'endedFrom':
        return `${day()}T10:00:00Z`
      case 'qrCodeUid':
        return this.#some(site.qrCodeUids, 'none')
      case 'status':
        return anyOf(random, ['CREATED', 'PAYED', 'COMPLETED', 'WAITING', 'PENDING', 'CREATED,DECLINED'])
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

  #target(
    { path }: Operation,
    site: Site,
    change = (_: string, text: string) => encodeURIComponent(text),
  ): string {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      change(name, this.#parameter(name, site)),
    )
    return path.startsWith('/payin/') && this.#random.chance(0.1) ? `/partner${filled}` : filled
  }

  #headers(operation: Operation, site: Site): Request['headers'] {
    const random = this.#random
    const scope = random.chance(0.06)
      ? anyOf(random, ['merchant', 'merchant:read', 'network', 'operator'])
      : operation.scope
    const claims = this.#claims(site, scope)
    return [
      ['Host', this.#world.host],
      [
        'Authorization',
        `Bearer ${tokenOf({ ...claims, ...(random.chance(0.02) && { sub: 'other' }) }, this.#world.now)}`,
      ],
    ]
  }

  /** @param isWrong whether something in the body is wrong */
  #right(operation: Operation, site: Site, isWrong = false): Request {
    const random = this.#random
    const headers = this.#headers(operation, site)
    const request: Request = { method: operation.method, target: this.#target(operation, site), headers }
    const [first, ...rest] = operation.bodies
    const [mediaType] = operation.mediaTypes
    if (mediaType === undefined) return request
    if (!mediaType.endsWith('json')) {
      return { ...request, headers: [...headers, ['Content-Type', mediaType]], body: picture(random) }
    }
    const example = this.#own(first === undefined ? {} : anyOf(random, [first, ...rest]), site)
    const body = isWrong ? jsonOf(random, example) : Buffer.from(JSON.stringify(example))
    return { ...request, headers: [...headers, ['Content-Type', mediaType]], body }
  }

  /** An example of the document with values of the site; its addresses lead to this machine. */
  #own(example: Json, site: Site): Json {
    const random = this.#random
    const own = (name: string, value: Json): Json => {
      if (Array.isArray(value)) return value
      if (typeof value === 'object' && value !== null)
        return Object.fromEntries(Object.entries(value).map(([each, of]) => [each, own(each, of)]))
      if (name === 'qrCodeUid') return `new-${random.below(5_000)}`
      if (name === 'token') return this.#some(site.tokens, String(value))
      if (/Url$/.test(name)) return this.#world.url
      if (name === 'value' && random.chance(0.5)) return anyOf(random, ['5.00', '0.13', 5, 1, '100.00'])
      return value
    }
    return own('', example)
  }

  /** The body with a length, or in chunks. */
  #framed(request: Request): Request {
    const { body, headers } = request
    const random = this.#random
    if (!body || random.chance(0.85)) return request
    const sizes = Array.from({ length: 4 }, () => 1 + random.below(anyOf(random, [2, 100, 70_000])))
    return {
      ...request,
      headers: [...headers, ['Transfer-Encoding', 'chunked']],
      // A text of thousands of chunks would only cost time.
      body: chunked(body, body.length > 2_000 ? [8_000] : sizes, random.chance(0.1) ? ';a=b' : ''),
    }
  }

  #withQuery(operation: Operation, site: Site): Request {
    const random = this.#random
    const request = this.#right(operation, site)
    const parts: string[] = []
    for (let count = 1 + random.below(3); count > 0; count--) {
      const name = this.#some(operation.query, 'limit')
      const value = this.#queryValue(name, site)
      const wrong = random.weighted({ text: 3, near: 3, number: 2, right: 2 })
      const shown =
        wrong === 'text'
          ? textOf(random)
          : wrong === 'near'
            ? wrongText(random, value)
            : wrong === 'number'
              ? numberOf(random)
              : value
      const part = `${random.chance(0.1) ? encodedOf(random, wrongText(random, name)) : name}=${encodedOf(random, shown)}`
      parts.push(part, ...(random.chance(0.08) ? [part] : []))
    }
    if (random.chance(0.05))
      parts.push(anyOf(random, ['', '&', '=', '==', 'limit', 'limit=', '%', '#a', '?', 'a'.repeat(9_000)]))
    return { ...request, target: `${request.target}?${targetSafe(parts.join('&'))}` }
  }

  #withPath(operation: Operation, site: Site): Request {
    const random = this.#random
    const request = this.#right(operation, site)
    const names = operation.path.match(/(?<=\{)\w+/g) ?? []
    const changed = this.#some(names, '')
    const how = random.weighted({ parameter: 6, whole: 3, method: 2 })
    if (how === 'method') return { ...request, method: anyOf(random, METHODS) }
    if (how === 'parameter' && changed) {
      const target = this.#target(operation, site, (name, text) =>
        name === changed ? encodedOf(random, wrongText(random, text)) : encodeURIComponent(text),
      )
      return { ...request, target: targetSafe(target) }
    }
    const { target } = request
    const other = anyOf(random, [
      ...[
        `${target}/`,
        `/${target}`,
        target.replaceAll('/', '//'),
        target.toUpperCase(),
        target.replace('/sites/', '/site/'),
      ],
      ...[
        target.replace('/v1/', '/v2/'),
        target.replace('/sbp/', '/'),
        `${target}/../${site.siteId}`,
        `${target}/%2e%2e/%2e%2e`,
      ],
      ...[
        `/.${target}`,
        `${target};a=b`,
        `${target}%20`,
        `${target}%00`,
        target.replaceAll('/', '%2F'),
        `http://other.invalid${target}`,
      ],
      ...[
        `${target}#a`,
        `${target}?`,
        `/operator/v1/${textOf(random)}`,
        `/${encodeURIComponent(textOf(random).toWellFormed())}`,
        '/docs/../openapi.json',
      ],
      ...[
        '/metrics',
        '/.env',
        '/.git/config',
        '/docs/%2e%2e/api.json',
        '/icon.svg',
        '/healthz/',
        '/console',
        '/partner/network/v1',
        '/payin',
        '*',
        target.replaceAll('e', '%65'),
      ],
    ])
    return { ...request, target: targetSafe(other) }
  }

  #withHeaders(operation: Operation, site: Site): Request {
    const random = this.#random
    const request = this.#right(operation, site)
    const headers = [...request.headers]
    for (let count = anyOf(random, [1, 1, 2, 3]); count > 0; count--) {
      const [name, value] = this.#header(operation)
      const others = headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase())
      const isTwice = random.chance(0.1)
      headers.splice(0, headers.length, ...(isTwice ? headers : others), [name, oneLine(value)])
    }
    return { ...request, headers }
  }

  #header(operation: Operation): [string, string] {
    const random = this.#random
    const type = () =>
      anyOf(random, [
        'application/json',
        'text/html',
        'image/png',
        'image/svg+xml',
        '*/*',
        'text/csv',
        'a/b',
        '/',
        '',
      ])
    const tag = () =>
      anyOf(random, ['*', '"a"', 'W/"a"', '""', 'a', '"a', '"a", "b"', ',', '"\u00e9"', '"a'.repeat(500)])
    const name = this.#some(
      [
        ...operation.headers,
        ...[
          'Accept',
          'Accept',
          'Content-Type',
          'If-None-Match',
          'If-Match',
          'Prefer',
          'Host',
          'Accept-Language',
          'Cookie',
        ],
        ...[
          'Origin',
          'Sec-Fetch-Site',
          'X-Forwarded-For',
          'X-Forwarded-Proto',
          'X-Forwarded-Host',
          'Forwarded',
          'Range',
        ],
        ...[
          'Followed-Sale',
          'Expect',
          'Content-Encoding',
          'If-Modified-Since',
          'X-HTTP-Method-Override',
          'Referer',
          'User-Agent',
        ],
        ...[
          'CF-Connecting-IP',
          'X-Real-IP',
          'Accept-Encoding',
          'Via',
          'Max-Forwards',
          'Date',
          'Idempotency-Key',
          'X-Trace-Id',
          'Authorization',
        ],
      ],
      'Accept',
    )
    switch (name) {
      case 'Accept':
        return [
          name,
          anyOf(random, [
            type(),
            `${type()};q=${numberOf(random)}`,
            `${type()},${type()};q=0,`,
            ';q=1',
            `${`${type()},`.repeat(300)}`,
            textOf(random),
          ]),
        ]
      case 'Content-Type':
        return [
          name,
          anyOf(random, [
            type(),
            `${type()}; charset=utf-16`,
            'application/JSON',
            ' application/json ;',
            'multipart/form-data; boundary=a',
            'application/x-www-form-urlencoded',
            textOf(random),
          ]),
        ]
      case 'If-None-Match':
      case 'If-Match':
        return [name, random.chance(0.7) ? tag() : textOf(random)]
      case 'Prefer':
        return [
          name,
          anyOf(random, [
            'wait=0',
            'wait=1',
            'wait=-1',
            'wait=1.5',
            'wait=',
            'wait',
            'wait=a',
            'respond-async',
            'wait=1, wait=0',
            'wait="1"',
            'WAIT=1',
            ';wait=1',
            'wait=1;a=b',
            ',',
          ]),
        ]
      case 'Host':
        return [
          name,
          anyOf(random, [
            '',
            ' ',
            'a',
            'a b',
            'localhost',
            '127.0.0.1:99999',
            '[::1]',
            '[::1',
            'a@b',
            'a/b',
            'xn--',
            'é.example',
            'a..b',
            `${'a'.repeat(300)}.example`,
            'evil.invalid',
            'a:b',
            'a#b',
            'A.EXAMPLE:80',
            '%00',
            '\\',
          ]),
        ]
      case 'Accept-Language':
        return [
          name,
          anyOf(random, ['ru', 'en', 'en;q=0', '*', 'ru;q=a', ',', 'en-US,en;q=0.9', 'zz', textOf(random)]),
        ]
      case 'Authorization':
        return [name, '']
      default:
        return [
          name,
          anyOf(random, [
            textOf(random),
            textOf(random),
            'same-origin',
            'none',
            'null',
            'https',
            'bytes=0-1',
            '100-continue',
            'gzip',
            'a'.repeat(6_000),
          ]),
        ]
    }
  }

  #withCursor(site: Site): Request {
    const random = this.#random
    const [first, ...rest] = this.#operations.filter(({ query }) =>
      query.some((name) => /^(cursor|after|before)$/.test(name)),
    )
    const operation = first ? anyOf(random, [first, ...rest]) : this.#readable()
    const name = operation.query.find((each) => /^(cursor|after|before)$/.test(each)) ?? 'cursor'
    const cursor = this.#some(site.cursors, 'a')
    const decoded = Buffer.from(cursor, 'base64url').toString('latin1')
    const wrong = anyOf(random, [
      ...[cursor, cursor, wrongText(random, cursor), wrongText(random, cursor), textOf(random)],
      ...[
        Buffer.from(wrongText(random, decoded)).toString('base64url'),
        Buffer.from(literalOf(random).slice(0, 200)).toString('base64url'),
      ],
      ...[
        cursor.replace(/\d+$/, (digits) => String(Number(digits) + 1)),
        cursor.replace(/\d+$/, '-1'),
        cursor.replace(/\d+$/, '9007199254740993'),
      ],
    ])
    const request = this.#right(operation, site)
    return { ...request, target: targetSafe(`${request.target}?${name}=${encodedOf(random, wrong)}`) }
  }

  #link(site: Site): Request {
    const random = this.#random
    const [path = '', query = ''] = this.#some(site.pages, `/pay/${site.siteId}/none?type=02`).split('?')
    const below = anyOf(random, ['', '', '', '/state', '/print', '/banks', '/other'])
    const [pay, of, siteId, id = ''] = path.split('/')
    const wrongId = random.chance(0.3) ? encodedOf(random, wrongText(random, id)) : id
    const parameters = query.split('&')
    const at = random.below(parameters.length)
    const [name = '', value = ''] = (parameters[at] ?? '').split('=')
    const wrongQuery = anyOf(random, [
      ...[
        query,
        query,
        [...parameters.slice(0, at), ...parameters.slice(at + 1)].join('&'),
        parameters.toReversed().join('&'),
      ],
      ...[
        parameters.with(at, `${name}=${encodedOf(random, wrongText(random, value))}`).join('&'),
        `${query}&${name}=${value}`,
      ],
      ...[
        `${query}&lang=${anyOf(random, ['ru', 'en', 'xx', ''])}`,
        `${query}&until=${numberOf(random)}`,
        `${query}&a=b`,
        `a=b&${query}`,
        query.toLowerCase(),
        '',
      ],
    ])
    const other = random.chance(0.1)
      ? anyOf(random, ['demo', 'tea', '..', '%', 'a b', textOf(random).slice(0, 70)])
      : siteId
    const address = random.chance(0.05)
      ? `/logo/${siteId}/${'0'.repeat(32)}/${anyOf(random, ['0'.repeat(32), 'a', '%'])}`
      : `${[pay, of, other, wrongId].join('/')}${below}?${wrongQuery}`
    const headers: Request['headers'] = [['Host', this.#world.host]]
    if (random.chance(0.5))
      headers.push(
        this.#header({
          ...anyOf(random, this.#operations),
          headers: ['Followed-Sale', 'Prefer', 'Accept-Language', 'If-None-Match', 'Cookie'],
        }),
      )
    return {
      method: random.chance(0.9) ? 'GET' : anyOf(random, METHODS),
      target: targetSafe(address),
      headers: headers.map(([each, text]) => [each, oneLine(text)]),
    }
  }

  /** A form with some of the fields. */
  #fields(names: readonly string[], values: Readonly<Record<string, string>> = {}): Buffer {
    const random = this.#random
    const parts = names
      .filter(() => random.chance(0.85))
      .map((name) => {
        const known = values[name]
        const right =
          known ??
          anyOf(random, ['1', '5.00', 'Tea', 'pay', 'decline', 'DYNAMIC', '2026-11-20', 'merchant', '365'])
        const value = random.chance(0.5) ? wrongText(random, right) : right
        return `${name}=${encodedOf(random, value)}`
      })
    if (random.chance(0.1))
      parts.push(
        anyOf(random, ['', '=', '%', '&&', 'a'.repeat(5_000), `x=${'a'.repeat(70_000)}`, parts[0] ?? '']),
      )
    return Buffer.from(parts.join('&'))
  }

  #formHeaders(cookie?: string): Request['headers'] {
    const random = this.#random
    const { host } = this.#world
    const own: Request['headers'] = random.chance(0.85)
      ? [
          ['Sec-Fetch-Site', 'same-origin'],
          ['Origin', `http://${host}`],
        ]
      : anyOf(random, [
          [],
          [['Origin', 'http://evil.invalid']],
          [['Origin', 'null']],
          [['Sec-Fetch-Site', 'cross-site']],
          [['Origin', `http://${host}.evil.invalid`]],
          [
            ['Sec-Fetch-Site', ''],
            ['Origin', `https://${host}`],
          ],
        ])
    const type = random.chance(0.9)
      ? 'application/x-www-form-urlencoded'
      : anyOf(random, ['text/plain', 'multipart/form-data; boundary=a', 'application/json'])
    return [
      ['Host', host],
      ['Content-Type', type],
      ...own,
      ...(cookie === undefined ? [] : [['Cookie', cookie] as const]),
    ]
  }

  #form(site: Site): Request {
    const random = this.#random
    const claims = this.#claims(site, 'merchant:admin')
    const right = tokenOf(claims, this.#world.now)
    switch (random.weighted({ payer: 3, home: 1, signIn: 2, console: 6, docs: 0.5 })) {
      case 'payer':
        return {
          ...{ method: 'POST', target: this.#some(site.pages, '/pay/a/b') },
          ...{ headers: this.#formHeaders(), body: this.#fields(['action', 'amount', 'remember']) },
        }
      case 'home':
        return {
          method: 'POST',
          target: '/',
          headers: this.#formHeaders(),
          body: this.#fields(['amount', 'purpose']),
        }
      case 'docs':
        return { method: 'POST', target: '/docs-token', headers: this.#formHeaders(), body: this.#fields([]) }
      case 'signIn': {
        const token = random.chance(0.2)
          ? right
          : wrongAuthorization(random, claims, this.#world.now).replace(/^Bearer /, '')
        const values = {
          token,
          link: token,
          next: anyOf(random, [
            'qr',
            '//evil.invalid',
            'https://evil.invalid',
            '\\\\evil',
            '/%2e%2e/',
            'javascript:a',
            '?a',
            '..//..',
          ]),
        }
        const names = random.chance(0.3) ? ['link', 'next'] : ['token', 'next']
        const pairs = names.map((name) => [name, values[name as keyof typeof values]])
        return {
          method: 'POST',
          target: '/console/sign-in',
          headers: this.#formHeaders(),
          body: Buffer.from(new URLSearchParams(pairs).toString()),
        }
      }
      case 'console': {
        const uid = encodeURIComponent(this.#some(site.qrCodeUids, 'none'))
        const payment = encodeURIComponent(this.#some(site.paymentUids, 'none'))
        const [path, names] = anyOf(random, [
          [
            'new',
            [
              'uid',
              'qrCodeUid',
              'type',
              'amount',
              'paymentPurpose',
              'ttl',
              'redirectUrl',
              'flags',
              'tokenizationPurpose',
              'tokenizationAccount',
            ],
          ],
          [`qr/${uid}`, []],
          [`payments/${payment}/refund`, ['amount', 'comment', 'refundId', 'uid']],
          [
            'settings',
            ['name', 'supportContact', 'color', 'legalName', 'taxId', 'notificationTypes', 'etag', 'logo'],
          ],
          ['tills', ['uid', 'name']],
          [`tills/${uid}`, ['amount', 'saleUid', 'cancel', 'purpose']],
          ['keys', ['label', 'scope', 'days']],
          ['keys/none/revoke', []],
          ['notification-keys', []],
          ['notification-keys/none/activate', []],
          ['notifications', []],
          [`notifications/${this.#some(site.notificationIds, 'none')}`, []],
          [`operator/sites/${site.siteId}/limits`, ['maxPayment', 'maxRefundsPerDay']],
          [`operator/sites/${site.siteId}/delete`, ['siteId', 'force']],
          [`operator/sites/${site.siteId}/instructions/none/send`, []],
        ] as const)
        const { cookie } = path.startsWith('operator') ? this.#world.operator : site.session
        return {
          method: 'POST',
          target: `/console/${path}`,
          headers: this.#formHeaders(cookie),
          body: this.#fields(names, { label: 'Till' }),
        }
      }
    }
  }

  /** Pages of the console, with a cookie that is right or wrong. */
  #console(site: Site): Request {
    const random = this.#random
    const path = anyOf(random, [
      ...[
        '',
        'qr',
        'payments',
        'events',
        'notifications',
        'settings',
        'tills',
        'new',
        'keys',
        'notification-keys',
        'undelivered',
        'search',
        'feed',
      ],
      ...[
        'payments.csv',
        'report.csv',
        'sign-in',
        'operator/sites',
        'operator/stuck',
        'operator/keys',
        'operator/audit',
        `operator/sites/${site.siteId}`,
      ],
      ...[
        `qr/${encodedOf(random, this.#some(site.qrCodeUids, 'a'))}`,
        `payments/${encodedOf(random, this.#some(site.paymentUids, 'a'))}`,
        `tills/${encodedOf(random, this.#some(site.qrCodeUids, 'a'))}`,
      ],
      ...[
        `qr/${encodedOf(random, textOf(random))}`,
        `notifications/${encodedOf(random, textOf(random))}`,
        `keys/${encodedOf(random, textOf(random))}/revoke`,
        '%',
        '../',
        '//',
      ],
    ])
    const names = [
      'q',
      'cursor',
      'after',
      'before',
      'status',
      'from',
      'to',
      'date',
      'period',
      'lang',
      'next',
      'link',
      'limit',
      'done',
      'type',
      'siteId',
      'key',
      'currency',
      'applied',
      'createdFrom',
    ] as const
    const query = Array.from({ length: random.below(4) }, () => {
      const name = anyOf(random, names)
      const value = random.chance(0.5) ? this.#queryValue(name, site) : textOf(random)
      return `${name}=${encodedOf(random, value)}`
    })
    const right = path.startsWith('operator') ? this.#world.operator.cookie : site.session.cookie
    const [name = '', value = ''] = right.split('=')
    const cookie = random.chance(0.6)
      ? right
      : anyOf(random, [
          `${name}=${wrongText(random, value)}`,
          `${right}; ${right}`,
          `${right}; ${name}=a`,
          '',
          ';',
          `${name}`,
          `${name}=`,
          `${right}; console-lang=${textOf(random).slice(0, 20)}`,
          `"${right}"`,
          `${name}=${value.toUpperCase()}`,
          this.#world.operator.cookie,
        ])
    return {
      method: random.chance(0.93) ? 'GET' : anyOf(random, METHODS),
      target: targetSafe(`/console/${path}${query.length > 0 ? `?${query.join('&')}` : ''}`),
      headers: [
        ['Host', this.#world.host],
        ['Cookie', oneLine(cookie)],
        ...(random.chance(0.3) ? [['Accept', 'text/html'] as const] : []),
      ],
    }
  }

  /** Bytes that are no request, or more than one. */
  #raw(operation: Operation, site: Site): Bytes {
    const random = this.#random
    const request = this.#right(operation, site)
    const { method, body = Buffer.from('{}') } = request
    const whole = bytesOf(request)
    const line = (text: string): Buffer => {
      const end = whole.indexOf('\r\n')
      return Buffer.concat([Buffer.from(text), whole.subarray(end)])
    }
    const withHeaders = (...more: (readonly [string, string])[]) =>
      bytesOf({ ...request, headers: [...request.headers, ...more], body })
    const one = (bytes: Buffer, ends = false): Bytes => ({ pieces: [bytes], methods: [method], ends })
    switch (
      random.weighted({ line: 5, flood: 2, length: 4, chunks: 4, pipeline: 3, cut: 3, noise: 2, pieces: 2 })
    ) {
      case 'line':
        return one(
          line(
            anyOf(random, [
              ...[
                `${method} ${request.target}`,
                `${method} ${request.target} HTTP/1.0`,
                `${method} ${request.target} HTTP/2.0`,
                `${method}  ${request.target}  HTTP/1.1`,
              ],
              ...[
                `${method}\t${request.target}\tHTTP/1.1`,
                ` ${method} ${request.target} HTTP/1.1`,
                `${method} HTTP/1.1`,
                'HTTP/1.1',
                '',
                'GET / HTTP/1.1 x',
              ],
              ...[
                `BREW ${request.target} HTTP/1.1`,
                `${method.toLowerCase()} ${request.target} HTTP/1.1`,
                `CONNECT 127.0.0.1:1 HTTP/1.1`,
                `TRACE ${request.target} HTTP/1.1`,
              ],
              ...[
                `${method} /${'a'.repeat(anyOf(random, [1_000, 8_000, 20_000, 70_000]))} HTTP/1.1`,
                `${method} /\u0000 HTTP/1.1`,
                `${method} /é HTTP/1.1`,
                `${method} \\ HTTP/1.1`,
                'PRI * HTTP/2.0',
              ],
            ]),
          ),
          true,
        )
      case 'flood': {
        const count = anyOf(random, [100, 500, 2_000])
        const flood = Array.from(
          { length: count },
          (_, i) => [`X-${i}`, 'a'.repeat(anyOf(random, [1, 50]))] as const,
        )
        const big = random.chance(0.5)
          ? flood
          : [['X-Big', 'a'.repeat(anyOf(random, [8_000, 16_000, 64_000, 200_000]))] as const]
        return one(withHeaders(...big), true)
      }
      case 'length': {
        const value = anyOf(random, [
          '-1',
          '0',
          '1',
          `${body.length - 1}`,
          `${body.length + 1}`,
          '99999999999999999999',
          'a',
          '',
          '1, 2',
          '0x10',
          '+5',
          '1e3',
          ' 5',
          '5 5',
        ])
        const twice: (readonly [string, string])[] = random.chance(0.3)
          ? [['Content-Length', `${body.length}`]]
          : []
        return one(withHeaders(['Content-Length', value], ...twice), true)
      }
      case 'chunks': {
        const good = chunked(body, [1 + random.below(50)])
        const bad = anyOf(random, [
          ...[
            good,
            good.subarray(0, random.below(good.length)),
            Buffer.from('zz\r\n'),
            Buffer.from('-1\r\n'),
            Buffer.from('ffffffffffffffff\r\na'),
          ],
          ...[
            Buffer.from('5\r\nab'),
            Buffer.from('5;\r\n{"a":\r\n0\r\n\r\n'),
            Buffer.from('0\r\nTrailer: a\r\n\r\n'),
            Buffer.from('5\nabcde\n0\n\n'),
            Buffer.from('0\r\n'),
            Buffer.from('80000000\r\n'),
          ],
        ])
        const coding = anyOf(random, [
          'chunked',
          'chunked',
          'Chunked',
          'gzip, chunked',
          'chunked, chunked',
          'identity',
          'xchunked',
          ' chunked',
          'chunked\t',
        ])
        const both: (readonly [string, string])[] = random.chance(0.3)
          ? [['Content-Length', `${body.length}`]]
          : []
        const headers = [...request.headers, ['Transfer-Encoding', coding] as const, ...both]
        return one(bytesOf({ ...request, headers, body: bad }), true)
      }
      case 'pipeline': {
        const count = 2 + random.below(6)
        const requests = Array.from({ length: count }, () =>
          this.#right(anyOf(random, this.#operations), site),
        )
        const bytes = Buffer.concat(requests.map((each) => bytesOf(each)))
        return { pieces: [bytes], methods: requests.map((each) => each.method), ends: random.chance(0.3) }
      }
      case 'cut':
        return one(whole.subarray(0, random.below(whole.length)), true)
      case 'noise':
        return one(
          Buffer.from(Array.from({ length: anyOf(random, [1, 10, 300, 5_000]) }, () => random.below(256))),
          true,
        )
      case 'pieces': {
        const at = Array.from({ length: 5 }, () => random.below(whole.length)).toSorted((a, b) => a - b)
        const cuts = [0, ...at, whole.length]
        return {
          pieces: cuts.slice(1).map((end, i) => whole.subarray(cuts[i], end)),
          methods: [method],
          ends: false,
        }
      }
    }
  }
}

/** What ends a line would make another header of the rest. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\r\n]/g, '?')
    .replaceAll('\0', '?')
    .toWellFormed()

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
