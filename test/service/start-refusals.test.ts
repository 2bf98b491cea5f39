// npm start where it cannot serve: it ends, and says why.
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { npmStarts } from '../support/npm-start.ts'
import { portOf } from '../support/ports.ts'

const { start } = npmStarts()
afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a start that cannot serve ends and says why', () => {
  it('for a wrong setting: by its name, never its value', async () => {
    const service = await start('--var', 'BANK_MEMBER_ID:4711', '--var', 'PAYMENT_NETWORK:moon')
    expect(await service.ended).toBe(1)
    expect(service.output()).toBe(
      'BANK_MEMBER_ID must be 12 digits\nPAYMENT_NETWORK must be external or sandbox\n',
    )
  })

  it('for a port that another program has: in one line', async () => {
    const other = createServer()
    const port = await portOf(other)
    const service = await start('--port', `${port}`)
    expect(await service.ended).toBe(1)
    expect(service.output()).toMatch(
      new RegExp(
        `^cannot listen on 127.0.0.1:${port}: process \\d+ \\(.+\\) listens there; give a free port with --port\n$`,
      ),
    )
    other.close()
  })

  it.each([
    [['--port', '0'], '--port is 0, must be a number from 1 to 65535\n'],
    [['--port', '65536'], '--port is 65536, must be a number from 1 to 65535\n'],
    [['--var', 'PUBLIC_URL=https://a.example'], '--var is PUBLIC_URL=https…, must be NAME:VALUE\n'],
    [['--var', 'BANK_ID:1'], '--var BANK_ID is not a setting, did you mean BANK_MEMBER_ID\n'],
    [
      ['--var', 'X:', '--var', 'PUBLIC_ULR:https://a.example'],
      '--var X is not a setting, must be one of docs/operations.md\n--var PUBLIC_ULR is not a setting, did you mean PUBLIC_URL\n',
    ],
    [['--build', 'no'], '--build is no, must be a directory with config.capnp\n'],
    [['--remote'], '--remote is unknown\n'],
    [['--prot', '8080'], '--prot is unknown, did you mean --port\n'],
    [['8080'], '8080 is not an option: write -- before the options, as in -- --port …\n'],
  ])('for %j', async (options, text) => {
    const service = await start(...options)
    expect(await service.ended).toBe(1)
    expect(service.output()).toEqual(text)
  })
})

it.each([[['--port', '8080']], [['--port=8080']]])(
  'npm start with %j, without -- before the options, ends: npm took the option',
  (options) => {
    const { status, stderr } = spawnSync('npm', ['start', ...options])
    expect([status, stderr.toString()]).toEqual([
      1,
      expect.stringContaining(
        'npm took --port as its own option: write -- before the options, -- --port …\n',
      ),
    ])
  },
)

it('an invalid NETWORK_SECRET of the environment ends it', async () => {
  vi.stubEnv('NETWORK_SECRET', 'not a secret')
  const service = await start('--var', 'NETWORK_URL:http://127.0.0.1:9/')
  expect(await service.ended).toBe(1)
  expect(service.output()).toContain('NETWORK_SECRET must be whsec_')
})
