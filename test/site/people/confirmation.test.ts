// Which acts of a person need a confirmation by passkey, and that each one confirms one act (contract, section 12).
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Caller, Confirmation } from '../../../src/contract/caller.ts'
import type { SiteStub } from '../../../src/gateway/context.ts'
import { Site } from '../../../src/site/site.ts'
import { type FreshSite, freshSite } from '../../support/admin.ts'
import { challenge, confirming, joined } from '../../support/people.ts'

const TYPES = ['PAYMENT'] as const
const invitation = challenge

/** Each RPC method that asks a person, and a call of it. */
const ASK: Record<string, (site: SiteStub, caller: Caller) => Promise<{ ok: boolean; code?: string }>> = {
  replaceSettings: (site, caller) => site.replaceSettings(caller, { notificationTypes: TYPES }, undefined),
  patchSettings: (site, caller) => site.patchSettings(caller, { name: 'Tea' }, undefined, undefined),
  replaceLogo: (site, caller) => site.replaceLogo(caller, undefined, undefined),
  putCallback: (site, caller) =>
    site.putCallback(caller, { id: 'till', url: 'https://till.example/', types: TYPES }, undefined),
  deleteCallback: (site, caller) => site.deleteCallback(caller, 'none', undefined),
  addNotificationKey: (site, caller) => site.addNotificationKey(caller, { id: 'a', key: 'whsec_a' }),
  activateNotificationKey: (site, caller) => site.activateNotificationKey(caller, 'a'),
  addApiKey: (site, caller) =>
    site.addApiKey(caller, { id: 'k', label: 'Till', scope: 'merchant', createdAt: 1, expiresAt: 2 }),
  revokeApiKey: (site, caller) => site.revokeApiKey(caller, 'k'),
  addPerson: (site, caller) =>
    site.addPerson(caller, { id: 'b', name: 'B', role: 'manager', handle: 'h', invitation: invitation() }),
  changePerson: (site, caller) => site.changePerson(caller, 'b', { name: 'C' }),
  invite: (site, caller) => site.invite(caller, 'b', invitation()),
  removePerson: (site, caller) => site.removePerson(caller, 'b'),
  addPasskey: (site, caller) =>
    site.addPasskey(caller, { id: 'second', publicKey: 'key', counter: 0, label: 'Laptop' }, challenge()),
  removePasskey: (site, caller) => site.removePasskey(caller, 'owner', 'second'),
}

/** The other methods that write, and why they ask nobody. */
const ASK_NOBODY: Record<string, string> = {
  ...Object.fromEntries(
    'create cancel armSale confirmSale dropSale cancelSale charge deleteToken decidePayment redeliver deliverTest requestReceipt closeReceipt retryReceipt'
      .split(' ')
      .map((method) => [method, 'daily work']),
  ),
  ...Object.fromEntries(
    'beginImport appendEntries completeImport continueImport abandonImport deleteSettlement'
      .split(' ')
      .map((method) => [method, 'it only tells, and can be done again']),
  ),
  ...Object.fromEntries(
    'report reportBinding reportRefund reportReceipt simulatePayment simulateBinding'
      .split(' ')
      .map((method) => [method, 'a fact']),
  ),
  ...Object.fromEntries(
    'sendInstruction resume setLimits setCashRegister remove reopen addOwner inviteOwner'
      .split(' ')
      .map((method) => [method, 'the operator’s: the registry']),
  ),
  refund: 'asks by its amount',
  openSession: 'a token or a link',
  endTokenByPayer: 'the payer',
  giveContact: 'the payer',
  endSession: 'ends rights',
  endPersonSessions: 'ends rights',
  join: 'the passkey is new',
  signIn: 'an assertion itself',
  introduce: 'the service itself',
  probe: 'the service itself',
  alarm: 'the service itself',
  wake: 'the service itself',
  stopListening: 'the service itself',
  stopAllListening: 'the service itself',
}

const READS =
  'read readForPayer paidSales shopForPayer longPoll list search events feed payments listPayments payment saleToCancel ' +
  'sale sales longPollSale tokens refunds refundOf networkQrCodes waitingRefunds networkBindings waitingCharges settings ' +
  'logo callbacks callback notificationKeys apiKeys session notifications notificationGroups notification paymentsReport ' +
  'bankNumbers ' +
  'dayReport health exportPage beforeRegister people invited passkey personSessions receiptsOfPayment listReceipts readReceipt ' +
  'networkReceipts settlement settlements settlementEntries settlementMonth settlementReport entriesOfPayment'

/** A person of a site, and their calls with assertions. */
async function personOf(site: FreshSite, id: string) {
  const { caller, passkey } = await joined(site, id, 'owner')
  return {
    caller,
    passkey,
    confirming: (more: Partial<Confirmation> = {}) => confirming(caller, passkey, more),
  }
}

async function owned() {
  const site = freshSite()
  return { site, object: env.SITES.getByName(site.siteId), ...(await personOf(site, 'owner')) }
}

describe('the confirmation', () => {
  it('is decided for each RPC method of a site', () => {
    const methods = Object.getOwnPropertyNames(Site.prototype).filter((name) => name !== 'constructor')
    const known = [...Object.keys(ASK), ...Object.keys(ASK_NOBODY), ...READS.split(' ')]
    expect(methods.toSorted()).toEqual(known.toSorted())
  })

  it.each(Object.keys(ASK))('is asked before %s, which changes nothing without it', async (method) => {
    const { site, object, caller } = await owned()
    const before = await site.events()
    expect(await ASK[method]?.(object, caller)).toMatchObject({ ok: false, code: 'confirmation.required' })
    expect(await site.events()).toEqual(before)
  })

  it('lets each of them through, once each', async () => {
    const { object, confirming } = await owned()
    for (const [method, call] of Object.entries(ASK)) {
      const challenge = crypto.randomUUID()
      expect(await call(object, confirming({ challenge })), method).toMatchObject({ ok: true })
      // Another request with the same assertion.
      expect(await call(object, confirming({ challenge })), method).toMatchObject({
        code: 'confirmation.required',
      })
    }
  })

  it('is asked of no token', async () => {
    const { object } = await owned()
    const token: Caller = { actor: 'merchant', keyId: 'admin', scopes: ['merchant:admin'] }
    const { addPasskey: _, ...calls } = ASK
    for (const [method, call] of Object.entries(calls)) {
      // A token has no passkey to remove, and made none.
      expect((await call(object, token)).code, method).not.toBe('confirmation.required')
    }
  })

  it('counts again for the same request, whose answer was lost, and acts once', async () => {
    const { site, object, confirming } = await owned()
    const caller = confirming()
    const key = { id: 'k', label: 'Till', scope: 'merchant', createdAt: 1, expiresAt: 9e9 }
    expect(await object.addApiKey(caller, key)).toMatchObject({ ok: true })
    expect(await object.addApiKey(caller, key)).toMatchObject({ ok: true })
    expect((await site.events()).filter(({ type }) => type === 'apiKey.created')).toHaveLength(1)
  })

  it('that two requests have at once lets one of them through', async () => {
    const { site, object, confirming } = await owned()
    const challenge = crypto.randomUUID()
    const outcomes = await Promise.all(
      ['a', 'b', 'c'].map((id) =>
        object.addApiKey(confirming({ challenge }), {
          id,
          label: id,
          scope: 'merchant',
          createdAt: 1,
          expiresAt: 9e9,
        }),
      ),
    )
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    expect((await site.events()).filter(({ type }) => type === 'apiKey.created')).toHaveLength(1)
  })

  it('has expired by the time of the act', async () => {
    const { object, confirming } = await owned()
    const expiresAt = Math.floor(Date.now() / 1000)
    expect(await object.revokeApiKey(confirming({ expiresAt }), 'k')).toMatchObject({
      code: 'confirmation.required',
    })
  })

  it('is by a passkey of the person, not by another’s, and not by one that was removed', async () => {
    const { site, object, confirming } = await owned()
    const other = await personOf(site, 'other')
    for (const passkeyId of [other.passkey, 'unknown']) {
      expect(await object.revokeApiKey(confirming({ passkeyId }), 'k')).toMatchObject({
        code: 'confirmation.required',
      })
    }
  })

  it.each([
    [5, 5],
    [5, 4],
    [5, 0],
  ])('of a passkey that counted %i, with the counter %i, is 401 and an event', async (known, counter) => {
    const { site, object, confirming } = await owned()
    expect(await object.revokeApiKey(confirming({ counter: known }), 'earlier')).toMatchObject({ ok: true })
    expect(await object.revokeApiKey(confirming({ counter }), 'k')).toMatchObject({
      code: 'auth.unauthorized',
    })
    const types = (await site.events()).map(({ type }) => type)
    expect(types).toContain('passkey.refused')
    expect(types.filter((type) => type === 'apiKey.revoked')).toHaveLength(1)
    // The counter that grows is stored.
    expect(await object.revokeApiKey(confirming({ counter: 6 }), 'k')).toMatchObject({ ok: true })
    expect(await object.revokeApiKey(confirming({ counter: 6 }), 'l')).toMatchObject({ ok: false })
  })

  it('with a counter that does not grow stays refused when the call is repeated, with one event', async () => {
    const { site, object, confirming } = await owned()
    expect(await object.revokeApiKey(confirming({ counter: 5 }), 'earlier')).toMatchObject({ ok: true })
    const copied = confirming({ counter: 5 })
    expect(await object.revokeApiKey(copied, 'k')).toMatchObject({ code: 'auth.unauthorized' })
    expect(await object.revokeApiKey(copied, 'k')).toMatchObject({ ok: false })
    const types = (await site.events()).map(({ type }) => type)
    expect(types.filter((type) => type === 'apiKey.revoked')).toHaveLength(1)
    expect(types.filter((type) => type === 'passkey.refused')).toHaveLength(1)
  })

  it('does not outlive the session, the person and the role', async () => {
    const { site, object } = await owned()
    const other = await personOf(site, 'other')
    const admin: Caller = { actor: 'merchant', keyId: 'admin', scopes: ['merchant:admin'] }
    await object.changePerson(admin, 'other', { role: 'manager' })
    expect(await object.revokeApiKey(other.confirming(), 'k')).toMatchObject({ code: 'auth.forbidden' })
    await object.removePerson(admin, 'other')
    expect(await object.revokeApiKey(other.confirming(), 'k')).toMatchObject({ code: 'auth.unauthorized' })
  })
})
