// Which payments of Tochka Pay Gateway are money, and which codes take it: those of its test do not, unless the credentials are for tests.
import type { BankContext } from '../bank-kind.ts'
import type { Code, Payment } from './answers.ts'

type Operator = Pick<BankContext, 'noteTestPayment' | 'noteTestCode'>

/** So many numbers are kept in memory. */
const MAX_ALERTED = 1_000

export class TestPayments {
  readonly #isTest: boolean
  readonly #operator: Operator
  readonly #alerted = new Set<string>()

  /**
   * @param isTest whether the credentials are for tests
   * @param operator is told of what is of a test otherwise
   */
  constructor(isTest: boolean, operator: Operator) {
    this.#isTest = isTest
    this.#operator = operator
  }

  /** Tells the operator of a registered code by which nobody can pay money. */
  noteCode({ qrcId, isTest }: Pick<Code, 'qrcId' | 'isTest'>): void {
    if (isTest && !this.#isTest) this.#operator.noteTestCode(qrcId)
  }

  /** Whether the payment is reported. One that is not alerts the operator once, however often the bank states it. */
  isReported({ paymentUid, isTest }: Pick<Payment, 'paymentUid' | 'isTest'>): boolean {
    if (!isTest || this.#isTest) return true
    if (this.#alerted.has(paymentUid)) return false
    if (this.#alerted.size >= MAX_ALERTED) this.#alerted.clear()
    this.#alerted.add(paymentUid)
    this.#operator.noteTestPayment(paymentUid)
    return false
  }
}
