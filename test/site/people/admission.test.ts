// What a person may do is asked in the transaction of the act (contract, section 12).
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Caller } from '../../../src/contract/caller.ts'
import { freshSite } from '../../support/admin.ts'
import { another, callerOf, challenge, codeOf, confirming, joined, passkeyOf } from '../../support/people.ts'
import { creation } from '../../support/site.ts'

beforeEach(() => void vi.spyOn(console, 'log').mockReturnValue())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const ADMIN: Caller = { actor: 'merchant', keyId: 'admin', scopes: ['merchant:admin'] }
const DAY = 86_400_000

/** A site with an owner, and a person whom they sell with. */
async function withPerson(role: 'manager' | 'cashier' = 'manager', tills?: string[]) {
  const site = freshSite()
  await joined(site, 'owner', 'owner')
  const person = await joined(site, 'anna', role, { ...(tills && { tills }) })
  const caller = callerOf(person.session, role, tills)
  const create = (by: Caller = caller) => site.stub.create({ ...creation(another('code')), caller: by })
  return { site, ...person, caller, create }
}

describe('the call of a person', () => {
  it('is admitted while session, role and tills are as it says, and its event has the person', async () => {
    const { site, create } = await withPerson('cashier', ['b', 'a'])
    expect(codeOf(await create())).toBe('ok')
    const event = (await site.feed()).findLast(({ type }) => type === 'qrCode.created')
    expect(event?.by).toEqual({ actor: 'merchant', personId: 'anna', name: 'Name of anna' })
  })

  it.each<[string, (caller: Caller) => Caller, string]>([
    [
      'of an unknown session',
      (caller) => ({ ...caller, person: { id: 'anna', session: 'x' } }),
      'auth.unauthorized',
    ],
    [
      'of an unknown person',
      ({ person, ...caller }) => ({ ...caller, person: { id: 'x', session: person?.session ?? '' } }),
      'auth.unauthorized',
    ],
    [
      'with the session of another person',
      ({ person, ...caller }) => ({
        ...caller,
        person: { id: 'owner', session: person?.session ?? '' },
        scopes: ['merchant:admin'],
      }),
      'auth.unauthorized',
    ],
    ['with a higher role', (caller) => ({ ...caller, scopes: ['merchant:admin'] }), 'auth.forbidden'],
    [
      'with one scope more',
      (caller) => ({ ...caller, scopes: ['merchant', 'merchant:admin'] }),
      'auth.forbidden',
    ],
    ['without a scope', (caller) => ({ ...caller, scopes: [] }), 'auth.forbidden'],
    ['with tills that it does not have', (caller) => ({ ...caller, tills: ['a'] }), 'auth.forbidden'],
    [
      'with a key beside it',
      (caller) => ({ ...caller, keyId: 'admin', scopes: ['merchant:admin'] }),
      'auth.forbidden',
    ],
    ['as the network', (caller) => ({ ...caller, actor: 'network', scopes: ['network'] }), 'auth.forbidden'],
    [
      'as the service',
      (caller) => ({ ...caller, isService: true, scopes: ['merchant:admin'] }),
      'auth.forbidden',
    ],
    ['as a payer', (caller) => ({ ...caller, actor: 'payer', scopes: [] }), 'auth.forbidden'],
  ])('%s is refused, as a write and as a read', async (_, change, code) => {
    const { site, caller, create } = await withPerson()
    expect(codeOf(await create(change(caller)))).toBe(code)
    expect(codeOf(await site.stub.settings(change(caller)))).toBe(code)
  })

  it.each<
    [
      string,
      (site: ReturnType<typeof freshSite>, session: string, passkey: string) => Promise<unknown>,
      string,
    ]
  >([
    ['the person was removed', (site) => site.stub.removePerson(ADMIN, 'anna'), 'auth.unauthorized'],
    [
      'the role has changed',
      (site) => site.stub.changePerson(ADMIN, 'anna', { role: 'cashier' }),
      'auth.forbidden',
    ],
    ['the session has ended', (site, session) => site.stub.endSession(session), 'auth.unauthorized'],
    ['all sessions have ended', (site) => site.stub.endPersonSessions(ADMIN, 'anna'), 'auth.unauthorized'],
    [
      'the passkey was removed',
      (site, _, passkey) => site.stub.removePasskey(ADMIN, 'anna', passkey),
      'auth.unauthorized',
    ],
  ])('that is on its way when %s is refused', async (_, act, code) => {
    const { site, session, passkey, create } = await withPerson()
    const [, outcome] = await Promise.all([act(site, session.id, passkey), create()])
    expect(codeOf(outcome)).toBe(code)
    expect((await site.feed()).map(({ type }) => type)).not.toContain('qrCode.created')
  })

  it('is refused where its tills have changed, and from then on has the new ones', async () => {
    const { site, session, create } = await withPerson('cashier', ['a'])
    await site.stub.changePerson(ADMIN, 'anna', { tills: null })
    expect(codeOf(await create())).toBe('auth.forbidden')
    expect(codeOf(await create(callerOf(session, 'cashier')))).toBe('ok')
  })

  it('at another site is refused, which it does not make', async () => {
    const { caller } = await withPerson()
    const other = freshSite()
    expect(codeOf(await other.stub.create({ ...creation('a'), caller }))).toBe('auth.unauthorized')
    expect(await other.stub.wake()).toBeUndefined()
  })

  it('that waits for a change is refused when the person is removed meanwhile', async () => {
    const { site, caller } = await withPerson()
    const created = await site.stub.create({ ...creation('a'), caller })
    const version = created.ok ? created.value.qrCode.version : -1
    const poll = site.stub.longPoll(caller, { qrCodeUid: 'a' }, { id: 'l', milliseconds: 60_000, version })
    await site.stub.removePerson(ADMIN, 'anna')
    await site.stub.cancel(ADMIN, { qrCodeUid: 'a' })
    expect(codeOf(await poll)).toBe('auth.unauthorized')
  })
})

it.each<[string, Caller]>([
  ['a merchant', { actor: 'merchant', scopes: ['merchant:admin'] }],
  ['the network', { actor: 'network', scopes: ['network'] }],
  ['an operator', { actor: 'operator', scopes: ['operator'] }],
])('a call of %s with neither a key nor a person is refused', async (_, caller) => {
  const site = freshSite()
  await site.make()
  expect(codeOf(await site.stub.settings(caller))).toBe('auth.unauthorized')
})

describe('a session', () => {
  it('goes on for 30 days after its last use, and 180 after its start', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { site, session } = await withPerson()
    const view = async () => (await site.stub.session(session.id)) as { value?: { session: object } }
    const used = () =>
      runInDurableObject(
        site.stub,
        (_, { storage: { sql } }) =>
          sql.exec('SELECT used_at FROM person_sessions WHERE id = ?', session.id).one().used_at,
      )
    const start = Date.now()
    for (let day = 29; day < 180; day += 29) {
      vi.setSystemTime(start + day * DAY)
      expect((await view()).value).toBeDefined()
      // The object writes the use by itself, later.
      while ((await used()) !== Math.floor(Date.now() / 1000)) await scheduler.wait(50)
    }
    vi.setSystemTime(start + 180 * DAY)
    expect((await view()).value).toBeUndefined()
  })

  it('that is not used for 30 days has ended, and is removed when another one begins', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { site, id, session, caller } = await withPerson()
    vi.setSystemTime(Date.now() + 30 * DAY)
    expect(await site.stub.session(session.id)).toEqual({ ok: true, value: undefined })
    expect(codeOf(await site.stub.settings(caller))).toBe('auth.unauthorized')
    expect(await site.stub.personSessions(ADMIN, id)).toEqual({ ok: true, value: [] })
    await joined(site, 'b')
    const left = await runInDurableObject(site.stub, (_, { storage: { sql } }) =>
      sql.exec('SELECT person FROM person_sessions').toArray(),
    )
    expect(left).toEqual([{ person: 'b' }])
  })

  it('that is viewed 20 times writes no row on its day, and one use a day later', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { site, session } = await withPerson()
    const written = (views: number) =>
      runInDurableObject(site.stub, async (object, { storage: { sql } }) => {
        const exec = vi.spyOn(sql, 'exec')
        for (let i = 0; i < views; i++) await object.session(session.id)
        await scheduler.wait(1500)
        const updates = exec.mock.calls.filter(([query]) =>
          /^\s*(INSERT|UPDATE|DELETE).*(people|passkeys|person_sessions)/.test(query),
        ).length
        exec.mockRestore()
        return updates
      })
    expect(await written(20)).toBe(0)
    vi.setSystemTime(Date.now() + DAY)
    expect(await written(20)).toBe(1)
    expect(await written(20)).toBe(0)
  })

  it('shows the person as they are now, and survives a restart of the object', async () => {
    const { site, session } = await withPerson()
    await site.stub.changePerson(ADMIN, 'anna', { name: 'Anna P.', role: 'cashier', tills: ['a'] })
    await evictDurableObject(site.stub)
    expect(await site.stub.session(session.id)).toMatchObject({
      value: { session: { personId: 'anna', name: 'Anna P.', role: 'cashier', tills: ['a'] } },
    })
  })
})

describe('a sign-in', () => {
  const sign = async (site: ReturnType<typeof freshSite>, passkeyId: string, more: object = {}) => {
    const handle = await runInDurableObject(site.stub, (_, { storage: { sql } }) =>
      String(sql.exec("SELECT handle FROM people WHERE id = 'anna'").one().handle),
    )
    const asked = { handle, passkeyId, counter: 0, challenge: challenge(), session: another('s') }
    return site.stub.signIn({ ...asked, ...more })
  }

  it('begins a session by a challenge that is used once; the same call again gives the same session', async () => {
    const { site, passkey } = await withPerson()
    const asked = { challenge: challenge(), session: 'mine' }
    const first = await sign(site, passkey, asked)
    expect(first).toMatchObject({ value: { id: 'mine', personId: 'anna' } })
    expect(await sign(site, passkey, asked)).toEqual(first)
    expect(codeOf(await sign(site, passkey, { ...asked, session: 'other' }))).toBe('auth.unauthorized')
  })

  it.each([
    ['a challenge that has expired', { challenge: { id: 'c', expiresAt: 1 } }],
    ['another handle', { handle: 'x' }],
    ['another passkey', { passkeyId: 'x' }],
  ])('by %s is refused', async (_, more) => {
    const { site, passkey } = await withPerson()
    expect(codeOf(await sign(site, passkey, more))).toBe('auth.unauthorized')
  })

  it('by a counter that does not grow is refused with an event; one that stays 0 is not', async () => {
    const { site, passkey } = await withPerson()
    const codes = []
    for (const counter of [0, 0, 5, 5, 4, 0, 6]) codes.push(codeOf(await sign(site, passkey, { counter })))
    const NO = 'auth.unauthorized'
    expect(codes).toEqual(['ok', 'ok', 'ok', NO, NO, NO, 'ok'])
    const refused = (await site.events()).filter(({ type }) => type === 'passkey.refused')
    expect(refused).toHaveLength(3)
    expect(refused[0]).toMatchObject({ by: { personId: 'anna' }, person: { id: 'anna', role: 'manager' } })
  })

  it('of a removed person, or by a removed passkey, is refused', async () => {
    const { site, passkey } = await withPerson()
    await site.stub.removePasskey(ADMIN, 'anna', passkey)
    expect(codeOf(await sign(site, passkey))).toBe('auth.unauthorized')
  })
})

it('an accountant is admitted with the scope of the role alone, and nobody else is with it', async () => {
  const site = freshSite()
  const [accountant, manager] = [
    await joined(site, 'vera', 'accountant'),
    await joined(site, 'ivan', 'manager'),
  ]
  const codes = await Promise.all(
    [
      [accountant, 'merchant:accounting'] as const,
      [accountant, 'merchant:read'] as const,
      [accountant, 'merchant'] as const,
      [manager, 'merchant:read'] as const,
      [manager, 'merchant:accounting'] as const,
    ].map(async ([{ caller }, scope]) => codeOf(await site.stub.settings({ ...caller, scopes: [scope] }))),
  )
  expect(codes).toEqual(['ok', 'auth.forbidden', 'auth.forbidden', 'auth.forbidden', 'auth.forbidden'])
})

describe('the passkeys of a person', () => {
  it('are 10 at most, each with a challenge of its own; a passkey that is known is 409', async () => {
    const { site, caller, passkey } = await withPerson()
    const add = async (id: string, used = challenge()) =>
      codeOf(await site.stub.addPasskey(confirming(caller, passkey), passkeyOf(id), used))
    const used = challenge()
    const codes = [await add('p2', used), await add('p2', used), await add('p3', used)]
    expect(codes).toEqual(['ok', 'ok', 'auth.unauthorized'])
    for (let i = 3; i <= 10; i++) expect(await add(`p${i}`)).toBe('ok')
    expect(await add('p11')).toBe('payin.incorrect-method-invocation')
    const owner = await joined(site, 'other', 'owner')
    const theirs = confirming(owner.caller, owner.passkey)
    expect(codeOf(await site.stub.addPasskey(theirs, passkeyOf(passkey), challenge()))).toBe(
      'payin.resource.already.exists',
    )
    expect((await site.events()).filter(({ type }) => type === 'passkey.added')).toHaveLength(9)
  })

  it('and the sessions are reached by the person and by an owner, and by nobody else', async () => {
    const { site, caller, passkey, session } = await withPerson()
    const other = await joined(site, 'other', 'accountant')
    const refused = [
      await site.stub.personSessions(other.caller, 'anna'),
      await site.stub.endPersonSessions(other.caller, 'anna'),
      await site.stub.removePasskey(confirming(other.caller, other.passkey), 'anna', passkey),
    ]
    expect(refused.map(codeOf)).toEqual(Array.from({ length: 3 }, () => 'payin.resource.not.found'))
    expect(await site.stub.personSessions(caller, 'anna')).toMatchObject({ value: [{ id: session.id }] })
    expect(codeOf(await site.stub.endPersonSessions(caller, 'anna', session.id))).toBe('ok')
    expect(codeOf(await site.stub.settings(caller))).toBe('auth.unauthorized')
  })
})

it('an invitation that replaces ends the earlier passkeys and sessions of the owner', async () => {
  const site = freshSite()
  const { caller } = await joined(site, 'a', 'owner')
  const invitation = { id: 'i', expiresAt: Math.floor(Date.now() / 1000) + 60, replaces: true }
  await site.stub.invite({ actor: 'operator', keyId: 'o', scopes: ['operator'] }, 'a', invitation)
  const other = await joined(site, 'b', 'manager')
  expect(codeOf(await site.stub.join('i', passkeyOf(other.passkey), 's1'))).toBe(
    'payin.resource.already.exists',
  )
  expect((await site.stub.settings(caller)).ok).toBe(true)
  expect(codeOf(await site.stub.join('i', passkeyOf('new'), 's2'))).toBe('ok')
  expect(codeOf(await site.stub.settings(caller))).toBe('auth.unauthorized')
  expect(await site.stub.people(ADMIN)).toMatchObject({ value: [{ passkeys: [{ id: 'new' }] }, {}] })
})
