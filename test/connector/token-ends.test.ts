// Tokens and credentials that end soon: `check` names them, and a metric counts them.
import { describe, expect, it } from 'vitest'
import { BANKS } from '../../connector/banks/banks.ts'
import { readConfig } from '../../connector/config/config.ts'
import { SOURCES } from '../../connector/config/fields.ts'
import { endText } from '../../connector/config/token-ends.ts'
import { DAY, HOUR, start, surroundings } from './harness.ts'
import { makeDisk, runCommand } from './process.ts'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = (claims: object) => `${part({ alg: 'HS256' })}.${part(claims)}.signature`
const siteToken = (sub: string, endsAt: number) =>
  jwt({ sub, scope: 'network', jti: '1', iat: 1, exp: Math.floor(endsAt / 1000) })

const countOf = async (url: string) =>
  Number(/^fps_connector_tokens_ending (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

describe('the metric counts', () => {
  it.each([
    ['a token of a year', 365 * DAY, 0],
    ['a token of 30 days and an hour', 30 * DAY + HOUR, 0],
    ['a token that ends within 30 days', 30 * DAY - HOUR, 1],
    ['a token that has ended', -HOUR, 1],
  ])('%s', async (_, left, expected) => {
    const at = await surroundings()
    at.env.CAFE_TOKEN = siteToken('cafe', at.clock.now + left)
    expect(await countOf((await start(at)).url)).toBe(expected)
  })

  it('a token again when its time comes, without a reload', async () => {
    const at = await surroundings()
    at.env.CAFE_TOKEN = siteToken('cafe', at.clock.now + 100 * DAY)
    const { url } = await start(at)
    expect(await countOf(url)).toBe(0)
    at.clock.now += 71 * DAY
    expect(await countOf(url)).toBe(1)
  })

  it('a bank’s JWT and the keys of merchants, too; a secret that is no JWT has no end', async () => {
    const at = await surroundings()
    const endsOn = (time: number) => new Date(time).toISOString()
    Object.assign(at.config.sites.cafe, {
      merchantKeys: [
        { id: 'one', scope: 'merchant', endsOn: endsOn(at.clock.now + DAY) },
        { id: 'two', scope: 'merchant:admin', endsOn: endsOn(at.clock.now + 90 * DAY) },
      ],
    })
    at.env.TOCHKA_JWT = jwt({ exp: Math.floor(at.clock.now / 1000) })
    expect(await countOf((await start(at)).url)).toBe(2)
  })
})

it('check warns of what ends, fails after its end, and shows nothing of it', async () => {
  const at = await surroundings({ now: Date.now() })
  const soon = at.clock.now + 10 * DAY + HOUR
  at.env.TEA_TOKEN = siteToken('tea', soon)
  at.env.CAFE_TOKEN = siteToken('cafe', at.clock.now - 2 * DAY)
  at.service.takesAnyToken = true
  at.tochka.webhook = {
    url: 'http://127.0.0.1:1/connector/webhooks/tochka-main',
    webhooksList: ['incomingSbpPayment'],
  }
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  makeDisk(at)
  const { code, lines } = await runCommand(at, 'check')
  expect(lines).toContain(`warn tea: the token ends on ${day(soon)}, in 10 days`)
  expect(lines).toContain(`FAIL cafe: the token has ended on ${day(at.clock.now - 2 * DAY)}`)
  expect([code, lines.at(-1)]).toEqual([1, '1 failed'])
  expect(lines.join('\n')).not.toContain('eyJ')
  const tea = await runCommand(at, 'check', '--site', 'tea')
  expect([tea.code, tea.lines.at(-1)]).toEqual([0, 'all is well'])
  expect(tea.lines.join('\n')).not.toMatch(/ (cafe|farm|tbank-cafe|raif-farm): /)
  expect(await runCommand(at, 'check', '--site', 'pub')).toMatchObject({
    ...{ code: 2, errors: '--site is pub, must be one of the configuration' },
  })
}, 240_000)

it('the last day and the first day after are told apart', () => {
  const end = { owner: 'sites.tea', what: 'the token', endsAt: Date.parse('2026-11-30T12:00:00Z') }
  expect(endText(end, end.endsAt - 1)).toBe('the token ends on 2026-11-30, in 0 days')
  expect(endText(end, end.endsAt + 1)).toBe('the token has ended on 2026-11-30')
})

it('a file that is not JSON is not quoted: somebody may have written a secret into it', () => {
  for (const text of ['{"banks": {"x": whsec_secret', 'whsec_secret', '{"token": "whsec_secret"']) {
    try {
      readConfig(text, BANKS, { ...SOURCES, env: {} })
      expect.unreachable()
    } catch (error) {
      expect(String(error)).toMatch(/the configuration is not valid JSON: \S/)
      expect(String(error)).not.toContain('ecret')
    }
  }
})
