// The interface that each cash register in cash-registers/ implements. Amounts are kopecks, times Unix milliseconds; what a register lacks is absent.
import * as z from 'zod'
import type { CheckResult, WebhookRequest } from '../partner.ts'

export type DocumentKind = 'sale' | 'refund' | 'closing'

/** A line of a document. The words are those of the instruction (contract, section 18). */
export interface Item {
  name: string
  price: number
  /** Thousandths. */
  quantity: number
  amount: number
  /** As the document states it: of a prepayment the computed rate, such as `22/122`. */
  vat: string
  method: string
  object: string
  /** The number of tag 2108. */
  unit: number
}

export type Contact = { email: string } | { phone: string }

/** What a document is of. */
export interface DocumentId {
  /** The receiptUid: the same on any disk, another for another attempt. 32 of `A-Z 0-9`. */
  key: string
  kind: DocumentKind
  site: string
  paymentUid: string
  refundUid: string | undefined
  closingUid: string | undefined
  amount: number
}

/** A document to be registered. */
export interface NewDocument extends DocumentId {
  qrcId: string
  /** Of the payment at its bank, without the bank's name; undefined where the service has none. */
  reference: string | undefined
  /** Of the payment, the refund or the closing. */
  dateTime: number
  /** The version of the format of fiscal data. */
  ffd: string
  items: readonly Item[]
  taxation: string | undefined
  contact: Contact | undefined
  /** The address of the shop in the internet, and its e-mail, where the site's settings state them. */
  place: string | undefined
  email: string | undefined
  /** Of a refund: whether it is of a whole, untouched payment. */
  isWholePayment: boolean
}

/** Fiscal data: what the register does not state is absent. */
export const Fiscal = z.object({
  fn: z.string().exactOptional(),
  fd: z.string().exactOptional(),
  fpd: z.string().exactOptional(),
  registration: z.string().exactOptional(),
  shift: z.string().exactOptional(),
  number: z.string().exactOptional(),
  /** ISO 8601 with an offset. */
  dateTime: z.string().exactOptional(),
  /** Where the receipt can be read. It can show the payer's contact. */
  url: z.string().exactOptional(),
})
export type Fiscal = z.output<typeof Fiscal>
export const FISCAL_FIELDS = Fiscal.keyof().options

/** The document as the register states it; `note` is the register's own text for later calls of `state`. */
export type DocumentState =
  | { status: 'REGISTERED'; fiscal: Fiscal }
  /** The register states that it made no document, and will make none. `canRetry`: another attempt makes no second document. */
  | { status: 'FAILED'; reason: string; canRetry: boolean }
  /** The register has it. */
  | { status: 'PENDING'; note: string }
  /** Nothing that the register says decides: the operator looks there. */
  | { status: 'IN_DOUBT'; reason: string; note?: string }

/** What a webhook of a register names. Nobody has signed it, so nothing of it is believed: the document is asked about. */
export interface RegisterWebhook {
  /** The key of the document, or the register's note. */
  key?: string
  note?: string
}

/**
 * How it is found what became of a request whose answer was lost. `KEY`: `state` asks by our key. `REPEAT`: the same request,
 * byte for byte, is answered with the first document. `NEVER`: not at all. See rule.ts.
 */
export type Asks = 'KEY' | 'REPEAT' | 'NEVER'

/** One set of credentials at a cash register, or a service of them. */
export interface CashRegister {
  /** As messages name it. */
  title: string
  /** The owner of the credentials: under it a key names one document. */
  identity: string
  asks: Asks
  /** The kinds of documents that are a part of the bank's calls: nothing is sent, and the register's notification is awaited. */
  rides: readonly DocumentKind[]
  /** The body of the response to a webhook. */
  webhookAnswer: string
  /** What the register cannot do, for `check`. */
  lacks: readonly string[]

  /**
   * The text of the request that registers a document, without a secret. It is on disk before it is sent, and is sent again as it
   * is. The same document and configuration give the same text.
   * @throws Refused where the register has no word for something of it
   */
  requestOf(document: NewDocument): string
  /**
   * Sends a stored request.
   * @throws Refused only where the register's document says that nothing was done
   */
  register(request: string, document: DocumentId): Promise<DocumentState>
  /**
   * Left out where a document cannot be asked about.
   * @param note of PENDING or IN_DOUBT; empty where there is none: then the key asks, of a register that asks by `KEY`
   * @throws NotKnown where the register states that it does not have the document
   */
  state?(document: DocumentId, note: string): Promise<DocumentState>
  /**
   * Left out where the register sends none to `/webhooks/receipts/{name}`.
   * @returns undefined for one that names no document
   */
  verify?(request: WebhookRequest): RegisterWebhook | undefined
  checkCredentials(): Promise<CheckResult[]>
}
