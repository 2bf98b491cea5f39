// A random history of the people of one site, beside a model of what must be so (contract, section 12).
import * as z from 'zod'
import { FeedAnswer } from '../../src/contract/event.ts'
import { SITE_ROLES, type SiteRole } from '../../src/contract/role.ts'
import { type Authenticator, softAuthenticator } from './authenticator.ts'
import { codeIn } from './passkey-pages.ts'
import { type PersonBrowser, personBrowser } from './person-at.ts'
import { type Random, randomOf } from './random.ts'
import { linkIdIn, type Site, siteAt } from './site-at.ts'

/** Which roles may cause an event. A person who joins has a role, whichever it is. */
const RIGHTS: Record<string, readonly SiteRole[]> = {
  'sale.created': ['owner', 'manager', 'cashier'],
  'sale.cancelled': ['owner', 'manager', 'cashier'],
  'refund.waiting': ['owner', 'manager'],
  'settings.changed': ['owner'],
  'person.invited': ['owner'],
  'person.changed': ['owner'],
  'person.removed': ['owner'],
  'person.joined': SITE_ROLES,
}

const PeopleAnswer = z.object({
  people: z.array(
    z.object({
      id: z.string(),
      role: z.enum(SITE_ROLES),
      removedOn: z.string().optional(),
      passkeys: z.array(z.object({ id: z.string() })),
    }),
  ),
})

/** lost: nothing tells whether it was done. */
type Answer = 'done' | 'refused' | 'lost'

interface Person {
  role: SiteRole
  isRemoved: boolean
  passkeys: string[]
  /** The code of the invitation that can be used; none where nothing tells it. */
  code?: string | undefined
}

interface Model {
  people: Record<string, Person>
  /** The sessions that go on, by their places in `#sessions`. */
  live: number[]
  hadOwner: boolean
  /** The sales and refunds that were acknowledged. */
  acts: string[]
}

interface Session {
  browser: PersonBrowser
  person: string
  passkey: string
}

interface Attempt {
  name: string
  /** undefined: either. */
  isAllowed: boolean | undefined
  send(): Promise<Answer>
  /** What it changes of the model. */
  apply?(): void
  /** Whose invitation it may end. */
  ends?: string
  /** Removes what a lost answer leaves in the way of others. */
  tidy?(): Promise<unknown>
}

export class PeopleHistory {
  readonly site: Site
  readonly problems: string[] = []
  readonly counts: Record<string, number> = {}
  readonly #origin: string
  readonly #seed: number
  readonly #random: Random
  readonly #sessions: Session[] = []
  readonly #passkeys = new Map<string, { authenticator: Authenticator; person: string }>()
  readonly #codes: { code: string; person: string }[] = []
  /** Codes of which nothing tells whether they can be used. */
  readonly #unsure = new Set<string>()
  readonly #refusedActs = new Set<string>()
  readonly #trail: string[] = []
  #number = 0
  #model: Model = { people: {}, live: [], hadOwner: false, acts: [] }
  #backup: Model | undefined

  constructor(origin: string, secret: string, seed: number) {
    this.#origin = origin
    this.#seed = seed
    this.#random = randomOf(seed)
    this.site = siteAt(() => origin, secret, `site${seed}`)
  }

  /** A till, a payment to refund, and an owner. */
  async open(): Promise<void> {
    await this.site.create('till', { amount: undefined }, { type: 'COUNTER' })
    const code = await this.site.create('paid', { amount: { value: 500 } })
    await this.site.report(linkIdIn(code), 'pay', { amount: { value: 500 } })
    await this.#do(this.#add('key', 'p0', 'owner'))
    await this.#do(await this.#join())
  }

  /** Does so many steps, and stops where an answer is lost. */
  async steps(count: number, tick: () => void): Promise<void> {
    for (let i = 0; i < count; i++) {
      const isSure = this.#random.chance(0.15) ? await this.#race() : await this.#do(await this.#attempt())
      tick()
      if (!isSure) return
    }
  }

  /** After a loss the site says what is so; of what was acknowledged it must say the same. */
  async verify(): Promise<void> {
    if (this.#pending && !(await this.#settle())) throw new Error('the service is away')
    const people = await this.#people()
    const { people: known, live } = this.#model
    const expected = Object.entries(known).map(([id, { role, isRemoved, passkeys }]) =>
      JSON.stringify([id, role, isRemoved, passkeys.toSorted()]),
    )
    const found = [...people].map(([id, { role, isRemoved, passkeys }]) =>
      JSON.stringify([id, role, isRemoved, passkeys.toSorted()]),
    )
    this.#expect('people', found.toSorted().join(), expected.toSorted().join())
    for (const place of this.#lastSessions())
      this.#expect(`session ${place}`, await this.#isLive(place), live.includes(place))
    this.#owners()
    await this.#verifyEvents()
  }

  backUp(): void {
    this.#backup = structuredClone(this.#model)
  }

  /** What a restore leaves: everything of the backup but the sessions, the invitations, and the people who were removed since. */
  async restored(): Promise<void> {
    if (!this.#backup) return
    const gone = Object.entries(this.#model.people).filter(([, { isRemoved }]) => isRemoved)
    this.#model = structuredClone(this.#backup)
    this.#model.live = []
    // The audit has the removals: they are applied again, also where nobody of the backup is left then.
    for (const [id] of gone) {
      const person = this.#model.people[id]
      if (person) Object.assign(person, { isRemoved: true, passkeys: [] })
    }
    this.#model.hadOwner = false
    for (const person of Object.values(this.#model.people)) person.code = undefined
    this.#unsure.clear()
    this.#trail.push('restore')
    for (const { code } of this.#codes.slice(-5))
      this.#expect(
        'an invitation after a restore',
        (await personBrowser(this.#origin).invitation(code)).status,
        401,
      )
    await this.verify()
  }

  /** What is not yet known, of a loss. */
  #pending: Attempt[] | undefined

  #expect(what: string, found: unknown, expected: unknown): void {
    if (found !== expected)
      this.problems.push(
        `seed ${this.#seed}, ${what}: ${found}, must be ${expected}; ${this.#trail.slice(-25).join(', ')}`,
      )
  }

  #count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1
  }

  /** @returns false where its answer is lost */
  async #do(attempt: Attempt | undefined): Promise<boolean> {
    if (!attempt) return true
    const { name, isAllowed, send, apply, ends } = attempt
    const answer = await send()
    this.#trail.push(`${name} ${answer}`)
    this.#count(`${name.split(' ')[0]} ${answer}`)
    if (answer === 'lost') {
      this.#pending = [attempt]
      return false
    }
    if (isAllowed !== undefined) this.#expect(name, answer, isAllowed ? 'done' : 'refused')
    if (answer === 'done') {
      apply?.()
      if (isAllowed === undefined && ends !== undefined) {
        this.#pending = [attempt]
        return this.#settle()
      }
    }
    this.#owners()
    return true
  }

  /** Several at once: the events say in which order they were done, and the site what is so. */
  async #race(): Promise<boolean> {
    const both = this.#owners()
    const attempts =
      both.length > 1 && this.#random.chance(0.5)
        ? this.#mutual(both)
        : this.#random.chance(0.2)
          ? await this.#joins()
          : await this.#actsAndEnd()
    if (!attempts) return false
    const sent = attempts.filter((each) => each !== undefined)
    const answers = await Promise.all(sent.map(({ send }) => send()))
    const names = sent.map(({ name }, i) => `${name} ${answers[i]}`)
    this.#trail.push(`at once (${names.join(', ')})`)
    this.#count('race')
    const joined = names.filter((name) => /^join .*done$/.test(name))
    if (joined.length > 1) this.#expect('joins by one invitation', joined.length, 1)
    for (const [i, answer] of answers.entries()) if (answer === 'done') sent[i]?.apply?.()
    this.#pending = sent
    return !answers.includes('lost') && this.#settle()
  }

  /** Asks what is so after attempts of which the answers do not tell. @returns false where the service is away */
  async #settle(): Promise<boolean> {
    try {
      await this.#adopt(this.#pending ?? [])
    } catch (error) {
      if (error instanceof TypeError) return false
      throw error
    }
    this.#pending = undefined
    this.#owners()
    return true
  }

  /** A new manager acts while that right ends. @returns undefined where an answer is lost before */
  async #actsAndEnd(): Promise<(Attempt | undefined)[] | undefined> {
    const id = `p${Object.keys(this.#model.people).length}`
    if (!(await this.#do(this.#add('key', id, 'manager')))) return undefined
    if (!(await this.#do(await this.#join(this.#codes.at(-1))))) return undefined
    const place = this.#sessionWith(id)
    const owner = this.#sessionOf('owner')
    const ends = [
      () => this.#remove('key', id),
      () => this.#remove(owner ?? 'key', id),
      () => this.#change('key', id, this.#random.pick(['accountant', 'cashier', 'owner'])),
      () => this.#endSessions(id),
    ]
    const acts = Array.from({ length: 4 }, () => this.#act(place))
    return [...acts, ends[this.#random.below(ends.length)]?.(), this.#act(place)]
  }

  /** Two owners remove each other. */
  #mutual(owners: readonly string[]): (Attempt | undefined)[] {
    const [one = '', other = ''] = owners
    const [first, second] = [this.#sessionWith(one), this.#sessionWith(other)]
    if (first === undefined || second === undefined) return []
    this.#count('mutual')
    return [this.#remove(first, other), this.#remove(second, one)]
  }

  async #joins(): Promise<(Attempt | undefined)[]> {
    const code = this.#codes.at(-1)
    return code ? [await this.#join(code), await this.#join(code), await this.#join(code)] : []
  }

  /** Takes from the site what an attempt may have changed. */
  async #adopt(attempts: readonly Attempt[]): Promise<void> {
    for (const { ends, tidy } of attempts) {
      await tidy?.()
      const person = ends === undefined ? undefined : this.#model.people[ends]
      if (!person?.code) continue
      this.#unsure.add(person.code)
      person.code = undefined
    }
    for (const [id, person] of await this.#people()) {
      const known = this.#model.people[id]
      // What was acknowledged stays so: only who is removed can have been removed by it.
      if (known?.isRemoved && !person.isRemoved) this.#expect(`${id} is removed`, false, true)
      this.#model.people[id] = { ...person, code: known?.code }
    }
    const live: number[] = []
    for (const place of this.#lastSessions()) {
      if (!(await this.#isLive(place))) continue
      live.push(place)
      if (!this.#model.live.includes(place))
        this.#expect(`session ${place}, which has ended`, 'goes on', 'ended')
    }
    this.#model.live = live
  }

  async #people(): Promise<Map<string, Person>> {
    const { people } = PeopleAnswer.parse(await this.site.value('/people'))
    return new Map(
      people.map(({ id, role, removedOn, passkeys }) => [
        id,
        { role, isRemoved: removedOn !== undefined, passkeys: passkeys.map((each) => each.id) },
      ]),
    )
  }

  #lastSessions(): number[] {
    return [...this.#sessions.keys()].slice(-12)
  }

  async #isLive(place: number): Promise<boolean> {
    const response = await this.#sessions[place]?.browser.get('me')
    await response?.body?.cancel()
    return response?.status === 200
  }

  /** A site that had an owner with a passkey has one. @returns those who can let others in */
  #owners(): string[] {
    const { people } = this.#model
    const able = Object.keys(people).filter((id) => {
      const person = people[id]
      return person?.role === 'owner' && !person.isRemoved && person.passkeys.length > 0
    })
    if (this.#model.hadOwner && able.length === 0) this.#expect('owners', 0, 'at least 1')
    this.#model.hadOwner ||= able.length > 0
    return able
  }

  /** Nobody caused an event without the right of that moment, and what was acknowledged is there. */
  async #verifyEvents(): Promise<void> {
    const { events } = FeedAnswer.parse(await this.site.value('/events?limit=1000'))
    const roles = new Map<string, string>()
    const acts = new Set<string>()
    for (const { id, type, by, person, sale, refund } of events) {
      if (type === 'person.removed' && person) roles.delete(person.id)
      const act = sale?.saleUid ?? refund?.refundUid
      if (act !== undefined) acts.add(act)
      if (by.personId !== undefined && type !== 'person.removed') {
        const role = type === 'person.joined' && person ? person.role : roles.get(by.personId)
        if (!RIGHTS[type]?.some((each) => each === role))
          this.#expect(`event ${id}, ${type} by ${by.personId}`, role, RIGHTS[type])
      }
      if (type !== 'person.removed' && person) roles.set(person.id, person.role)
    }
    for (const act of acts)
      if (this.#refusedActs.has(act)) this.#expect(`${act}, which was refused`, 'done', 'not done')
    for (const act of this.#model.acts)
      if (!acts.has(act)) this.#expect(`${act}, which was acknowledged`, 'lost', 'kept')
  }

  // What can be tried.

  #sessionWith(person: string): number | undefined {
    return this.#lastSessions().findLast((place) => this.#sessions[place]?.person === person)
  }

  #sessionOf(role: SiteRole): number | undefined {
    return this.#model.live.findLast((place) => this.#roleOf(place) === role)
  }

  /** The role that counts for a session; undefined where it has ended. */
  #roleOf(place: number): SiteRole | undefined {
    const person = this.#model.people[this.#sessions[place]?.person ?? '']
    return this.#model.live.includes(place) && person && !person.isRemoved ? person.role : undefined
  }

  /** Mostly one of a session that goes on. */
  #anySession(): number | undefined {
    const all = this.#random.chance(0.6) ? this.#model.live : this.#lastSessions()
    return all[this.#random.below(Math.max(all.length, 1))]
  }

  /** One of the newest people, or of a new one: who is removed does not come back. */
  #anyId(): string {
    const count = Object.keys(this.#model.people).length
    return `p${Math.max(0, count - 4) + this.#random.below(Math.min(count, 4) + 1)}`
  }

  async #attempt(): Promise<Attempt | undefined> {
    const present = Object.keys(this.#model.people).filter((each) => !this.#model.people[each]?.isRemoved)
    const known = present[this.#random.below(Math.max(present.length, 1))]
    const id = this.#random.chance(0.3) ? this.#anyId() : (known ?? this.#anyId())
    const by = this.#random.chance(0.5) ? (this.#anySession() ?? 'key') : 'key'
    const kind = this.#random.weighted({
      ...{ add: 5, change: 4, remove: 2, invite: 4, join: 8, signIn: 5, removePasskey: 2 },
      ...{ endSessions: 1, signOut: 2, act: 14 },
    })
    if (kind === 'add')
      return this.#add(by, id, this.#random.pick(['owner', 'owner', 'manager', 'accountant', 'cashier']))
    if (kind === 'change') return this.#change(by, id, this.#random.pick(SITE_ROLES))
    if (kind === 'remove') return this.#remove(by, id)
    if (kind === 'invite') return this.#invite(by, id)
    if (kind === 'join') return this.#join()
    if (kind === 'signIn') return this.#signIn()
    if (kind === 'removePasskey') return this.#removePasskey()
    if (kind === 'endSessions') return this.#endSessions(id)
    if (kind === 'signOut') return this.#signOut()
    return this.#act(this.#anySession())
  }

  async #byKey(path: string, method: string, body?: unknown): Promise<{ answer: Answer; text: string }> {
    try {
      const { status, text } = await this.site.ask(path, { method, body })
      return { answer: status >= 500 ? 'lost' : status < 300 ? 'done' : 'refused', text }
    } catch {
      return { answer: 'lost', text: '' }
    }
  }

  async #byForm(
    place: number,
    path: string,
    fields: Record<string, string> = {},
  ): Promise<{ answer: Answer; text: string }> {
    const { browser } = this.#sessions[place] ?? {}
    return answerOf(browser?.post(path, fields))
  }

  #send(
    by: 'key' | number,
    key: [path: string, method: string, body?: unknown],
    form: [path: string, fields?: Record<string, string>],
  ) {
    return by === 'key' ? this.#byKey(...key) : this.#byForm(by, ...form)
  }

  /** Whether the caller has the right of an owner. */
  #isOwner = (by: 'key' | number): boolean => by === 'key' || this.#roleOf(by) === 'owner'

  #isLast(id: string): boolean {
    const able = this.#owners()
    return able.length === 1 && able[0] === id
  }

  #add(by: 'key' | number, id: string, role: SiteRole): Attempt {
    const known = this.#model.people[id]
    const fields = { id, name: `Name of ${id}`, role }
    let code = ''
    return {
      name: `add ${id} ${role} by ${by}`,
      isAllowed: this.#isOwner(by) && (!known || (!known.isRemoved && known.role === role)),
      send: async () => {
        const { answer, text } = await this.#send(by, ['/people', 'POST', fields], ['people', fields])
        code = codeIn(text)
        return answer
      },
      apply: () => {
        if (known) return
        this.#model.people[id] = { role, isRemoved: false, passkeys: [], code }
        this.#codes.push({ code, person: id })
      },
    }
  }

  #change(by: 'key' | number, id: string, role: SiteRole): Attempt {
    const known = this.#model.people[id]
    const isPresent = known !== undefined && !known.isRemoved
    const fields = { name: `Name of ${id}`, role }
    return {
      name: `change ${id} ${role} by ${by}`,
      isAllowed: this.#isOwner(by) && isPresent && (known.role === role || !this.#isLast(id)),
      send: async () =>
        (await this.#send(by, [`/people/${id}`, 'PATCH', { role }], [`people/${id}`, fields])).answer,
      apply: () => {
        const person = this.#model.people[id]
        if (person) person.role = role
      },
    }
  }

  #remove(by: 'key' | number, id: string): Attempt {
    const known = this.#model.people[id]
    return {
      name: `remove ${id} by ${by}`,
      isAllowed: this.#isOwner(by) && known !== undefined && (known.isRemoved || !this.#isLast(id)),
      send: async () => (await this.#send(by, [`/people/${id}`, 'DELETE'], [`people/${id}/remove`])).answer,
      apply: () => {
        const person = this.#model.people[id]
        if (!person) return
        Object.assign(person, { isRemoved: true, code: undefined, passkeys: [] })
        this.#end(({ person: of }) => of === id)
      },
      ends: id,
    }
  }

  #end(isEnded: (session: Session) => boolean): void {
    this.#model.live = this.#model.live.filter((place) => {
      const session = this.#sessions[place]
      return session && !isEnded(session)
    })
  }

  #invite(by: 'key' | number, id: string): Attempt {
    const known = this.#model.people[id]
    let code = ''
    return {
      name: `invite ${id} by ${by}`,
      isAllowed: this.#isOwner(by) && known !== undefined && !known.isRemoved,
      send: async () => {
        const { answer, text } = await this.#send(
          by,
          [`/people/${id}/invitations`, 'POST'],
          [`people/${id}/invite`],
        )
        code = codeIn(text)
        return answer
      },
      apply: () => {
        const person = this.#model.people[id]
        if (!person) return
        person.code = code
        this.#codes.push({ code, person: id })
        for (const each of this.#codes) if (each.person === id) this.#unsure.delete(each.code)
      },
      ends: id,
    }
  }

  /** A code that can be used, or an earlier one. */
  #anyCode(): { code: string; person: string } | undefined {
    const open = this.#codes.filter(({ code, person }) => this.#model.people[person]?.code === code)
    const all = this.#random.chance(0.7) ? open : this.#codes
    return all[this.#random.below(Math.max(all.length, 1))]
  }

  async #join(of = this.#anyCode()): Promise<Attempt | undefined> {
    if (!of) return undefined
    const { code, person: id } = of
    const authenticator = await softAuthenticator()
    const browser = personBrowser(this.#origin)
    const person = this.#model.people[id]
    this.#passkeys.set(authenticator.id, { authenticator, person: id })
    return {
      name: `join ${id}`,
      isAllowed: this.#unsure.has(code) ? undefined : person?.code === code,
      send: async () => (await answerOf(browser.join(code, authenticator))).answer,
      apply: () => {
        const joined = this.#model.people[id]
        if (!joined) return
        this.#unsure.delete(code)
        if (joined.code === code) joined.code = undefined
        joined.passkeys.push(authenticator.id)
        this.#begin({ browser, person: id, passkey: authenticator.id })
      },
      ends: id,
    }
  }

  #begin(session: Session): void {
    this.#model.live.push(this.#sessions.push(session) - 1)
  }

  #signIn(): Attempt | undefined {
    const all = [...this.#passkeys].slice(-10)
    const [passkey, known] = all[this.#random.below(Math.max(all.length, 1))] ?? []
    if (passkey === undefined || !known) return undefined
    const { person: id, authenticator } = known
    const browser = personBrowser(this.#origin)
    // One that never came to a page has no user handle.
    return {
      name: `signIn ${id}`,
      isAllowed: this.#model.people[id]?.passkeys.includes(passkey) ?? false,
      send: async () => (await answerOf(browser.signIn(authenticator))).answer,
      apply: () => this.#begin({ browser, person: id, passkey }),
    }
  }

  #removePasskey(): Attempt | undefined {
    const all = [...this.#passkeys].slice(-6)
    const [passkey, known] = all[this.#random.below(Math.max(all.length, 1))] ?? []
    if (passkey === undefined || !known) return undefined
    const { person: id } = known
    const person = this.#model.people[id]
    const isLast = person?.passkeys.includes(passkey) && person.passkeys.length === 1 && this.#isLast(id)
    return {
      name: `removePasskey ${id}`,
      isAllowed: person !== undefined && !isLast,
      send: async () => (await this.#byKey(`/people/${id}/passkeys/${passkey}`, 'DELETE')).answer,
      apply: () => {
        const present = this.#model.people[id]
        if (present) present.passkeys = present.passkeys.filter((each) => each !== passkey)
        this.#end((session) => session.passkey === passkey)
      },
    }
  }

  #endSessions(id: string): Attempt {
    return {
      name: `endSessions ${id}`,
      isAllowed: this.#model.people[id] !== undefined,
      send: async () => (await this.#byKey(`/people/${id}/sessions`, 'DELETE')).answer,
      apply: () => this.#end(({ person }) => person === id),
    }
  }

  /** Of this device, or of all. */
  #signOut(): Attempt | undefined {
    const place = this.#sessionOf(this.#random.pick(SITE_ROLES))
    const session = this.#sessions[place ?? -1]
    if (place === undefined || !session) return undefined
    const isAll = this.#random.chance(0.5)
    const copy = personBrowser(this.#origin)
    for (const cookie of session.browser.cookies) copy.cookies.set(...cookie)
    return {
      name: `signOut ${session.person}`,
      isAllowed: true,
      send: async () => (await this.#byForm(place, isAll ? 'me/sessions' : 'sign-out')).answer,
      apply: () => {
        // What the browser forgets, a thief may have.
        for (const cookie of copy.cookies) session.browser.cookies.set(...cookie)
        this.#end((each) => each === session || (isAll && each.person === session.person))
      },
    }
  }

  /** Of a person, by a form of the console. */
  #act(place: number | undefined): Attempt | undefined {
    if (place === undefined) return undefined
    const kind = this.#random.pick(['sale', 'refund', 'settings'])
    const uid = `${kind}-${this.#seed}-${this.#number++}`
    const role = this.#roleOf(place)
    const of = `${kind} by ${place} ${role}`
    const record = (answer: Answer): Answer => {
      if (answer === 'refused') this.#refusedActs.add(uid)
      return answer
    }
    if (kind === 'refund') {
      const fields = { amount: '0,01', refundId: uid, confirmed: 'yes' }
      return {
        name: of,
        isAllowed: role === 'owner' || role === 'manager',
        send: async () => record((await this.#byForm(place, 'payments/pay/refund', fields)).answer),
        apply: () => void this.#model.acts.push(uid),
      }
    }
    if (kind === 'settings') {
      return {
        name: of,
        isAllowed: role === 'owner',
        send: async () => {
          const { text } = await answerOf(this.#sessions[place]?.browser.get('settings'))
          const [, etag = ''] = /name="etag" value="([^"]*)"/.exec(text) ?? []
          const fields = { name: uid, etag: etag.replaceAll('&quot;', '"') }
          return (await this.#byForm(place, 'settings', fields)).answer
        },
      }
    }
    const cancel = () => this.#byKey(`/sbp/qrCodes/till/sales/${uid}`, 'DELETE')
    return {
      name: of,
      tidy: cancel,
      // A cashier sells too, by a page of their own.
      isAllowed: role === 'cashier' ? undefined : role === 'owner' || role === 'manager',
      send: async () => {
        const { answer } = await this.#byForm(place, 'tills/till', { amount: '1,00', saleUid: uid })
        return (await cancel()).answer === 'lost' ? 'lost' : record(answer)
      },
      apply: () => void this.#model.acts.push(uid),
    }
  }
}

/** What an answer to a form says: 200 is a page that shows what was made. */
async function answerOf(request: Promise<Response> | undefined): Promise<{ answer: Answer; text: string }> {
  try {
    const response = await request
    if (!response) return { answer: 'refused', text: '' }
    const text = await response.text()
    const { status } = response
    return { answer: status >= 500 ? 'lost' : status === 200 || status === 303 ? 'done' : 'refused', text }
  } catch (error) {
    if (error instanceof SyntaxError) throw error
    return { answer: 'lost', text: '' }
  }
}
