// The console of the deployed bundle, whose module workerd loads when it is asked for.
import { afterAll, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'

const service = bareWorkerd()
afterAll(service.dispose)

it('it is loaded at the first request, and shows who has signed in', async () => {
  const origin = `http://127.0.0.1:${await service.start()}`
  const base = `${origin}/console`
  const token = await mintToken(service.secret, { siteId: 'shop', scope: 'merchant', days: 1 })
  const signedIn = await fetch(`${base}/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ token }),
    headers: { Origin: origin },
    redirect: 'manual',
  })
  expect(signedIn.status).toBe(303)
  const [cookie = ''] = signedIn.headers.getSetCookie()
  const page = await fetch(`${base}/`, { headers: { Cookie: cookie.replace(/;.*/, '') } })
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('shop')])
})
