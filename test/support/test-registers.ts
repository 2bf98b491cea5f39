// Fake cash registers by what all of them can do in a history; each is a file of cash-registers/.
import type { CashRegister } from '../../src/contract/receipts/cash-register.ts'
import type { FakeBank } from './banks/fake-bank.ts'
import type { Random } from './random.ts'
import type { Document } from './receipt-history.ts'

/** A cash register with a server of its own, as a deployment has it. */
export interface RegisterServer {
  /** The name of its credentials. */
  name: string
  fake: FakeBank
  /** The connector's configuration, and its secrets by the variables that have them. */
  credentials(url: string): object
  secrets: Record<string, string>
}

/** A document that a register has made. */
export interface MadeDocument {
  /** See `identityOf`. */
  identity: string
  /** Kopecks. */
  total: number
  /** The number of the fiscal document; undefined where the register tells none. */
  fd: string | undefined
}

export interface TestRegister {
  /** The register, or the bank that has it. */
  fake: FakeBank
  /** What the operator states of it to the service. */
  stated: CashRegister
  /** What the merchant's settings of receipts have besides. */
  settings: object
  methods: readonly ['fullPayment', ...('fullPayment' | 'fullPrepayment')[]]
  /** Whether a code is refused that has none. */
  needsContact: boolean
  /** Of a payer who gave none: the merchant has another attempt made with it. */
  laterContact: object
  /** What becomes of documents from now on. @returns it, for a person */
  misbehave(random: Random): object
  /** It is well for ever. */
  heal(): void
  /** Its webhooks: of a document, late or again, or a forged one. @returns what was sent, for a person */
  callBack(random: Random, isReal: boolean): Promise<string>
  /** Sends the webhooks that wait, to a connector that runs. */
  deliver(): Promise<void>
  endTokens(): void
  /** What the register knows the document by: two of one subject have the same where it is told no key of ours. */
  identityOf(document: Document): string
  made(): MadeDocument[]
  /** Whether it makes no attempt of what has failed, whenever it is asked. */
  refusesForGood(document: Document): boolean
  /** What requests broke: a history expects none. */
  violations(): readonly string[]
}

/** Kopecks of a document. */
export const kopecksOf = ({ amount }: Document): number => Math.round(Number(amount.value) * 100)

/** A webhook of a connector that is down is lost. */
export const sentOrLost = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'sent',
    () => 'lost',
  )
