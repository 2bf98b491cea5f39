// The sales at one cashbox code of the fake Pay Gateway, and whether a call has ended another sale than the one that it was for.
import type { Activation, Code } from './records.ts'

export class CashboxSales {
  current: Activation | undefined
  /**
   * The sales of other programs that a call of ours ended, although the question before it had stated them, or was not asked; and
   * those of ours that no question had stated.
   */
  readonly wronglyEnded: string[] = []
  readonly #code: Code
  readonly #now: () => number
  /** The order of all calls. */
  #calls = 0
  /** The last question about the code since the last call that changed it. */
  #askedAt: number | undefined

  constructor(code: Code, now: () => number) {
    this.#code = code
    this.#now = now
  }

  /** A second activation takes the place of the first one. */
  activate(activation: Omit<Activation, 'begun'>): Activation {
    if (!activation.isForeign) this.#endsAnother('was replaced')
    this.current = { ...activation, begun: ++this.#calls }
    return this.current
  }

  /** Ends whichever sale is current. */
  deactivate(): void {
    this.#endsAnother('was deactivated')
    this.current = undefined
  }

  status(): { status: 'INACTIVATED' | 'WAITING_PAYMENT' | 'IN_PROGRESS'; activationUid?: string } {
    this.#askedAt = ++this.#calls
    const { open } = this
    if (!open) return { status: 'INACTIVATED' }
    const { activationUid } = open
    const isInProgress = this.#code.payments.some(
      (payment) => payment.activationUid === activationUid && payment.status.value === 'WAITING',
    )
    return { status: isInProgress ? 'IN_PROGRESS' : 'WAITING_PAYMENT', activationUid }
  }

  /** The sale that can be paid. */
  get open(): Activation | undefined {
    return this.current && this.#now() < this.current.expiresAt ? this.current : undefined
  }

  /** Only another program's sale that began after the question can be ended without fault: no call ends one sale alone. */
  #endsAnother(how: string): void {
    const { open } = this
    const askedAt = this.#askedAt
    const wasStated = open !== undefined && askedAt !== undefined && open.begun < askedAt
    if (open && (open.isForeign ? wasStated || askedAt === undefined : !wasStated))
      this.wronglyEnded.push(`${open.activationUid} at ${this.#code.qrcId} ${how}`)
    this.#calls++
    this.#askedAt = undefined
  }
}
