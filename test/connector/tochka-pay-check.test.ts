// What `check` says of Tochka Pay Gateway: credentials, the pinned key, reserved ids, and what the bank cannot do.
import { describe, expect, it } from 'vitest'
import { COUNTER } from './cashbox.ts'
import { register, start, surroundings } from './harness.ts'
import { makeDisk, runCommand } from './process.ts'

/** The lines of the site and of its credentials. */
async function checked(prepare: (at: Awaited<ReturnType<typeof surroundings>>) => unknown = () => {}) {
  const at = await surroundings({ now: Date.now() })
  makeDisk(at)
  await prepare(at)
  const { lines } = await runCommand(at, 'check', '--site', 'club')
  return { at, lines: lines.filter((line) => !line.startsWith('note')), notes: lines }
}

const ADDRESS =
  'ok   pay-club: every code, sale, charge and refund is sent with the address http://127.0.0.1:1/connector/webhooks/pay-club'
const TOKEN = 'ok   club: the service takes the token; its bank is pay-club'
const CREDENTIALS = 'ok   pay-club: the credentials work'
const KEY = 'ok   pay-club: the bank publishes the key of webhookKey'
const good = (free: number) => [
  ...[CREDENTIALS, KEY, ADDRESS, TOKEN, `ok   club: ${free} of 4 cashRegisterQrcIds are free`, 'all is well'],
]

describe('check', () => {
  it('is well with good credentials, changes nothing, and names what the bank cannot do', async () => {
    const { at, lines, notes } = await checked()
    expect(lines).toEqual(good(4))
    expect(at.tochkaPay.calls.every(({ method }) => method === 'GET')).toBe(true)
    expect(notes).toContain(
      'note pay-club: cannot list the payments of the site: reconcile asks about each code, and finds no payment of a code that neither disk nor service has',
    )
  })

  it('counts reserved ids that are assigned', async () => {
    const { lines } = await checked(async (at) => {
      const running = await start({ ...at, directory: `${at.directory}/data` })
      await register(at, 'club', COUNTER)
      await running.stop()
    })
    expect(lines).toEqual(good(3))
  })

  it('fails with another token, and shows no secret', async () => {
    const { lines } = await checked(({ env }) => Object.assign(env, { PAY_JWT: 'wrong-jwt' }))
    expect(lines[0]).toBe('FAIL pay-club: payment: the bank answers 401 to the credentials')
    expect(lines.at(-1)).toBe('1 failed')
    expect(lines.join('\n')).not.toContain('wrong-jwt')
  })

  it('fails with another siteUid: not every 404 says that the credentials work', async () => {
    const { lines } = await checked(({ config }) => {
      config.banks['pay-club'].siteUid = 'site-2'
    })
    expect(lines[0]).toMatch(/^FAIL pay-club: payment: the bank answers 404: 404, ENTITY_NOT_FOUND/)
  })

  it('fails where the bank publishes another key than the pinned one', async () => {
    const { at, lines } = await checked(({ tochkaPay }) => tochkaPay.keys.change())
    expect(lines.slice(0, 2)).toEqual([
      CREDENTIALS,
      `FAIL pay-club: the bank publishes another key than webhookKey: ask the bank, then take the key of ${at.urls.tochkaPay}/doc/openapi/static/keys/public`,
    ])
  })

  it('takes the pinned key from a list of keys, too', async () => {
    const { lines } = await checked(({ tochkaPay }) => {
      const other = { kty: 'RSA', n: `${tochkaPay.webhookKey.n?.slice(0, -2)}Aw`, e: 'AQAB' }
      tochkaPay.fail('key', { status: 200, body: { keys: [other, tochkaPay.webhookKey] } })
    })
    expect(lines).toEqual(good(4))
  })

  it.each([
    { status: 500, body: {} },
    { status: 200, body: '<html></html>' },
    { status: 200, body: { keys: [] } },
  ])('fails where the key cannot be read: %o', async (fault) => {
    const { lines } = await checked(({ tochkaPay }) => tochkaPay.fail('key', fault))
    expect(lines[0]).toBe(CREDENTIALS)
    expect(lines[1]).toMatch(/^FAIL pay-club: key: the bank answers/)
  })
})
