// The cash register of a terminal of T-Bank: it rides on the payment's calls, and a closing receipt has a call of its own (API 1.80).
import * as z from 'zod'
import { CLOSING } from '../../banks/tbank/answers.ts'
import { checkTerminal, type Settings, type TBankCall, tbankCall } from '../../banks/tbank/client.ts'
import type { CheckResult } from '../../partner.ts'
import type { CashRegister, DocumentKind, DocumentState, NewDocument } from '../cash-register.ts'
import type { RegisterContext, RegisterKind } from '../register-kind.ts'
import { closingReceiptOf } from './body.ts'

export const tbank: RegisterKind = {
  kind: 'tbank',
  bank: 'tbank',
  baseUrl: 'https://securepay.tinkoff.ru',
  credentials: (secret) =>
    z
      .strictObject({ terminalKey: z.string().min(1).max(20), password: secret })
      .transform((settings) => (context) => new TBankRegister(settings, context)),
}

/** SendClosingReceipt without what signs it. */
const Request = z.object({
  PaymentId: z.string(),
  Receipt: z.looseObject({ Email: z.string().optional(), Phone: z.string().optional() }),
})

class TBankRegister implements CashRegister {
  readonly title = 'T-Bank'
  readonly identity: string
  readonly asks = 'NEVER'
  readonly rides: readonly DocumentKind[] = ['sale', 'refund']
  readonly webhookAnswer = ''
  readonly lacks = [
    'make a receipt for a payer who gives a contact later: it is a part of what is registered',
    'be asked about a receipt: without its notification for a day it is held until you settle it',
    'make the receipt of a payment or a refund again: if it fails, correct it in the console of the cash register',
    'name the receipt that it tells of: of two with one sum and type of one payment both are held',
    'take the shop’s address and e-mail: the terminal has them',
  ]
  readonly #call: TBankCall
  readonly #now: () => number

  constructor(settings: Settings, context: RegisterContext) {
    this.identity = `tbank:${settings.terminalKey}`
    this.#call = tbankCall(settings, context)
    this.#now = context.now
  }

  requestOf(document: NewDocument): string {
    if (document.reference === undefined) throw new Error('the payment has no reference')
    return JSON.stringify({ PaymentId: document.reference, Receipt: closingReceiptOf(document) })
  }

  async register(request: string): Promise<DocumentState> {
    const fields = Request.parse(JSON.parse(request))
    const { Email, Phone } = fields.Receipt
    await this.#call(
      {
        operation: 'SendClosingReceipt',
        folder: 'cashbox',
        fields,
        secrets: [Email, Phone].filter((each) => each !== undefined),
      },
      CLOSING,
    )
    return { status: 'PENDING', note: '' }
  }

  checkCredentials(): Promise<CheckResult[]> {
    return checkTerminal(this.#call, this.#now())
  }
}
