// The cash register of the fake Raiffeisenbank: documents by the merchant's number, created, registered and asked about.
import * as z from 'zod'
import type { BankReply } from './fake-bank.ts'

const Receipt = z.looseObject({
  receiptNumber: z.string().regex(/^[A-Za-z0-9_-]{1,99}$/),
  client: z.looseObject({ email: z.string().max(64) }),
  items: z.array(z.looseObject({ name: z.string().max(128), amount: z.number() })).min(1),
  total: z.number(),
})

interface Document {
  type: 'SELL' | 'REFUND'
  status: 'NEW' | 'IN_PROGRESS' | 'DONE' | 'FAILED' | 'AWAITING'
  receipt: z.output<typeof Receipt>
  registeredAt: number
  /** How much more it states than it was sent, in kopecks. */
  otherSum: number
  /** How often it became a fiscal document. */
  made: number
}

const kopecksOf = (roubles: number): number => Math.round(roubles * 100)

export class FakeRaiffeisenRegister {
  readonly documents = new Map<string, Document>()
  /** What requests broke: a test expects none. */
  readonly violations: string[] = []
  /** A registration takes so long. */
  registrationMs = 5_000
  /** What the next documents state beyond their sum, in kopecks. */
  otherSum = 0
  /** What becomes of the next registrations, when they end. */
  result: 'DONE' | 'FAILED' = 'DONE'
  /** What a document is just after its registration. */
  waiting: 'IN_PROGRESS' | 'AWAITING' = 'IN_PROGRESS'
  /** The code of the 403 with which it refuses everything; undefined: the merchant is connected. */
  refusal: string | undefined
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** The fiscal documents; the total in kopecks. */
  made(): { number: string; total: number }[] {
    return Array.from(this.documents).flatMap(([number, document]) => {
      this.#settle(document)
      return Array.from({ length: document.made }, () => ({ number, total: statedBy(document) }))
    })
  }

  /** @returns undefined for a path of another API */
  static operationOf(method: string, path: string): string | undefined {
    if (!path.includes('/fiscal/v1/receipts/')) return
    return { POST: 'fiscal_create', PUT: 'fiscal_register' }[method] ?? 'fiscal_status'
  }

  execute(operation: string, path: string, body: unknown): BankReply {
    const [type, number = ''] = path.split('/fiscal/v1/receipts/')[1]?.split('/') ?? []
    if (this.refusal) return fault(403, this.refusal)
    if (operation === 'fiscal_create') return this.#create(type === 'sell' ? 'SELL' : 'REFUND', body)
    const document = this.documents.get(number)
    if (document?.type !== (type === 'sell' ? 'SELL' : 'REFUND')) return fault(404, 'RECEIPT_NOT_FOUND')
    this.#settle(document)
    if (operation === 'fiscal_register') {
      if (document.status !== 'NEW') return fault(409, 'RECEIPT_STATUS_CONFLICT')
      document.status = this.waiting
      document.registeredAt = this.#now()
    }
    return replyOf(document)
  }

  /** A repeat changes a document that is NEW. */
  #create(type: Document['type'], body: unknown): BankReply {
    const { data: receipt } = Receipt.safeParse(body)
    const sum = receipt?.items.reduce((all, { amount }) => all + kopecksOf(amount), 0)
    if (!receipt || sum !== kopecksOf(receipt.total)) {
      const email = z.looseObject({ client: z.looseObject({ email: z.string() }) }).safeParse(body)
      this.violations.push(`${type}: ${JSON.stringify(body)}`)
      return fault(400, 'RECEIPT_VALIDATION_FAILED', `Чек не прошел валидацию: ${email.data?.client.email}`)
    }
    const before = this.documents.get(receipt.receiptNumber)
    if (before) this.#settle(before)
    if (before && before.status !== 'NEW') return fault(409, 'RECEIPT_STATUS_CONFLICT')
    const document: Document = {
      ...{ type, status: 'NEW', receipt, registeredAt: 0, made: 0 },
      otherSum: this.otherSum,
    }
    this.documents.set(receipt.receiptNumber, document)
    return replyOf(document)
  }

  #settle(document: Document): void {
    const isWaiting = document.status === 'IN_PROGRESS' || document.status === 'AWAITING'
    if (!isWaiting || this.#now() < document.registeredAt + this.registrationMs) return
    document.status = this.result
    if (this.result === 'DONE') document.made++
  }
}

const statedBy = ({ receipt, otherSum }: Document): number => kopecksOf(receipt.total) + otherSum

const replyOf = (document: Document): BankReply => ({
  status: 200,
  body: {
    ...document.receipt,
    total: statedBy(document) / 100,
    receiptType: document.type,
    status: document.status,
  },
})

const fault = (status: number, code: string, message = 'refused'): BankReply => ({
  status,
  body: { code, message },
})
