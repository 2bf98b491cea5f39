// SITE_RATE of the real build: a site that asks too much is refused, and the others are not.
import { afterAll, expect, it } from 'vitest'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { siteClient } from '../support/client.ts'
import { overHttp } from '../support/over-http.ts'

const service = bareWorkerd({ SITE_RATE: '1' })
afterAll(() => service.dispose())

it('of 40 creates at once, one site gets no more than its rate; what was refused does not exist', async () => {
  const address = `http://127.0.0.1:${await service.start()}`
  const siteOf = (siteId: string) =>
    siteClient(
      siteId,
      overHttp(() => address, service.secret, siteId),
    )
  const [loud, quiet] = [siteOf('loud'), siteOf('quiet')]
  const started = performance.now()
  const answers = await Promise.all(Array.from({ length: 40 }, () => loud.create()))
  const elapsed = (performance.now() - started) / 1000
  const created = answers.filter(({ status }) => status === 200).length
  const refused = answers.filter(({ status }) => status === 429)
  expect(created + refused.length).toBe(40)
  expect(created).toBeGreaterThanOrEqual(2)
  expect(created).toBeLessThanOrEqual(2 + Math.ceil(elapsed))
  expect(new Set(refused.map(({ headers }) => headers.get('Retry-After')))).toEqual(new Set(['1']))
  const answer = await quiet.ask('/sbp/qrCodes?limit=100')
  expect([answer.status, await answer.json()]).toEqual([200, { qrCodes: [] }])
  await expect
    .poll(
      async () => {
        const listed = await loud.ask('/sbp/qrCodes?limit=100')
        return listed.ok ? (await listed.json<{ qrCodes: unknown[] }>()).qrCodes.length : listed.status
      },
      { timeout: 30_000, interval: 500 },
    )
    .toBe(created)
})
