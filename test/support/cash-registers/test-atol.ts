// ATOL Online in a history: beside any bank, with a key of ours, and callbacks that nobody signs.
import type { Random } from '../random.ts'
import type { Document } from '../receipt-history.ts'
import { type MadeDocument, type RegisterServer, sentOrLost, type TestRegister } from '../test-registers.ts'
import { FakeAtol } from './atol.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

export class TestAtol implements TestRegister, RegisterServer {
  readonly name: string
  readonly fake: FakeAtol
  readonly stated = { kind: 'atol', ffd: '1.2' } as const
  readonly settings = { taxation: 'osn', email: 'shop@shop.example', place: 'https://shop.example' }
  readonly methods = ['fullPayment', 'fullPayment', 'fullPrepayment'] as const
  readonly needsContact = false
  readonly laterContact = { phone: '+79001234567' }
  readonly secrets: Record<string, string>

  constructor(name: string, now: () => number) {
    this.name = name
    this.fake = new FakeAtol(now)
    this.secrets = {
      [this.#variable('LOGIN')]: this.fake.login,
      [this.#variable('PASSWORD')]: this.fake.password,
    }
  }

  credentials(url: string): object {
    const { group, inn } = this.fake
    return {
      ...{ kind: 'atol', baseUrl: `${url}/possystem/v5`, group, inn },
      ...{ email: 'shop@shop.example', place: 'https://shop.example' },
      ...{ login: { env: this.#variable('LOGIN') }, password: { env: this.#variable('PASSWORD') } },
    }
  }

  misbehave(random: Random): object {
    const waitMs = random.pick([0, 0, 20_000, 5 * MINUTE_MS, DAY_MS])
    const type = random.weighted({ well: 7, system: 1, agent: 1, unknown: 1 })
    const [isRefusing, isOther] = [random.chance(0.1), random.chance(0.07)]
    this.#becomes({ waitMs, type, isRefusing, isOther })
    return { waitMs, type, isRefusing, isOther }
  }

  heal(): void {
    this.#becomes({ waitMs: 0, type: 'well', isRefusing: false, isOther: false })
  }

  /** A forged one says that the document is done. */
  async callBack(random: Random, isReal: boolean): Promise<string> {
    const { fake } = this
    const documents = Array.from(fake.documents.values())
    const document = documents[random.below(Math.max(documents.length, 1))]
    if (!document) return 'there is no document'
    const sent = isReal
      ? fake.notify(document.key, 1 + random.below(2))
      : fake.callBack({ ...fake.reportOf({ ...document, doneAt: 0, error: undefined }), status: 'done' })
    return `${document.key} ${await sentOrLost(sent)}`
  }

  /** It is asked, whether its callbacks come or not. */
  async deliver(): Promise<void> {}

  endTokens(): void {
    this.fake.endTokens()
  }

  identityOf({ receiptUid }: Document): string {
    return receiptUid
  }

  made(): MadeDocument[] {
    return this.fake
      .registered()
      .map(({ key, total, number }) => ({ identity: key, total, fd: String(1_000 + number) }))
  }

  refusesForGood(): boolean {
    return false
  }

  violations(): readonly string[] {
    return this.fake.violations
  }

  #becomes(what: { waitMs: number; type: string; isRefusing: boolean; isOther: boolean }): void {
    const { waitMs, type, isRefusing, isOther } = what
    this.fake.waitMs = () => waitMs
    this.fake.fails = () => (type === 'well' ? undefined : { text: 'it fails', type })
    this.fake.refuses = () => (isRefusing ? { text: 'it is refused' } : undefined)
    this.fake.otherSum = () => (isOther ? 1 : 0)
  }

  #variable(what: string): string {
    return `${what}_${this.name.replaceAll('-', '_')}`
  }
}
