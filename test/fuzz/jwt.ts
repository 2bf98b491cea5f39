// Access tokens, made as anybody can make them: right, or wrong in one place.
import { createHmac } from 'node:crypto'
import type { Random } from '../support/random.ts'
import { SECRET } from '../support/secret.ts'
import { anyOf, textOf } from './values.ts'

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const HASHES = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' } as const

/** Signs by HMAC; `none` signs nothing. */
function signed(
  header: unknown,
  claims: unknown,
  secret = SECRET,
  alg: keyof typeof HASHES | 'none' = 'HS256',
): string {
  const text = `${encoded(header)}.${encoded(claims)}`
  return `${text}.${alg === 'none' ? '' : createHmac(HASHES[alg], secret).update(text).digest('base64url')}`
}

const HEADER = { alg: 'HS256', typ: 'JWT' }

export interface Claims {
  sub: string
  jti: string
  scope: string
}

/** A token that is right. @param now Unix seconds */
export const tokenOf = (claims: Claims, now: number): string =>
  signed(HEADER, { ...claims, iat: now - 60, exp: now + 86_400 })

/** A token of the same claims in which something is wrong, or the whole value of Authorization. */
export function wrongAuthorization(random: Random, claims: Claims, now: number): string {
  const right = { ...claims, iat: now - 60, exp: now + 86_400 }
  const token = tokenOf(claims, now)
  const [head = '', body = '', mac = ''] = token.split('.')
  switch (random.weighted({ claim: 8, alg: 4, cut: 4, secret: 1, form: 4, bytes: 2, big: 1 })) {
    case 'claim': {
      const name = anyOf(random, ['sub', 'jti', 'iat', 'exp', 'nbf', 'scope', 'label', 'aud', 'iss'])
      const wrong = [
        ...[null, '', 0, -1, 1e308, '1', true, [], {}, [claims.sub], textOf(random)],
        ...[
          now - 1,
          now + 1e12,
          claims.sub.toUpperCase(),
          '*',
          'operator',
          ' ',
          'merchant  network',
          'MERCHANT',
        ],
      ]
      return `Bearer ${signed(HEADER, { ...right, [name]: random.chance(0.1) ? undefined : anyOf(random, wrong) })}`
    }
    case 'alg': {
      const alg = anyOf(random, ['none', 'HS384', 'HS512'] as const)
      const name = anyOf(random, [alg, 'None', 'NONE', 'RS256', 'ES256', 'HS256 ', '', 'hs256'])
      const more = anyOf(random, [
        {},
        { kid: '../../dev/null' },
        { jwk: { kty: 'oct', k: '' } },
        { jku: 'http://127.0.0.1:1/' },
        { crit: ['exp'] },
        { b64: false },
      ])
      return `Bearer ${signed({ alg: name, typ: 'JWT', ...more }, right, SECRET, alg)}`
    }
    case 'cut': {
      const at = random.below(token.length)
      const cut = [
        ...[
          token.slice(0, at),
          token.slice(at),
          `${head}.${body}.`,
          `${head}.${body}`,
          `${head}..${mac}`,
          `.${body}.${mac}`,
          '..',
        ],
        ...[
          `${token}.`,
          `${token}.a`,
          `${token}=`,
          token.slice(0, at) + anyOf(random, ['A', '.', '+', '/', '=']) + token.slice(at + 1),
        ],
      ]
      return `Bearer ${anyOf(random, cut)}`
    }
    case 'secret':
      return `Bearer ${signed(HEADER, right, anyOf(random, ['', 'secret', SECRET.slice(0, -1), `${SECRET} `, 'x'.repeat(100)]) || 'a')}`
    case 'form':
      return anyOf(random, [
        ...[
          token,
          `bearer ${token}`,
          `Bearer  ${token}`,
          `Bearer\t${token}`,
          `Basic ${token}`,
          `Bearer ${token} x`,
          `Bearer ${token},`,
        ],
        ...[
          'Bearer',
          'Bearer ',
          '',
          ' ',
          `Bearer ${token}, Bearer ${token}`,
          `Token ${token}`,
          'Bearer null',
          'Bearer undefined',
        ],
      ])
    case 'bytes':
      return `Bearer ${signed(anyOf(random, ['', '{', 'null', '[]', '"a"', '{"alg":"HS256"}']), anyOf(random, ['', '{', 'null', '[]', '1', '{}', '{"sub":']))}`
    case 'big':
      return `Bearer ${signed(HEADER, { ...right, label: 'a'.repeat(anyOf(random, [61, 1_000, 7_000])), more: Array(anyOf(random, [1, 300])).fill(1) })}`
  }
}
