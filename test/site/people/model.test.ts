// Histories of people, roles, invitations and sessions, with restarts of the object, beside a model of the rules (contract, section 12).
import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Caller } from '../../../src/contract/caller.ts'
import { SCOPE_OF, SITE_ROLES, type SiteRole } from '../../../src/contract/role.ts'
import type { Outcome } from '../../../src/errors.ts'
import { challenge, passkeyOf } from '../../support/people.ts'
import { creation } from '../../support/site.ts'

beforeEach(() => void vi.spyOn(console, 'log').mockReturnValue())
afterEach(() => void vi.restoreAllMocks())

const ADMIN: Caller = { actor: 'merchant', keyId: 'admin', scopes: ['merchant:admin'] }

const id = fc.nat(3).map((n) => `person-${n}`)
const role = fc.constantFrom(...SITE_ROLES)
/** The place of one of those that were made, modulo how many there are. */
const at = fc.nat(11)

const Step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), id, role }),
  fc.record({ do: fc.constant('change' as const), id, role }),
  fc.record({ do: fc.constant('remove' as const), id }),
  fc.record({ do: fc.constant('invite' as const), id, replaces: fc.boolean() }),
  fc.record({ do: fc.constant('join' as const), at }),
  fc.record({ do: fc.constant('signIn' as const), at }),
  fc.record({ do: fc.constant('removePasskey' as const), at }),
  fc.record({ do: fc.constant('endSessions' as const), id }),
  fc.record({ do: fc.constant('restart' as const) }),
  // What the Worker believed of a session, perhaps long ago; without `as`, what is so now.
  fc.record({ do: fc.constant('act' as const), at, as: fc.option(role, { nil: undefined }) }),
)
type Step = typeof Step extends fc.Arbitrary<infer Value> ? Value : never

interface Person {
  role: SiteRole
  handle: string
  isRemoved: boolean
  invitation?: { id: string; replaces: boolean } | undefined
}

/** What must be so, by the contract. */
class Model {
  readonly people = new Map<string, Person>()
  readonly passkeys = new Map<string, string>()
  readonly sessions = new Map<string, { person: string; passkey: string }>()
  /** All that were ever made, for attempts with those that have ended. */
  readonly made = {
    invitations: [] as string[],
    passkeys: [] as [string, string][],
    sessions: [] as [string, string][],
  }

  present(person: string): Person | undefined {
    const known = this.people.get(person)
    return known?.isRemoved ? undefined : known
  }

  passkeysOf(person: string): string[] {
    return [...this.passkeys].flatMap(([passkey, of]) => (of === person ? [passkey] : []))
  }

  get ableOwners(): string[] {
    return [...this.people].flatMap(([person, { role, isRemoved }]) =>
      role === 'owner' && !isRemoved && this.passkeysOf(person).length > 0 ? [person] : [],
    )
  }

  isLast(person: string): boolean {
    return this.ableOwners.length === 1 && this.ableOwners[0] === person
  }

  endPasskey(passkey: string): void {
    this.passkeys.delete(passkey)
    for (const [session, { passkey: by }] of this.sessions) if (by === passkey) this.sessions.delete(session)
  }
}

const pick = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(all.length, 1)]

/** Does a step at the site, and in the model. @returns what the site said, and what the model says */
async function run(siteId: string, model: Model, step: Step, number: number): Promise<[boolean, boolean]> {
  const stub = env.SITES.getByName(siteId)
  const said = async (outcome: Promise<Outcome<unknown>>) => (await outcome).ok
  const expiresAt = Math.floor(Date.now() / 1000) + 60
  switch (step.do) {
    case 'add': {
      const invitation = { id: `i${number}`, expiresAt }
      const known = model.people.get(step.id)
      const person = { id: step.id, name: 'N', role: step.role, handle: `h${number}`, invitation }
      const ok = await said(stub.addPerson(ADMIN, person))
      if (known) return [ok, !known.isRemoved && known.role === step.role]
      model.people.set(step.id, {
        ...{ role: step.role, handle: `h${number}`, isRemoved: false },
        invitation: { id: invitation.id, replaces: false },
      })
      model.made.invitations.push(invitation.id)
      return [ok, true]
    }
    case 'change': {
      const person = model.present(step.id)
      const may = person !== undefined && (person.role === step.role || !model.isLast(step.id))
      const ok = await said(stub.changePerson(ADMIN, step.id, { role: step.role }))
      if (person && may) person.role = step.role
      return [ok, may]
    }
    case 'remove': {
      const person = model.people.get(step.id)
      const may = person !== undefined && (person.isRemoved || !model.isLast(step.id))
      const ok = await said(stub.removePerson(ADMIN, step.id))
      if (!person || !may) return [ok, may]
      person.isRemoved = true
      person.invitation = undefined
      for (const passkey of model.passkeysOf(step.id)) model.endPasskey(passkey)
      return [ok, true]
    }
    case 'invite': {
      const person = model.present(step.id)
      const invitation = { id: `i${number}`, expiresAt, replaces: step.replaces }
      const ok = await said(stub.invite(ADMIN, step.id, invitation))
      if (person) {
        person.invitation = { id: invitation.id, replaces: step.replaces }
        model.made.invitations.push(invitation.id)
      }
      return [ok, person !== undefined]
    }
    case 'join': {
      const invitation = pick(model.made.invitations, step.at) ?? 'none'
      const joins = [`${number}a`, `${number}b`].map((each) =>
        stub.join(invitation, passkeyOf(`p${each}`), `s${each}`),
      )
      const outcomes = await Promise.all(joins)
      const [id, person] = [...model.people].find(([, each]) => each.invitation?.id === invitation) ?? []
      const isFull = id !== undefined && !person?.invitation?.replaces && model.passkeysOf(id).length >= 10
      const held = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
      if (!person || id === undefined || isFull) return [held.length > 0, false]
      if (person.invitation?.replaces) for (const passkey of model.passkeysOf(id)) model.endPasskey(passkey)
      person.invitation = undefined
      for (const { id: session, passkeyId } of held) {
        model.passkeys.set(passkeyId, id)
        model.sessions.set(session, { person: id, passkey: passkeyId })
        model.made.passkeys.push([passkeyId, id])
        model.made.sessions.push([session, id])
      }
      return [held.length === 1, true]
    }
    case 'signIn': {
      const [passkeyId = 'none', person = 'none'] = pick(model.made.passkeys, step.at) ?? []
      const handle = model.people.get(person)?.handle ?? 'none'
      const session = `s${number}`
      const asked = { handle, passkeyId, counter: 0, challenge: challenge(), session }
      const ok = await said(stub.signIn(asked))
      const may = model.passkeys.has(passkeyId)
      if (may) {
        model.sessions.set(session, { person, passkey: passkeyId })
        model.made.sessions.push([session, person])
      }
      return [ok, may]
    }
    case 'removePasskey': {
      const [passkey = 'none', person = 'none'] = pick(model.made.passkeys, step.at) ?? []
      const isLast = model.isLast(person) && model.passkeysOf(person).length === 1
      const may = model.people.has(person) && !(isLast && model.passkeys.has(passkey))
      const ok = await said(stub.removePasskey(ADMIN, person, passkey))
      if (may) model.endPasskey(passkey)
      return [ok, may]
    }
    case 'endSessions': {
      const ok = await said(stub.endPersonSessions(ADMIN, step.id))
      for (const [session, { person }] of model.sessions)
        if (person === step.id) model.sessions.delete(session)
      return [ok, model.people.has(step.id)]
    }
    case 'restart':
      await stub.wake()
      await evictDurableObject(stub)
      return [true, true]
    case 'act': {
      const [session = 'none', person = 'none'] = pick(model.made.sessions, step.at) ?? []
      const { as = model.people.get(person)?.role ?? 'owner' } = step
      const caller: Caller = {
        actor: 'merchant',
        person: { id: person, session },
        scopes: [SCOPE_OF[as]],
      }
      const may = model.sessions.has(session) && model.present(person)?.role === as
      return [await said(stub.create({ ...creation(`c${number}`), caller })), may]
    }
  }
}

it('nobody acts without the right of that moment, and a site that had an owner with a passkey has one', async () => {
  const seen = { acts: 0, refusedActs: 0, owners: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 25, maxLength: 40, size: 'max' }), async (steps) => {
      const siteId = crypto.randomUUID()
      const model = new Model()
      let hadOwner = false
      for (const [number, step] of steps.entries()) {
        const [said, expected] = await run(siteId, model, step, number)
        expect([number, step, said]).toEqual([number, step, expected])
        if (step.do === 'act') seen[said ? 'acts' : 'refusedActs']++
        const hasOwner = model.ableOwners.length > 0
        if (hadOwner) expect([number, step, hasOwner]).toEqual([number, step, true])
        hadOwner ||= hasOwner
      }
      if (hadOwner) seen.owners++
      const people = await env.SITES.getByName(siteId).people(ADMIN)
      const kept = people.ok ? people.value : []
      expect(
        kept.map((person) => [
          person.id,
          person.role,
          person.removedAt !== undefined,
          person.passkeys.length,
        ]),
      ).toEqual(
        kept.map(({ id }) => [
          id,
          model.people.get(id)?.role,
          model.people.get(id)?.isRemoved,
          model.passkeysOf(id).length,
        ]),
      )
      expect(kept).toHaveLength(model.people.size)
    }),
    // These histories have each kind of act; test/selfhost/people-histories.test.ts draws others in each run.
    { numRuns: 10, seed: 57, endOnFailure: true },
  )
  expect(Object.values(seen).every((count) => count > 0)).toBe(true)
})
