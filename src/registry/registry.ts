// The registry, one Durable Object of the deployment, and the only store of: the list of sites, operators' sessions and keys.
import { DurableObject } from 'cloudflare:workers'
import type { Caller } from '../contract/caller.ts'
import { logLine } from '../contract/log-line.ts'
import type { OperatorKey } from '../contract/operator-key.ts'
import type {
  Invitation,
  Invited,
  NewPasskey,
  NewPerson,
  PasskeyOfPerson,
  Person,
  PersonChange,
  PersonSession,
  SignIn,
  UsedChallenge,
} from '../contract/person.ts'
import type { RegistryEntry, Totals } from '../contract/registry-entry.ts'
import type { AnySession, NewSession } from '../contract/session.ts'
import type { MonthFigures, SiteSettlement } from '../contract/settlements/month-figures.ts'
import type { ListedSite, SitesQuery } from '../contract/site-list.ts'
import type { Outcome } from '../errors.ts'
import { lazily } from '../lazily.ts'
import { migrate } from '../site/database/schema.ts'
import { KEY_REVOKED, ok } from '../site/outcomes.ts'
import type { Added } from '../site/people/people.ts'
import type { PeopleContext } from '../site/people/rows.ts'
import type { Functions } from './registry-functions.ts'

const loaded = lazily(async () => (await import('./registry-functions.ts')).FUNCTIONS)

/** A call that writes has its answer when that is on disk: the platform's output gate delays it. */
export class Registry extends DurableObject {
  #hasTables = false

  /** Records what a site tells. */
  async record(site: string, entry: RegistryEntry): Promise<void> {
    if (await this.#run(({ recordSite }, { sql }) => recordSite(sql, site, entry))) return
    const message = 'a site has another database than the registry knows'
    console.log(logLine(Date.now(), 'warning', message, { site }))
  }

  /** Records the settlement that a site tells: all of its months. */
  recordSettlements(site: string, months: MonthFigures[]): Promise<void> {
    return this.#write(({ recordSettlements }, { sql }) => recordSettlements(sql, site, months))
  }

  /** The settlement of all sites in a month. */
  settlements(month: string): Promise<SiteSettlement[]> {
    return this.#run(({ settlementsOf }, { sql }) => settlementsOf(sql, month))
  }

  /** A page of the sites, by their names; one more than the limit says that there are more. */
  list(query: SitesQuery): Promise<ListedSite[]> {
    return this.#run(({ listSites }, { sql }) => listSites(sql, query))
  }

  /** The figures of all sites. */
  totals({ test }: { test: boolean }): Promise<Totals> {
    return this.#run(({ totalsOf }, { sql }) => totalsOf(sql, test))
  }

  /** A backup of all sites is complete. */
  recordBackup(): Promise<void> {
    return this.#run(({ recordBackup }, { sql }) => recordBackup(sql, Date.now()))
  }

  /** The process is told to stop. */
  recordStop(): Promise<void> {
    return this.#run(({ recordStop }, { sql }) => recordStop(sql))
  }

  /** A process has started. @param process tells it from others */
  recordStart(process: number): Promise<void> {
    return this.#run(({ recordStart }, { sql }) => recordStart(sql, process))
  }

  /** Admits an operator to an operation, unless the key is revoked. */
  async admitOperator(caller: Caller, isChange: boolean): Promise<Outcome<void>> {
    return isChange ? this.#change(caller, () => ok(undefined)) : this.#act(caller, () => ok(undefined))
  }

  /** The keys of operators that were used or revoked. */
  operatorKeys(): Promise<OperatorKey[]> {
    return this.#run(({ listOperatorKeys }, { sql }) => listOperatorKeys(sql))
  }

  /** Revokes a key of an operator. @param by the key of the operator who asks @param refused those of REVOKED_KEYS */
  revokeOperatorKey(
    by: string | undefined,
    id: string,
    refused: readonly string[],
  ): Promise<Outcome<string | undefined>> {
    return this.#run(({ revokeOperatorKey }, { sql, now }) =>
      revokeOperatorKey(sql, id, { by, refused, now }),
    )
  }

  /** Records which site a WebAuthn user handle is of, before its passkey is stored; OPERATOR for the deployment's. */
  recordHandle(handle: string, siteId: string): Promise<void> {
    return this.#run(({ recordHandle }, { sql }) => recordHandle(sql, handle, siteId))
  }

  /** The site of a user handle; undefined for an unknown one. */
  siteOfHandle(handle: string): Promise<string | undefined> {
    return this.#run(({ siteOfHandle }, { sql }) => siteOfHandle(sql, handle))
  }

  /** Begins a session of the operator, unless the key is revoked. */
  openSession(session: NewSession): Promise<Outcome<void>> {
    return this.#run(({ isRevoked, openSession }, { sql, now }) =>
      isRevoked(sql, session.keyId) ? KEY_REVOKED : openSession(sql, session, now),
    )
  }

  /** A session of a key or of a person; undefined if it is unknown, or has ended. */
  session(id: string): Promise<AnySession | undefined> {
    return this.#run(({ readSession, sessionOfPerson, touchSession }, context) => {
      touchSession(context, id)
      return readSession(context.sql, id, context.now) ?? sessionOfPerson(context, id)
    })
  }

  endSession(id: string): Promise<void> {
    return this.#run(({ endPersonSession, endSession }, { sql }) => {
      endSession(sql, id)
      endPersonSession(sql, id)
    })
  }

  /** The people of the deployment, also those who were removed. */
  async people(caller: Caller): Promise<Outcome<Person[]>> {
    return this.#act(caller, ({ listPeople }, context) => ok(listPeople(context)))
  }

  /** Adds a person, who is invited. */
  async addPerson(caller: Caller, person: NewPerson): Promise<Outcome<Added>> {
    return this.#change(caller, ({ addPerson }, context) => addPerson(context, person))
  }

  async changePerson(caller: Caller, id: string, fields: PersonChange): Promise<Outcome<Person>> {
    return this.#change(caller, ({ change }, context) => change(context, id, fields))
  }

  /** Removes a person; a second call changes nothing. */
  async removePerson(caller: Caller, id: string): Promise<Outcome<void>> {
    return this.#change(caller, ({ remove }, context) => remove(context, id))
  }

  /** Invites a person again, which ends the earlier invitation. */
  async invite(caller: Caller, id: string, invitation: Invitation): Promise<Outcome<void>> {
    return this.#change(caller, ({ inviteAgain }, context) => inviteAgain(context, id, invitation))
  }

  /** Whom an invitation is for; undefined if it cannot be used. */
  invited(invitationId: string): Promise<Outcome<Invited | undefined>> {
    return this.#run(({ invitedBy }, context) => ok(invitedBy(context, invitationId)))
  }

  /** Uses an invitation up: stores the passkey and begins the session. */
  async join(invitationId: string, passkey: NewPasskey, session: string): Promise<Outcome<PersonSession>> {
    return this.#write(({ joinBy }, context) => joinBy(context, invitationId, passkey, session))
  }

  /** The person with a user handle, and the passkey that checks an assertion; undefined where there is none. */
  passkey(handle: string, passkeyId: string): Promise<Outcome<PasskeyOfPerson | undefined>> {
    return this.#run(({ passkeyOfHandle }, context) => ok(passkeyOfHandle(context, handle, passkeyId)))
  }

  /** Begins a session by an assertion that was verified. */
  async signIn(asked: SignIn): Promise<Outcome<PersonSession>> {
    return this.#write(({ signInBy }, context) => signInBy(context, asked))
  }

  /** Adds a passkey of the person who calls. */
  async addPasskey(caller: Caller, passkey: NewPasskey, challenge: UsedChallenge): Promise<Outcome<void>> {
    return this.#change(caller, ({ addOwnPasskey }, context) =>
      addOwnPasskey(context, caller, passkey, challenge),
    )
  }

  async removePasskey(caller: Caller, personId: string, passkeyId: string): Promise<Outcome<void>> {
    return this.#change(caller, ({ removePasskeyBy }, context) =>
      removePasskeyBy(context, caller, personId, passkeyId),
    )
  }

  /** The sessions of a person that go on, the newest first. */
  async personSessions(caller: Caller, personId: string): Promise<Outcome<PersonSession[]>> {
    return this.#act(caller, ({ personSessions }, context) => personSessions(context, caller, personId))
  }

  /** Ends the sessions of a person, or one of them. */
  async endPersonSessions(caller: Caller, personId: string, session?: string): Promise<Outcome<void>> {
    return this.#act(caller, ({ endSessionsBy }, context) =>
      endSessionsBy(context, caller, personId, session),
    )
  }

  /** What an operator asks of the people, in one transaction with the admission. */
  #act<T>(
    caller: Caller,
    work: (functions: Functions, context: PeopleContext) => Outcome<T>,
  ): Promise<Outcome<T>> {
    return this.#write((functions, context) => {
      const admitted = functions.admitOperator(context.sql, caller, context.now)
      return admitted.ok ? work(functions, context) : admitted
    })
  }

  /** The same of a change, which a person confirms by passkey. */
  #change<T>(
    caller: Caller,
    work: (functions: Functions, context: PeopleContext) => Outcome<T>,
  ): Promise<Outcome<T>> {
    return this.#act(
      caller,
      (functions, context) => functions.useOperatorsConfirmation(context, caller) ?? work(functions, context),
    )
  }

  #write<T>(work: (functions: Functions, context: PeopleContext) => T): Promise<T> {
    return this.#run((functions, context) => this.ctx.storage.transactionSync(() => work(functions, context)))
  }

  /** Runs a function on the tables, which the first call makes. */
  async #run<T>(work: (functions: Functions, context: PeopleContext) => T): Promise<T> {
    const functions = await loaded()
    if (!this.#hasTables) migrate(this.ctx.storage, functions.REGISTRY_SCHEMA)
    this.#hasTables = true
    return work(functions, { sql: this.ctx.storage.sql, now: Math.floor(Date.now() / 1000) })
  }
}
