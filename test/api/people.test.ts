// The people of a site over HTTP: added, invited, changed, removed (contract, section 12).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PeopleAnswer } from '../../src/contract/people.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { added, another, codeOf, confirming, invitationIn, joined, passkeyOf } from '../support/people.ts'
import { errorOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

beforeEach(() => void vi.spyOn(console, 'log').mockReturnValue())
afterEach(() => void vi.restoreAllMocks())

const SECONDS = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+\d\d:\d\d$/)
const ANNA = { id: 'anna', name: 'Anna', role: 'cashier', tills: ['till-2', 'till-1'] }

const post = ({ ask }: FreshSite, body: object) => ask('/people', { method: 'POST', body })
const patch = ({ ask }: FreshSite, id: string, body: object) =>
  ask(`/people/${id}`, { method: 'PATCH', body })
const remove = ({ ask }: FreshSite, below: string) => ask(`/people/${below}`, { method: 'DELETE' })
const list = async ({ ask }: FreshSite) =>
  strict(PeopleAnswer).parse(await (await ask('/people')).json()).people
const eventTypes = async (site: FreshSite) => (await site.events()).map(({ type }) => type)

describe('a person', () => {
  it('is added with an invitation; the same request again gives the person alone, and another one is 409', async () => {
    const site = freshSite()
    const first = await post(site, ANNA)
    const person = {
      ...ANNA,
      tills: ['till-1', 'till-2'],
      createdOn: SECONDS,
      passkeys: [],
      invitedUntil: SECONDS,
    }
    expect([first.status, first.headers.get('Idempotent-Replayed')]).toEqual([200, null])
    expect(await first.json()).toEqual({
      ...person,
      invitation: { url: expect.stringMatching(/\/console\/join\?code=[\w.-]+$/), expiresOn: SECONDS },
    })
    const again = await post(site, { ...ANNA, tills: ANNA.tills.toReversed() })
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(await again.json()).toEqual(person)
    const other = await post(site, { id: 'anna', name: 'Anne', role: 'manager' })
    const { errorCode, cause } = await errorOf(other)
    expect([other.status, errorCode, Object.keys(cause ?? {})]).toEqual([
      409,
      'payin.resource.already.exists',
      ['name', 'role', 'tills'],
    ])
    expect(await list(site)).toEqual([person])
    expect(await eventTypes(site)).toEqual(['person.invited'])
  })

  it.each([
    ['no field', {}, ['id', 'name', 'role']],
    ['an empty id', { ...ANNA, id: '' }, ['id']],
    ['an id of 65 characters', { ...ANNA, id: 'a'.repeat(65) }, ['id']],
    ['an id that is no segment of a path', { ...ANNA, id: '..' }, ['id']],
    ['an id with a slash', { ...ANNA, id: 'a/b' }, ['id']],
    ['a blank name', { ...ANNA, name: ' ' }, ['name']],
    ['a name of two lines', { ...ANNA, name: 'a\nb' }, ['name']],
    ['a name of 61 characters', { ...ANNA, name: 'я'.repeat(61) }, ['name']],
    ['a role of the deployment', { id: 'a', name: 'A', role: 'operator' }, ['role']],
    ['a scope as the role', { id: 'a', name: 'A', role: 'merchant:admin' }, ['role']],
    ['no till', { ...ANNA, tills: [] }, ['tills']],
    ['21 tills', { ...ANNA, tills: Array.from({ length: 21 }, (_, n) => `${n}`) }, ['tills']],
    ['tills of a manager', { ...ANNA, role: 'manager' }, ['tills']],
    ['an unknown field', { ...ANNA, scope: 'merchant:admin' }, ['scope']],
  ])('with %s is 400, and nobody is added', async (_, body, fields) => {
    const site = freshSite()
    const response = await post(site, body)
    const { errorCode, cause } = await errorOf(response)
    expect([response.status, errorCode, Object.keys(cause ?? {}).sort()]).toEqual([
      400,
      'validation.error',
      fields,
    ])
    expect(await list(site)).toEqual([])
  })

  it.each(['merchant', 'merchant:read', 'merchant:till', 'network'])(
    'is 403 for the scope %s',
    async (scope) => {
      const site = freshSite()
      await added(site, 'b', 'owner')
      const requests: [string, string, object?][] = [
        ['GET', '/people'],
        ['POST', '/people', ANNA],
        ['PATCH', '/people/b', { role: 'owner' }],
        ['DELETE', '/people/b'],
        ['POST', '/people/b/invitations'],
        ['DELETE', '/people/b/passkeys/p'],
        ['DELETE', '/people/b/sessions'],
      ]
      for (const [method, below, body] of requests) {
        const response = await site.ask(below, { method, ...(body && { body }), claims: { scope } })
        expect([method, below, response.status]).toEqual([method, below, 403])
      }
    },
  )

  it('is changed: name, role, tills; tills end with the role of a cashier', async () => {
    const site = freshSite()
    await added(site, 'anna', 'cashier', { tills: ['a'] })
    expect(await (await patch(site, 'anna', { name: 'Anna P.' })).json()).toMatchObject({
      ...{ name: 'Anna P.', role: 'cashier', tills: ['a'] },
    })
    expect(await (await patch(site, 'anna', { tills: ['c', 'b'] })).json()).toMatchObject({
      tills: ['b', 'c'],
    })
    expect(await (await patch(site, 'anna', { tills: null })).json()).not.toHaveProperty('tills')
    await patch(site, 'anna', { tills: ['a'] })
    expect(await (await patch(site, 'anna', { role: 'manager' })).json()).not.toHaveProperty('tills')
    const refused = await patch(site, 'anna', { tills: ['a'] })
    expect([refused.status, Object.keys((await errorOf(refused)).cause ?? {})]).toEqual([400, ['tills']])
    const before = await eventTypes(site)
    for (const body of [{}, { name: 'Anna P.', role: 'manager' }])
      expect((await patch(site, 'anna', body)).status).toBe(200)
    expect(await eventTypes(site)).toEqual(before)
    expect(before).toEqual(['person.invited', ...Array.from({ length: 5 }, () => 'person.changed')])
  })

  it('that is unknown is 404', async () => {
    const site = freshSite()
    await added(site, 'other')
    const answers = [
      await patch(site, 'b', { name: 'B' }),
      await remove(site, 'b'),
      await site.ask('/people/b/invitations', { method: 'POST' }),
      await remove(site, 'b/passkeys/p'),
      await remove(site, 'b/sessions'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  })

  it('that is removed keeps the name, and ends sessions, passkeys and the invitation; the id is not used again', async () => {
    const site = freshSite()
    const { caller, session } = await joined(site, 'anna')
    const invitation = await invited(site, 'anna')
    expect((await site.stub.settings(caller)).ok).toBe(true)
    for (let i = 0; i < 2; i++) expect((await remove(site, 'anna')).status).toBe(204)
    expect(codeOf(await site.stub.settings(caller))).toBe('auth.unauthorized')
    expect(await site.stub.session(session.id)).toEqual({ ok: true, value: undefined })
    expect(codeOf(await site.stub.join(invitation, passkeyOf('p'), 's'))).toBe('auth.unauthorized')
    expect(await list(site)).toEqual([
      {
        ...{ id: 'anna', name: 'Name of anna', role: 'manager', passkeys: [] },
        ...{ createdOn: SECONDS, lastUsedOn: SECONDS, removedOn: SECONDS },
      },
    ])
    const again = await post(site, { id: 'anna', name: 'Name of anna', role: 'manager' })
    expect([again.status, (await errorOf(again)).errorCode]).toEqual([409, 'payin.resource.already.exists'])
    expect((await site.ask('/people/anna/invitations', { method: 'POST' })).status).toBe(404)
    expect((await patch(site, 'anna', { name: 'B' })).status).toBe(404)
    expect(await eventTypes(site)).toEqual([
      'person.invited',
      'person.joined',
      'person.invited',
      'person.removed',
    ])
  })

  it('shows the latest use of a passkey while its session goes on, and after that has ended', async () => {
    const site = freshSite()
    await joined(site, 'anna')
    const uses = async () => {
      const [anna] = await list(site)
      return [anna?.lastUsedOn, anna?.passkeys.map(({ lastUsedOn }) => lastUsedOn)]
    }
    const during = await uses()
    expect(during).toEqual([SECONDS, [SECONDS]])
    await remove(site, 'anna/sessions')
    expect(await uses()).toEqual(during)
  })

  it('is one of 200 at most; those who were removed do not count', async () => {
    const site = freshSite()
    for (let i = 0; i < 200; i++) await added(site, `p${i}`)
    const status = async () => (await post(site, { id: another('new'), name: 'N', role: 'manager' })).status
    expect(await status()).toBe(409)
    await remove(site, 'p0')
    expect([await status(), await status()]).toEqual([200, 409])
  })
})

/** Invites a person again. @returns the id of the invitation */
async function invited(site: FreshSite, id: string): Promise<string> {
  const response = await site.ask(`/people/${id}/invitations`, { method: 'POST' })
  expect(response.status).toBe(200)
  const { url } = (await response.json()) as { url: string }
  return invitationIn(url)
}

describe('an invitation', () => {
  it('is replaced by the next one, shown to the guest, used once, and adds a passkey the second time', async () => {
    const site = freshSite()
    const first = await added(site, 'anna', 'accountant')
    const second = await invited(site, 'anna')
    expect(await site.stub.invited(first)).toEqual({ ok: true, value: undefined })
    expect(await site.stub.invited(second)).toMatchObject({
      value: {
        id: 'anna',
        name: 'Name of anna',
        role: 'accountant',
        handle: expect.stringMatching(/^[\w-]{22}$/),
      },
    })
    const join = async (invitation: string, passkey: string, session = another('s')) =>
      codeOf(await site.stub.join(invitation, passkeyOf(passkey), session))
    expect([
      await join(first, 'a'),
      await join(second, 'b', 'same'),
      await join(second, 'b', 'same'),
    ]).toEqual(['auth.unauthorized', 'ok', 'ok'])
    expect(await join(second, 'c')).toBe('auth.unauthorized')
    expect(await join(await invited(site, 'anna'), 'd')).toBe('ok')
    expect((await list(site))[0]?.passkeys.map(({ id }) => id)).toEqual(['b', 'd'])
  })

  it('that 25 use at once makes one passkey and one session', async () => {
    const site = freshSite()
    const invitation = await added(site, 'anna')
    const outcomes = await Promise.all(
      Array.from({ length: 25 }, (_, n) => site.stub.join(invitation, passkeyOf(`p${n}`), `s${n}`)),
    )
    expect(outcomes.map(codeOf).toSorted()).toEqual([
      ...Array.from({ length: 24 }, () => 'auth.unauthorized'),
      'ok',
    ])
    expect((await list(site))[0]?.passkeys).toHaveLength(1)
    const admin = { actor: 'merchant', keyId: 'k', scopes: ['merchant:admin'] } as const
    expect(await site.stub.personSessions(admin, 'anna')).toMatchObject({ value: [{ personId: 'anna' }] })
  })

  it('has expired after 72 hours', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const site = freshSite()
      const invitation = await added(site, 'anna')
      vi.setSystemTime(Date.now() + 72 * 3600_000 - 1000)
      expect(await site.stub.invited(invitation)).toMatchObject({ value: { id: 'anna' } })
      vi.setSystemTime(Date.now() + 1000)
      expect(await site.stub.invited(invitation)).toEqual({ ok: true, value: undefined })
      expect(codeOf(await site.stub.join(invitation, passkeyOf('p'), 's'))).toBe('auth.unauthorized')
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the last owner with a passkey', () => {
  it.each([
    ['is not removed', (site: FreshSite) => remove(site, 'a')],
    ['keeps the role', (site: FreshSite) => patch(site, 'a', { role: 'manager' })],
    [
      'keeps the last passkey',
      async (site: FreshSite) => {
        const passkey = (await list(site))[0]?.passkeys[0]?.id
        return remove(site, `a/passkeys/${passkey}`)
      },
    ],
  ])('%s: 409, also beside an owner who has not joined', async (_, act) => {
    const site = freshSite()
    const { caller } = await joined(site, 'a', 'owner')
    await added(site, 'b', 'owner')
    await joined(site, 'c', 'manager')
    const response = await act(site)
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([
      409,
      'payin.incorrect-method-invocation',
    ])
    expect((await site.stub.settings(caller)).ok).toBe(true)
  })

  it.each([
    ['removals', (site: FreshSite, id: string) => remove(site, id)],
    ['changes', (site: FreshSite, id: string) => patch(site, id, { role: 'cashier' })],
  ])('is one of two: of %s of both at once one holds', async (_, act) => {
    const site = freshSite()
    await joined(site, 'a', 'owner')
    await joined(site, 'b', 'owner')
    const statuses = (await Promise.all([act(site, 'a'), act(site, 'b')])).map(({ status }) => status)
    expect(statuses.filter((status) => status === 409)).toHaveLength(1)
  })

  it('can be renamed', async () => {
    const site = freshSite()
    await joined(site, 'a', 'owner')
    expect((await patch(site, 'a', { name: 'Another name', role: 'owner' })).status).toBe(200)
  })
})

describe('events', () => {
  it('show the person, and who acted by the name as it is now; of a removed person as it was last', async () => {
    const site = freshSite()
    const { caller, passkey } = await joined(site, 'a', 'owner')
    await site.stub.addPerson(confirming(caller, passkey), {
      ...{ id: 'b', name: 'B', role: 'manager', handle: 'h' },
      invitation: { id: 'i', expiresAt: Math.floor(Date.now() / 1000) + 60 },
    })
    await joined(site, 'c', 'owner')
    await patch(site, 'a', { name: 'Anna' })
    const seen = async () =>
      (await site.events()).map(({ type, by, person }) => [
        type,
        by.personId ?? by.keyId,
        by.name,
        person?.name,
      ])
    const events = [
      ['person.invited', 'admin', undefined, 'Name of a'],
      ['person.joined', 'a', 'Anna', 'Name of a'],
      ['person.invited', 'a', 'Anna', 'B'],
      ['person.invited', 'admin', undefined, 'Name of c'],
      ['person.joined', 'c', 'Name of c', 'Name of c'],
      ['person.changed', 'admin', undefined, 'Anna'],
    ]
    // The label of the key is of another rule.
    const plain = async () =>
      (await seen()).map(([type, who, name, of]) => [type, who, who === 'admin' ? undefined : name, of])
    expect(await plain()).toEqual(events)
    await remove(site, 'a')
    expect((await plain()).slice(0, 3)).toEqual(events.slice(0, 3))
    expect(JSON.stringify(await site.events())).not.toContain(passkey)
  })
})
