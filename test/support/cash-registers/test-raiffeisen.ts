// Raiffeisenbank's own cash register in a history: documents by a number of ours, which are asked about; it tells of none by itself.
import { FakeRaiffeisen } from '../banks/raiffeisen.ts'
import type { Random } from '../random.ts'
import type { Document } from '../receipt-history.ts'
import type { TestBank } from '../test-banks.ts'
import type { MadeDocument, TestRegister } from '../test-registers.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** As long as a registration takes at least. */
const REGISTRATION_MS = 5_000

export class TestRaiffeisenRegister implements TestRegister {
  readonly fake: FakeRaiffeisen
  /** The rate of today, which the bank's document lacks. */
  readonly stated = { kind: 'raiffeisen', ffd: '1.05', vats: ['22'] } as const
  readonly settings = {}
  readonly methods = ['fullPayment'] as const
  readonly needsContact = false
  readonly laterContact = { email: 'later@mail.example' }

  constructor({ fake, name }: TestBank) {
    if (!(fake instanceof FakeRaiffeisen)) throw new Error(`${name} is not Raiffeisenbank`)
    this.fake = fake
  }

  misbehave(random: Random): object {
    const registrationMs = random.pick([REGISTRATION_MS, REGISTRATION_MS, 5 * MINUTE_MS, DAY_MS])
    const result = random.weighted({ DONE: 7, FAILED: 2 })
    const waiting = random.pick(['IN_PROGRESS', 'AWAITING'])
    const refusal = random.chance(0.1) ? 'MERCHANT_NOT_FOUND' : undefined
    const otherSum = random.chance(0.07) ? 1 : 0
    const what = { registrationMs, result, waiting, refusal, otherSum }
    Object.assign(this.fake.register, what)
    return what
  }

  heal(): void {
    const { register } = this.fake
    register.registrationMs = REGISTRATION_MS
    register.result = 'DONE'
    register.refusal = undefined
    register.otherSum = 0
  }

  async callBack(): Promise<string> {
    return 'it has no webhooks'
  }

  async deliver(): Promise<void> {}

  /** There are none. */
  endTokens(): void {}

  identityOf({ receiptUid }: Document): string {
    return receiptUid
  }

  made(): MadeDocument[] {
    return this.fake.register.made().map(({ number, total }) => ({ identity: number, total, fd: undefined }))
  }

  refusesForGood(): boolean {
    return false
  }

  violations(): readonly string[] {
    return this.fake.register.violations
  }
}
