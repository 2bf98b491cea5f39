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
import type { MonthFigures, SiteSettlement } from '../contract/settlements/figures.ts'
import type { ListedSite, SitesQuery } from '../contract/site-list.ts'
import type { Outcome } from '../errors.ts'
import { endSession, openSession, readSession } from '../site/access/sessions.ts'
import { migrate } from '../site/database/schema.ts'
import { KEY_REVOKED, ok } from '../site/outcomes.ts'
import { useOperatorsConfirmation } from '../site/people/confirmation.ts'
import { passkeyOfHandle } from '../site/people/passkeys.ts'
import { type Added, addPerson, listPeople } from '../site/people/people.ts'
import type { PeopleContext } from '../site/people/rows.ts'
import { endPersonSession, sessionOfPerson, touchSession } from '../site/people/sessions.ts'
import { recordHandle, siteOfHandle } from './handles.ts'
import { admitOperator, isRevoked, listOperatorKeys, revokeOperatorKey } from './keys.ts'
import { recordBackup, recordStart, recordStop } from './machine.ts'
import {
  addOwnPasskey,
  change,
  endSessionsBy,
  inviteAgain,
  invitedBy,
  joinBy,
  personSessions,
  remove,
  removePasskeyBy,
  signInBy,
} from './people.ts'
import { recordSettlements, settlementsOf } from './settlements.ts'
import { listSites, REGISTRY_SCHEMA, recordSite, totalsOf } from './sites.ts'

/** A call that writes has its answer when that is on disk: the platform's output gate delays it. */
export class Registry extends DurableObject {
  #hasTables = false

  /** Records what a site tells. */
  async record(site: string, entry: RegistryEntry): Promise<void> {
    if (recordSite(this.#sql, site, entry)) return
    const message = 'a site has another database than the registry knows'
    console.log(logLine(Date.now(), 'warning', message, { site }))
  }

  /** Records the settlement that a site tells: all of its months. */
  async recordSettlements(site: string, months: MonthFigures[]): Promise<void> {
    this.#write(({ sql }) => recordSettlements(sql, site, months))
  }

  /** The settlement of all sites in a month. */
  async settlements(month: string): Promise<SiteSettlement[]> {
    return settlementsOf(this.#sql, month)
  }

  /** A page of the sites, by their names; one more than the limit says that there are more. */
  async list(query: SitesQuery): Promise<ListedSite[]> {
    return listSites(this.#sql, query)
  }

  /** The figures of all sites. */
  async totals({ test }: { test: boolean }): Promise<Totals> {
    return totalsOf(this.#sql, test)
  }

  /** A backup of all sites is complete. */
  async recordBackup(): Promise<void> {
    recordBackup(this.#sql, Date.now())
  }

  /** The process is told to stop. */
  async recordStop(): Promise<void> {
    recordStop(this.#sql)
  }

  /** A process has started. @param process tells it from others */
  async recordStart(process: number): Promise<void> {
    recordStart(this.#sql, process)
  }

  /** Admits an operator to an operation, unless the key is revoked. */
  async admitOperator(caller: Caller, isChange: boolean): Promise<Outcome<void>> {
    return isChange ? this.#change(caller, () => ok(undefined)) : this.#act(caller, () => ok(undefined))
  }

  /** The keys of operators that were used or revoked. */
  async operatorKeys(): Promise<OperatorKey[]> {
    return listOperatorKeys(this.#sql)
  }

  /** Revokes a key of an operator. @param by the key of the operator who asks @param refused those of REVOKED_KEYS */
  async revokeOperatorKey(
    by: string | undefined,
    id: string,
    refused: readonly string[],
  ): Promise<Outcome<string | undefined>> {
    return revokeOperatorKey(this.#sql, id, { by, refused, now: now() })
  }

  /** Records which site a WebAuthn user handle is of, before its passkey is stored; OPERATOR for the deployment's. */
  async recordHandle(handle: string, siteId: string): Promise<void> {
    recordHandle(this.#sql, handle, siteId)
  }

  /** The site of a user handle; undefined for an unknown one. */
  async siteOfHandle(handle: string): Promise<string | undefined> {
    return siteOfHandle(this.#sql, handle)
  }

  /** Begins a session of the operator, unless the key is revoked. */
  async openSession(session: NewSession): Promise<Outcome<void>> {
    if (isRevoked(this.#sql, session.keyId)) return KEY_REVOKED
    return openSession(this.#sql, session, now())
  }

  /** A session of a key or of a person; undefined if it is unknown, or has ended. */
  async session(id: string): Promise<AnySession | undefined> {
    const context = this.#context
    touchSession(context, id)
    return readSession(context.sql, id, context.now) ?? sessionOfPerson(context, id)
  }

  async endSession(id: string): Promise<void> {
    endSession(this.#sql, id)
    endPersonSession(this.#sql, id)
  }

  /** The people of the deployment, also those who were removed. */
  async people(caller: Caller): Promise<Outcome<Person[]>> {
    return this.#act(caller, (context) => ok(listPeople(context)))
  }

  /** Adds a person, who is invited. */
  async addPerson(caller: Caller, person: NewPerson): Promise<Outcome<Added>> {
    return this.#change(caller, (context) => addPerson(context, person))
  }

  async changePerson(caller: Caller, id: string, fields: PersonChange): Promise<Outcome<Person>> {
    return this.#change(caller, (context) => change(context, id, fields))
  }

  /** Removes a person; a second call changes nothing. */
  async removePerson(caller: Caller, id: string): Promise<Outcome<void>> {
    return this.#change(caller, (context) => remove(context, id))
  }

  /** Invites a person again, which ends the earlier invitation. */
  async invite(caller: Caller, id: string, invitation: Invitation): Promise<Outcome<void>> {
    return this.#change(caller, (context) => inviteAgain(context, id, invitation))
  }

  /** Whom an invitation is for; undefined if it cannot be used. */
  async invited(invitationId: string): Promise<Outcome<Invited | undefined>> {
    return ok(invitedBy(this.#context, invitationId))
  }

  /** Uses an invitation up: stores the passkey and begins the session. */
  async join(invitationId: string, passkey: NewPasskey, session: string): Promise<Outcome<PersonSession>> {
    return this.#write((context) => joinBy(context, invitationId, passkey, session))
  }

  /** The person with a user handle, and the passkey that checks an assertion; undefined where there is none. */
  async passkey(handle: string, passkeyId: string): Promise<Outcome<PasskeyOfPerson | undefined>> {
    return ok(passkeyOfHandle(this.#context, handle, passkeyId))
  }

  /** Begins a session by an assertion that was verified. */
  async signIn(asked: SignIn): Promise<Outcome<PersonSession>> {
    return this.#write((context) => signInBy(context, asked))
  }

  /** Adds a passkey of the person who calls. */
  async addPasskey(caller: Caller, passkey: NewPasskey, challenge: UsedChallenge): Promise<Outcome<void>> {
    return this.#change(caller, (context) => addOwnPasskey(context, caller, passkey, challenge))
  }

  async removePasskey(caller: Caller, personId: string, passkeyId: string): Promise<Outcome<void>> {
    return this.#change(caller, (context) => removePasskeyBy(context, caller, personId, passkeyId))
  }

  /** The sessions of a person that go on, the newest first. */
  async personSessions(caller: Caller, personId: string): Promise<Outcome<PersonSession[]>> {
    return this.#act(caller, (context) => personSessions(context, caller, personId))
  }

  /** Ends the sessions of a person, or one of them. */
  async endPersonSessions(caller: Caller, personId: string, session?: string): Promise<Outcome<void>> {
    return this.#act(caller, (context) => endSessionsBy(context, caller, personId, session))
  }

  /** What an operator asks of the people, in one transaction with the admission. */
  #act<T>(caller: Caller, work: (context: PeopleContext) => Outcome<T>): Outcome<T> {
    return this.#write((context) => {
      const admitted = admitOperator(context.sql, caller, context.now)
      return admitted.ok ? work(context) : admitted
    })
  }

  /** The same of a change, which a person confirms by passkey. */
  #change<T>(caller: Caller, work: (context: PeopleContext) => Outcome<T>): Outcome<T> {
    return this.#act(caller, (context) => useOperatorsConfirmation(context, caller) ?? work(context))
  }

  #write<T>(work: (context: PeopleContext) => T): T {
    const context = this.#context
    return this.ctx.storage.transactionSync(() => work(context))
  }

  get #context(): PeopleContext {
    return { sql: this.#sql, now: now() }
  }

  get #sql(): SqlStorage {
    if (!this.#hasTables) migrate(this.ctx.storage, REGISTRY_SCHEMA)
    this.#hasTables = true
    return this.ctx.storage.sql
  }
}

/** Unix seconds. */
const now = (): number => Math.floor(Date.now() / 1000)
