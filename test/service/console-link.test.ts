// npm run console-link: a link that signs in once, and what it refuses.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { withLock } from '../../bin/data/data-directory.ts'
import { dataOf, leaveAddress } from '../../bin/start/running-address.ts'
import { readSignInLink } from '../../src/http/sign-in-links.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'

const service = bareWorkerd()
afterAll(service.dispose)

const run = (...options: string[]) =>
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'bin/console-link.ts', ...options], {
    encoding: 'utf8',
    env: { ...process.env, TOKEN_SECRET: service.secret },
  })

it('its link signs in to the site, once', async () => {
  const origin = `http://127.0.0.1:${await service.start()}`
  const { stdout } = run('shop', '--url', `${origin}/`)
  const link = new URL(stdout.trim())
  expect(link.href.startsWith(`${origin}/console/sign-in?link=`)).toBe(true)
  const press = () =>
    fetch(`${origin}/console/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ link: link.searchParams.get('link') ?? '' }),
      headers: { Origin: origin, 'Accept-Language': 'ru' },
      redirect: 'manual',
    })
  expect((await press()).status).toBe(303)
  const again = await press()
  expect([again.status, await again.text()]).toEqual([401, expect.stringContaining('владелец')])
})

it('its link is for the port of the service that runs in the directory, in the role and with the label', async () => {
  const state = mkdtempSync(join(tmpdir(), 'state-'))
  mkdirSync(dataOf(state))
  leaveAddress(state, 'http://127.0.0.1:9123')
  const options = ['shop', '--persist-to', state, '--role', 'accountant', '--label', 'anna']
  const { stdout, stderr } = await withLock(dataOf(state), () => run(...options))
  const link = new URL(stdout.trim())
  expect([link.origin, stderr]).toEqual(['http://127.0.0.1:9123', ''])
  const read = await readSignInLink([service.secret], link.searchParams.get('link') ?? '', Date.now() / 1000)
  expect(read?.claims).toMatchObject({ sub: 'shop', scope: ['merchant:accounting'], label: 'anna' })
  const stopped = run('shop', '--persist-to', state)
  expect([new URL(stopped.stdout.trim()).port, stopped.stderr]).toEqual([
    '8787',
    expect.stringContaining(`no npm start runs in ${state}`),
  ])
})

it.each([
  [['shop'], { sub: 'shop', scope: ['merchant:admin'], label: 'console-link' }],
  [['shop', '--role', 'manager'], { sub: 'shop', scope: ['merchant'] }],
  [['shop', '--role', 'cashier'], { sub: 'shop', scope: ['merchant:till'] }],
  [['*'], { sub: '*', scope: ['operator'] }],
  [['*', '--role', 'support', '--label', 'anna'], { sub: '*', scope: ['operator:read'], label: 'anna' }],
])('%j is a link for the rights of the role', async (options, claims) => {
  const { stdout } = run(...options, '--url', 'http://x')
  const link = new URL(stdout.trim()).searchParams.get('link') ?? ''
  expect((await readSignInLink([service.secret], link, Date.now() / 1000))?.claims).toMatchObject(claims)
})

it.each([
  [['a b'], 'the siteId is a b'],
  [['one', 'two'], 'at most one siteId'],
  [['shop', '--url', 'ftp://x'], '--url is ftp://x'],
  [
    ['shop', '--role', 'admin'],
    '--role is admin, must be one of owner, manager, accountant, cashier for shop',
  ],
  [['shop', '--role', 'support'], '--role is support'],
  [['*', '--role', 'owner'], '--role is owner, must be one of operator, support for *'],
  [['shop', '--label', 'x'.repeat(61)], '--label is'],
  [['shop', '--ur', 'x'], '--ur is unknown, did you mean --url'],
])('%j is refused, and says why', (options, problem) => {
  const { status, stderr, stdout } = run(...options)
  expect([status === 0, stderr, stdout]).toEqual([false, expect.stringContaining(problem), ''])
})
