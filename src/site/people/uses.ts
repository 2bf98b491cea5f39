// Writes that the sessions of people are used: each once a day at most, after the answers (contract, section 17).
import type { PersonSession } from '../../contract/person.ts'
import type { PeopleContext } from './rows.ts'
import { isUseDue, touchSession } from './sessions.ts'

/** What the uses need of the object: runs a write of the object itself, after the responses to the current calls. */
type WriteLater = (operation: (context: PeopleContext) => void) => Promise<void>

export class SessionUses {
  readonly #writeLater: WriteLater
  /** The sessions whose use is about to be written. */
  readonly #pending = new Set<string>()

  constructor(writeLater: WriteLater) {
    this.#writeLater = writeLater
  }

  /** A session is used. One that cannot be written now is written at its next use. @param now Unix seconds */
  add(session: PersonSession, now: number): void {
    const { id } = session
    if (!isUseDue(session, now) || this.#pending.has(id)) return
    this.#pending.add(id)
    this.#writeLater((context) => touchSession(context, id))
      .catch(() => {})
      .finally(() => this.#pending.delete(id))
  }
}
