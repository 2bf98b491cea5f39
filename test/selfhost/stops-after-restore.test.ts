// A saved account that a payer ended after the backup stays ended: the audit, which no restore rewinds, has it.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FeedAnswer } from '../../src/contract/event.ts'
import { PeopleAnswer } from '../../src/contract/people.ts'
import { TokensAnswer } from '../../src/contract/token.ts'
import { succeeds } from '../support/command.ts'
import { EXTERNAL, PUBLIC_URL, type Served, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { type Answered, linkIdIn, qrCodeOf, type Site } from '../support/site-at.ts'

/** A QR code that binds an account. */
const codeOf = (site: Site, qrCodeUid: string) =>
  site.create(qrCodeUid, { amount: undefined, tokenizationAccount: 'customer-7' }, { type: 'TOKEN' })

const tokensOf = async (site: Site) =>
  TokensAnswer.parse(await site.value('/tokens?tokenizationAccount=customer-7')).tokens

/** The payer ends the account on the page of its link. */
async function stop({ address }: Served, code: Answered): Promise<number> {
  const response = await fetch(qrCodeOf(code).pageUrl.replace(PUBLIC_URL, address), {
    method: 'POST',
    body: new URLSearchParams({ action: 'end' }),
    headers: { Origin: PUBLIC_URL },
    redirect: 'manual',
  })
  return response.status
}

it('a payer’s stop is applied again after a restore, before and after the site is resumed', async () => {
  const directory = temporaryDirectory()
  const data = join(directory, 'data')
  const backup = join(directory, 'backup')
  const restored = join(directory, 'restored')
  const settings = EXTERNAL
  let served = await started(data, { settings })
  let site = siteOf(served)
  const known = await codeOf(site, 'bind-1')
  // The consent to the second one is not in the backup.
  const late = await codeOf(site, 'bind-2')
  await site.bind(linkIdIn(known), 'binding-1')
  const [token] = await tokensOf(site)
  succeeds('backup', '--data', data, '--to', backup)
  await site.bind(linkIdIn(late), 'binding-2')
  for (const code of [known, late]) expect(await stop(served, code)).toBe(303)
  expect((await tokensOf(site)).map(({ endedBy }) => endedBy)).toEqual(['payer', 'payer'])
  await served.stop()

  succeeds('restore', '--from', backup, '--data', restored, '--before', data)
  served = await started(restored, { settings })
  site = siteOf(served)
  expect(await tokensOf(site)).toMatchObject([{ status: 'DELETED', endedBy: 'payer' }])
  const repeated = await Promise.all([
    site.bind(linkIdIn(known), 'binding-1'),
    site.bind(linkIdIn(late), 'binding-2'),
  ])
  // A connector that was not told of the stops still has the consents: they are answered, and the network is told again.
  expect(repeated.map(({ status }) => status)).toEqual([200, 200])
  expect((await tokensOf(site)).map(({ status }) => status)).toEqual(['DELETED'])
  await served.stop()
  succeeds('resume', '--data', restored)
  served = await started(restored, { settings })
  site = siteOf(served)
  expect((await site.create('month-1')).status).toBe(200)
  const body = { token: token?.value, tokenizationAccount: 'customer-7' }
  const charge = await site.ask('/sbp/qrCodes/month-1/payments', { body })
  expect([charge.status, charge.text]).toEqual([400, expect.stringContaining('cannot be charged')])
  const { events } = FeedAnswer.parse(await site.value('/events'))
  expect(events.filter(({ type }) => type === 'token.deleted').map(({ by }) => by.actor)).toEqual([
    'payer',
    'payer',
  ])
  await served.stop()
  expect(succeeds('verify', '--data', restored)).toBe('sites: 1, with problems: 0\n')
})

it('an invitation that was open at the time of the backup cannot be used after a restore', async () => {
  const directory = temporaryDirectory()
  const data = join(directory, 'data')
  const backup = join(directory, 'backup')
  const restored = join(directory, 'restored')
  let served = await started(data, { settings: EXTERNAL })
  const body = { id: 'anna', name: 'Anna', role: 'owner' }
  expect((await siteOf(served).ask('/people', { method: 'POST', body })).status).toBe(200)
  await served.stop()
  succeeds('backup', '--data', data, '--to', backup)
  succeeds('restore', '--from', backup, '--data', restored, '--before', data)
  served = await started(restored, { settings: EXTERNAL })
  const { people } = PeopleAnswer.parse(await siteOf(served).value('/people'))
  expect(people).toEqual([{ ...body, createdOn: expect.any(String), passkeys: [] }])
  await served.stop()
})
