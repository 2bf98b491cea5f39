// T-Bank's own cash register in a history: it makes documents with the bank's calls, knows no key of ours, and tells of them once.
import { FakeTBank } from '../banks/tbank.ts'
import { kindOf } from '../banks/tbank-register.ts'
import type { Random } from '../random.ts'
import type { Document } from '../receipt-history.ts'
import type { TestBank } from '../test-banks.ts'
import { kopecksOf, type MadeDocument, sentOrLost, type TestRegister } from '../test-registers.ts'

export class TestTBankRegister implements TestRegister {
  readonly fake: FakeTBank
  readonly stated = { kind: 'tbank', ffd: '1.2' } as const
  readonly settings = { taxation: 'osn' }
  readonly methods = ['fullPayment', 'fullPrepayment'] as const
  readonly needsContact = true
  readonly laterContact = { phone: '+79001234567' }
  readonly #bank: TestBank

  constructor(bank: TestBank) {
    if (!(bank.fake instanceof FakeTBank)) throw new Error(`${bank.name} is not T-Bank`)
    this.#bank = bank
    this.fake = bank.fake
    this.fake.register.isConnected = true
  }

  misbehave(random: Random): object {
    const notifies = random.pick(['after', 'after', 'before', 'later'])
    const isSlow = random.chance(0.2)
    const failures = random.chance(0.2) ? ['Касса не отвечает'] : []
    this.#becomes({ notifies, isSlow, failures })
    return { notifies, isSlow, failures }
  }

  heal(): void {
    this.#becomes({ notifies: 'after', isSlow: false, failures: [] })
    this.#bank.finishRefunds(true)
  }

  /** A forged one has another number than was signed. */
  async callBack(random: Random, isReal: boolean): Promise<string> {
    const { fake } = this
    this.#bank.finishRefunds(random.chance(0.9))
    const { madeNotices } = fake
    const notice = madeNotices[random.below(Math.max(madeNotices.length, 1))]
    if (!notice) return 'there is no document'
    if (isReal && random.chance(0.6)) {
      const times = 1 + random.below(2)
      return `those that wait, ${times} times: ${await sentOrLost(fake.deliverReceipts({ times }))}`
    }
    const changes = isReal ? {} : { Success: true, FiscalDocumentNumber: 666 }
    const sent = await sentOrLost(fake.deliverReceipt(notice, {}, changes))
    return `${JSON.stringify({ ...notice, ...changes })} ${sent}`
  }

  async deliver(): Promise<void> {
    await this.fake.deliverReceipts()
  }

  /** There are none. */
  endTokens(): void {}

  identityOf(document: Document): string {
    return identity({ ...document, total: kopecksOf(document) })
  }

  made(): MadeDocument[] {
    return this.fake.register.documents.map((document) => {
      const { number, amount: total } = document
      const paymentId = this.fake.sessions.get(document.paymentId)?.qrcId ?? ''
      return { identity: identity({ kind: kindOf(document), paymentId, total }), total, fd: String(number) }
    })
  }

  /** A payment of which a part went back cannot be closed. */
  refusesForGood({ kind, paymentId }: Document): boolean {
    return kind === 'closing' && this.fake.session(paymentId).status !== 'CONFIRMED'
  }

  violations(): readonly string[] {
    return this.fake.register.violations
  }

  #becomes(what: { notifies: 'after' | 'before' | 'later'; isSlow: boolean; failures: string[] }): void {
    const { register } = this.fake
    register.notifies = what.notifies
    register.failures.splice(0, Number.POSITIVE_INFINITY, ...what.failures)
    this.#bank.slowRefunds(what.isSlow)
  }
}

const identity = ({ kind, paymentId, total }: { kind: string; paymentId: string; total: number }): string =>
  `${kind} of ${paymentId}, ${total}`
