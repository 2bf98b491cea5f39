// Events name the key that acted, and the key that an event is of (contract, section 11).
import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { NewApiKeyAnswer } from '../../src/contract/api-key.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { qrCodeBody } from '../support/client.ts'

const anna = { claims: { jti: 'anna-key', label: 'Anna' } }

const make = async (site: FreshSite, label: string) =>
  NewApiKeyAnswer.parse(
    await (await site.ask('/apiKeys', { ...anna, body: { label, scope: 'merchant:admin', days: 1 } })).json(),
  )

it('an event has the name of the key that acted, also before the first use of the key is recorded', async () => {
  const site = freshSite()
  const { token } = await make(site, 'Till 3')
  const body = qrCodeBody()
  await site.ask('/sbp/qrCodes', { body, token })
  const events = await site.feed()
  expect(events.map(({ by }) => by.name)).toEqual(['Anna', 'Till 3'])
  expect(await site.eventsOf(body.qrCodeUid)).toEqual(events.slice(1))
})

it('the name is that of now, and a restart does not lose it', async () => {
  const site = freshSite()
  await site.ask('/sbp/qrCodes', { ...anna, body: qrCodeBody() })
  await site.ask('/sbp/qrCodes', { claims: { jti: 'no-label' }, body: qrCodeBody() })
  await runInDurableObject(site.stub, async (_, { storage: { sql } }) => {
    const recorded = () => sql.exec("SELECT id FROM api_keys WHERE id = 'anna-key'").toArray().length
    while (recorded() === 0) await scheduler.wait(50)
    sql.exec("UPDATE api_keys SET label = 'Anna B.' WHERE id = 'anna-key'")
  })
  await abortAllDurableObjects()
  expect((await site.feed()).map(({ by }) => by)).toEqual([
    { actor: 'merchant', keyId: 'anna-key', name: 'Anna B.' },
    { actor: 'merchant', keyId: 'no-label' },
  ])
})

it('an event of a key says which one, by the label of then', async () => {
  const site = freshSite()
  const { id } = await make(site, 'Till 3')
  for (const keyId of [id, 'never-seen']) await site.ask(`/apiKeys/${keyId}`, { method: 'DELETE', ...anna })
  expect((await site.feed()).map(({ type, apiKey }) => [type, apiKey])).toEqual([
    ['apiKey.created', { id, label: 'Till 3' }],
    ['apiKey.revoked', { id, label: 'Till 3' }],
    ['apiKey.revoked', { id: 'never-seen', label: '' }],
  ])
})

it('an event of 0.3.0, which says no key, is shown without one', async () => {
  const site = freshSite()
  await make(site, 'Till 3')
  await runInDurableObject(
    site.stub,
    (_, { storage: { sql } }) => void sql.exec('UPDATE events SET subject = NULL'),
  )
  const [event] = await site.feed()
  expect([event?.type, event && 'apiKey' in event]).toEqual(['apiKey.created', false])
})
