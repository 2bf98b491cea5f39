// The issuer that a chain lacks is named, and agrees with what OpenSSL takes.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { send } from '../../connector/banks/http.ts'
import { networkOf } from '../../connector/banks/network.ts'
import { PLATFORM } from '../../connector/platform.ts'
import { type Authority, authoritiesOf, commonNameOf } from '../../connector/tls/authorities.ts'
import { fetchTrusting } from '../../connector/tls/fetch.ts'
import { missingIssuer } from '../../connector/tls/missing-issuer.ts'
import { portOf } from '../support/ports.ts'
import type { Certified } from '../support/private-ca.ts'
import { tlsFront } from '../support/tls-front.ts'
import { HOSTS, makeChains } from './behind-tls.ts'
import { afterwards } from './harness.ts'

const { make, root, sub } = makeChains()
const authorities = (...of: Certified[]): Authority[] =>
  of.flatMap(({ certificate }) => authoritiesOf(certificate, Date.now()))

describe('of all chains of a root, two intermediate certificates and a leaf', () => {
  const inner = make({ name: 'Inner CA', issuer: sub, isAuthority: true })
  const own = make({ name: 'bank', issuer: inner, hosts: HOSTS })
  const ALL = [root, sub, inner]
  const subsets = Array.from({ length: 2 ** ALL.length }, (_, bits) =>
    ALL.filter((_, index) => (bits >> index) & 1),
  )
  const names = new Map([
    [root, 'Корневой УЦ'],
    [sub, 'Sub CA'],
    [inner, 'Inner CA'],
  ])

  /** What OpenSSL misses: above a certificate that is trusted it takes no other than trusted ones. */
  function expectedOf(sent: Certified[], trusted: Certified[]): string | undefined {
    let usable = [...trusted, ...sent]
    for (const each of [inner, sub, root]) {
      if (!usable.includes(each)) return names.get(each)
      if (trusted.includes(each)) usable = trusted
    }
    return trusted.includes(root) ? undefined : names.get(root)
  }

  it.each(subsets.map((sent) => [sent.map((each) => names.get(each)), sent] as const))(
    'with %j sent, exactly those work whose root is trusted and that are whole; of others the missing issuer is named',
    async (_, sent) => {
      const front = await tlsFront('http://127.0.0.1:1', own, ...sent)
      afterwards(front.close)
      const url = `https://127.0.0.1:${front.port}`
      for (const trusted of subsets) {
        const missing = expectedOf(sent, trusted)
        const of = authorities(...trusted)
        const what = JSON.stringify(trusted.map((each) => names.get(each)))
        expect(await missingIssuer(url, of), what).toBe(missing)
        const whyUnverified = async () => 'not verified'
        const request = { operation: 'a', method: 'GET', url } as const
        const failure = await send(request, { fetch: fetchTrusting(of), whyUnverified }).catch(String)
        // Behind this front is nothing: who is let through loses the connection.
        expect(failure === 'Error: a: not verified', `${what}: ${failure}`).toBe(missing !== undefined)
      }
    },
  )
})

it('without a server, or without a certificate of it, there is no issuer', async () => {
  const server = createServer((socket) => socket.destroy())
  const url = `https://localhost:${await portOf(server)}`
  expect(await missingIssuer(url, [])).toBeUndefined()
  await once(server.close(), 'close')
  expect(await missingIssuer(url, [])).toBeUndefined()
  const platform = { ...PLATFORM, missingIssuer: async () => undefined }
  expect(await networkOf(platform, [], 'banks.x').whyUnverified(url)).toBe(
    'the certificate of localhost does not verify: that of its issuer is missing: see banks.x.ca',
  )
})

it('an issuer can have no name', async () => {
  const nameless = make({ name: '', hosts: HOSTS })
  const front = await tlsFront('http://127.0.0.1:1', nameless)
  afterwards(front.close)
  expect(await missingIssuer(`https://127.0.0.1:${front.port}`, [])).toBe('without a name')
})

it.each([
  ['C=RU\nO=The Ministry\nCN=Russian Root', 'Russian Root'],
  ['C=RU\nO=The Ministry', 'C=RU O=The Ministry'],
  ['CN=a\u001b[31m\u202eb\u0000', 'a [31m b '],
  [`CN=${'x'.repeat(1000)}`, 'x'.repeat(64)],
])('of %j an operator sees %j', (name, shown) => expect(commonNameOf(name)).toBe(shown))
