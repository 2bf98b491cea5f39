// Requests of people: links of payers, forms, pages of the console, with what is wrong in one place of them.

import type { Random } from '../support/random.ts'
import type { Draw, Site } from './draw.ts'
import { tokenOf, wrongAuthorization } from './jwt.ts'
import type { Request } from './request.ts'
import { anyOf, encodedOf, numberOf, oneLine, targetSafe, textOf, wrongText } from './values.ts'
import { header, METHODS } from './wrong-requests.ts'

export function link(draw: Draw, site: Site): Request {
  const random = draw.random
  const [path = '', query = ''] = draw.some(site.pages, `/pay/${site.siteId}/none?type=02`).split('?')
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
  const headers: Request['headers'] = [['Host', draw.world.host]]
  if (random.chance(0.5))
    headers.push(
      header(draw, {
        ...anyOf(random, draw.operations),
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
function fields(draw: Draw, names: readonly string[], values: Readonly<Record<string, string>> = {}): Buffer {
  const random = draw.random
  const parts = names
    .filter(() => random.chance(0.85))
    .map((name) => {
      const known = values[name]
      const right =
        known ??
        anyOf(random, [
          '1',
          '5.00',
          'Tea',
          'pay',
          'decline',
          'contact',
          'DYNAMIC',
          '2026-11-20',
          'merchant',
          '365',
        ])
      const value = random.chance(0.5) ? wrongText(random, right) : right
      return `${name}=${encodedOf(random, value)}`
    })
  if (random.chance(0.1))
    parts.push(
      anyOf(random, ['', '=', '%', '&&', 'a'.repeat(5_000), `x=${'a'.repeat(70_000)}`, parts[0] ?? '']),
    )
  return Buffer.from(parts.join('&'))
}

function formHeaders(draw: Draw, cookie?: string): Request['headers'] {
  const random = draw.random
  const { host } = draw.world
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

export function form(draw: Draw, site: Site): Request {
  const random = draw.random
  const claims = draw.claims(site, 'merchant:admin')
  const right = tokenOf(claims, draw.world.now)
  switch (random.weighted({ payer: 3, home: 1, signIn: 2, console: 6, docs: 0.5 })) {
    case 'payer':
      return {
        ...{ method: 'POST', target: draw.some(site.pages, '/pay/a/b') },
        ...{
          headers: formHeaders(draw),
          body: fields(draw, ['action', 'amount', 'remember', 'contact', 'sale']),
        },
      }
    case 'home':
      return {
        method: 'POST',
        target: '/',
        headers: formHeaders(draw),
        body: fields(draw, ['amount', 'purpose']),
      }
    case 'docs':
      return { method: 'POST', target: '/docs-token', headers: formHeaders(draw), body: fields(draw, []) }
    case 'signIn': {
      const token = random.chance(0.2)
        ? right
        : wrongAuthorization(random, claims, draw.world.now).replace(/^Bearer /, '')
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
        headers: formHeaders(draw),
        body: Buffer.from(new URLSearchParams(pairs).toString()),
      }
    }
    case 'console': {
      const uid = encodeURIComponent(draw.some(site.qrCodeUids, 'none'))
      const payment = encodeURIComponent(draw.some(site.paymentUids, 'none'))
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
        [
          'receipts/settings',
          ['etag', 'taxation', 'vat', 'itemName', 'place', 'email', 'default', 'preview'],
        ],
        ['receipts/none/retry', ['contact', 'taxation', 'vat', 'name.0', 'vat.0']],
        [`payments/${payment}/receipt`, ['name', 'contact', 'taxation', 'vat']],
        [`payments/${payment}/closing`, ['closingUid', 'delivered', 'name', 'sum']],
        ['tills', ['uid', 'name']],
        [`tills/${uid}`, ['amount', 'saleUid', 'cancel', 'purpose']],
        ['keys', ['label', 'scope', 'days']],
        ['keys/none/revoke', []],
        ['notification-keys', []],
        ['notification-keys/none/activate', []],
        ['notifications', []],
        [`notifications/${draw.some(site.notificationIds, 'none')}`, []],
        [`operator/sites/${site.siteId}/limits`, ['maxPayment', 'maxRefundsPerDay']],
        [`operator/sites/${site.siteId}/cash-register`, ['kind', 'ffd', 'maxItems', 'remove']],
        [`operator/sites/${site.siteId}/delete`, ['siteId', 'force']],
        [`operator/sites/${site.siteId}/instructions/none/send`, []],
      ] as const)
      const { cookie } = path.startsWith('operator') ? draw.world.operator : site.session
      return {
        method: 'POST',
        target: `/console/${placed(random, path, site)}`,
        headers: formHeaders(draw, cookie),
        body: fields(draw, names, { label: 'Till' }),
      }
    }
  }
}

/** A path below /console/: of a page of the site at its own address, at that of another site, or at that of 0.3.0. */
function placed(random: Random, path: string, site: Site): string {
  if (path.startsWith('operator') || path === 'sign-in' || random.chance(0.1)) return path
  return `sites/${random.chance(0.9) ? site.siteId : encodedOf(random, textOf(random))}/${path}`
}

/** Pages of the console, with a cookie that is right or wrong. */
export function consolePage(draw: Draw, site: Site): Request {
  const random = draw.random
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
      'operator/settlement',
      `operator/sites/${site.siteId}`,
    ],
    ...[
      `qr/${encodedOf(random, draw.some(site.qrCodeUids, 'a'))}`,
      `payments/${encodedOf(random, draw.some(site.paymentUids, 'a'))}`,
      `tills/${encodedOf(random, draw.some(site.qrCodeUids, 'a'))}`,
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
    'which',
    'createdFrom',
  ] as const
  const query = Array.from({ length: random.below(4) }, () => {
    const name = anyOf(random, names)
    const value = random.chance(0.5) ? draw.queryValue(name, site) : textOf(random)
    return `${name}=${encodedOf(random, value)}`
  })
  const right = path.startsWith('operator') ? draw.world.operator.cookie : site.session.cookie
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
        draw.world.operator.cookie,
      ])
  return {
    method: random.chance(0.93) ? 'GET' : anyOf(random, METHODS),
    target: targetSafe(
      `/console/${placed(random, path, site)}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    ),
    headers: [
      ['Host', draw.world.host],
      ['Cookie', oneLine(cookie)],
      ...(random.chance(0.3) ? [['Accept', 'text/html'] as const] : []),
    ],
  }
}
