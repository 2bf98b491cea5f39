// The cash register of a terminal of the fake T-Bank: documents of payments, refunds and closings, and their notifications.
import * as z from 'zod'
import { moscowTime } from '../../../connector/banks/moscow.ts'

const Item = z.looseObject({ Name: z.string(), Price: z.int(), Quantity: z.number(), Amount: z.int() })
const Receipt = z.looseObject({
  FfdVersion: z.string(),
  Taxation: z.string(),
  Email: z.string().optional(),
  Phone: z.string().optional(),
  Items: z.array(Item).min(1).max(100),
  Payments: z.looseObject({ Electronic: z.number() }).optional(),
})
export type TBankReceipt = z.output<typeof Receipt>

/** A document that the register has made. */
export interface TBankDocument {
  /** FiscalDocumentNumber. */
  number: number
  paymentId: string
  type: 'Income' | 'IncomeReturn'
  amount: number
  receipt: TBankReceipt
}

/** No money moves in a closing: it states how it is paid. */
export const kindOf = ({ type, receipt }: TBankDocument): 'sale' | 'refund' | 'closing' =>
  type === 'IncomeReturn' ? 'refund' : receipt.Payments ? 'closing' : 'sale'

type Fields = Record<string, unknown>

export class FakeTBankRegister {
  /** Whether the terminal has one: without it, what is sent is not looked at. */
  isConnected = false
  readonly documents: TBankDocument[] = []
  /** When the notification of a document goes out: with the one of the payment, before it, or when the test says so. */
  notifies: 'after' | 'before' | 'later' = 'after'
  /** Why the next documents are not made: the notifications say so. */
  readonly failures: string[] = []
  /** What requests broke: a test of a whole history expects none. */
  readonly violations: string[] = []
  /** By PaymentId: what Init had. */
  readonly #sold = new Map<string, TBankReceipt>()
  readonly #now: () => number
  #last = 100

  constructor(now: () => number) {
    this.#now = now
  }

  /** @returns the code of the bank's refusal of a call for its receipt */
  refusalOf(receipt: unknown, amount: number): { ErrorCode: string; Message: string } | undefined {
    if (!this.isConnected) return
    const { data } = Receipt.safeParse(receipt)
    const hasContact = data?.Email !== undefined || data?.Phone !== undefined
    if (!data || !hasContact)
      return this.#refusal('309', 'Поле Receipt не должно быть пустым', receipt, amount)
    const sum = data.Items.reduce((all, item) => all + item.Amount, 0)
    if (sum !== amount) return this.#refusal('308', 'Сумма позиций не равна сумме оплаты', receipt, amount)
  }

  opened(paymentId: string, receipt: unknown): void {
    if (this.isConnected) this.#sold.set(paymentId, Receipt.parse(receipt))
  }

  sold(paymentId: string): TBankReceipt | undefined {
    return this.#sold.get(paymentId)
  }

  /** The payment is confirmed. @returns the notification, without its token */
  confirmed(paymentId: string, amount: number): Fields[] {
    const receipt = this.#sold.get(paymentId)
    const isMade = this.documents.some((each) => each.paymentId === paymentId && each.type === 'Income')
    return receipt && !isMade ? [this.#make({ paymentId, type: 'Income', amount, receipt })] : []
  }

  /** A refund is done. @param receipt of Cancel; undefined: of all that was sold */
  refunded(paymentId: string, amount: number, receipt: unknown): Fields[] {
    const sold = this.#sold.get(paymentId)
    if (!sold) return []
    const given = receipt === undefined ? sold : Receipt.parse(receipt)
    return [this.#make({ paymentId, type: 'IncomeReturn', amount, receipt: given })]
  }

  closed(paymentId: string, receipt: unknown): Fields[] {
    const given = Receipt.parse(receipt)
    const amount = given.Items.reduce((all, item) => all + item.Amount, 0)
    return [this.#make({ paymentId, type: 'Income', amount, receipt: given })]
  }

  #refusal(ErrorCode: string, Message: string, receipt: unknown, amount: number) {
    this.violations.push(`${ErrorCode} for ${amount}: ${JSON.stringify(receipt)}`)
    return { ErrorCode, Message }
  }

  #make(document: Omit<TBankDocument, 'number'>): Fields {
    const of = {
      ...{ Status: 'RECEIPT', PaymentId: Number(document.paymentId), Amount: document.amount },
      ...{ Type: document.type, Receipt: document.receipt },
    }
    const failure = this.failures.shift()
    if (failure !== undefined) return { ...of, Success: false, ErrorCode: '330', ErrorMessage: failure }
    const number = ++this.#last
    this.documents.push({ ...document, number })
    return {
      ...of,
      ...{ Success: true, ErrorCode: '0', FiscalNumber: number % 100, ShiftNumber: 7 },
      ...{ FnNumber: '9999078900001234', EcrRegNumber: '0000000400054952', FiscalDocumentNumber: number },
      ...{ FiscalDocumentAttribute: 3_000_000_000 + number, ReceiptDatetime: moscowTime(this.#now()) },
      ...{ Ofd: 'OFD', Url: `https://ofd.example/${number}`, CalculationPlace: 'shop.example' },
    }
  }
}
