// Requests of the API that are wrong in one place: body, query, path, headers, cursor, token.
import type { Operation } from './document.ts'
import type { Draw, Site } from './draw.ts'
import { wrongAuthorization } from './jwt.ts'
import { chunked, type Request } from './request.ts'
import { anyOf, encodedOf, literalOf, numberOf, oneLine, targetSafe, textOf, wrongText } from './values.ts'

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export function withBody(draw: Draw, site: Site): Request {
  const [first, ...rest] = draw.operations.filter(({ bodies }) => bodies.length > 0)
  const operation = anyOf(draw.random, first ? [first, ...rest] : draw.operations)
  return framed(draw, draw.right(operation, site, true))
}

export function withToken(draw: Draw, operation: Operation, site: Site): Request {
  const request = draw.right(operation, site)
  const wrong = wrongAuthorization(draw.random, draw.claims(site, operation.scope), draw.world.now)
  const headers = request.headers.filter(([name]) => name !== 'Authorization')
  return { ...request, headers: [...headers, ['Authorization', oneLine(wrong)]] }
}

/** The body with a length, or in chunks. */
function framed(draw: Draw, request: Request): Request {
  const { body, headers } = request
  const random = draw.random
  if (!body || random.chance(0.85)) return request
  const sizes = Array.from({ length: 4 }, () => 1 + random.below(anyOf(random, [2, 100, 70_000])))
  return {
    ...request,
    headers: [...headers, ['Transfer-Encoding', 'chunked']],
    // A text of thousands of chunks would only cost time.
    body: chunked(body, body.length > 2_000 ? [8_000] : sizes, random.chance(0.1) ? ';a=b' : ''),
  }
}

export function withQuery(draw: Draw, operation: Operation, site: Site): Request {
  const random = draw.random
  const request = draw.right(operation, site)
  const parts: string[] = []
  for (let count = 1 + random.below(3); count > 0; count--) {
    const name = draw.some(operation.query, 'limit')
    const value = draw.queryValue(name, site)
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

export function withPath(draw: Draw, operation: Operation, site: Site): Request {
  const random = draw.random
  const request = draw.right(operation, site)
  const names = operation.path.match(/(?<=\{)\w+/g) ?? []
  const changed = draw.some(names, '')
  const how = random.weighted({ parameter: 6, whole: 3, method: 2 })
  if (how === 'method') return { ...request, method: anyOf(random, METHODS) }
  if (how === 'parameter' && changed) {
    const target = draw.target(operation, site, (name, text) =>
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

export function withHeaders(draw: Draw, operation: Operation, site: Site): Request {
  const random = draw.random
  const request = draw.right(operation, site)
  const headers = [...request.headers]
  for (let count = anyOf(random, [1, 1, 2, 3]); count > 0; count--) {
    const [name, value] = header(draw, operation)
    const others = headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase())
    const isTwice = random.chance(0.1)
    headers.splice(0, headers.length, ...(isTwice ? headers : others), [name, oneLine(value)])
  }
  return { ...request, headers }
}

export function header(draw: Draw, operation: Operation): [string, string] {
  const random = draw.random
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
  const name = draw.some(
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

export function withCursor(draw: Draw, site: Site): Request {
  const random = draw.random
  const [first, ...rest] = draw.operations.filter(({ query }) =>
    query.some((name) => /^(cursor|after|before)$/.test(name)),
  )
  const operation = first ? anyOf(random, [first, ...rest]) : draw.readable()
  const name = operation.query.find((each) => /^(cursor|after|before)$/.test(each)) ?? 'cursor'
  const cursor = draw.some(site.cursors, 'a')
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
  const request = draw.right(operation, site)
  return { ...request, target: targetSafe(`${request.target}?${name}=${encodedOf(random, wrong)}`) }
}
