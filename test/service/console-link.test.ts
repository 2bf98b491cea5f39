// npm run console-link: a link that signs in once, and what it refuses.
import { spawnSync } from 'node:child_process'
import { afterAll, expect, it } from 'vitest'
import { bareWorkerd } from '../support/bare-workerd.ts'

const service = bareWorkerd()
afterAll(service.dispose)

const run = (...options: string[]) =>
  spawnSync(process.execPath, ['bin/console-link.ts', ...options], {
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
  expect([again.status, await again.text()]).toEqual([401, expect.stringContaining('npm run console-link')])
})

it.each([
  [['a b'], 'the siteId is a b'],
  [['one', 'two'], 'at most one siteId'],
  [['shop', '--url', 'ftp://x'], '--url is ftp://x'],
  [['shop', '--ur', 'x'], '--ur is unknown, did you mean --url'],
])('%j is refused, and says why', (options, problem) => {
  const { status, stderr, stdout } = run(...options)
  expect([status === 0, stderr, stdout]).toEqual([false, expect.stringContaining(problem), ''])
})
