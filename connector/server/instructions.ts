// Instructions of the service: verified by Standard Webhooks, taken or answered (contract, sections 10 and 14).
import { Webhook } from 'standardwebhooks'
import * as z from 'zod'
import { takeReceipt } from '../cash-registers/receipts.ts'
import type { Core } from '../core.ts'
import { endBinding, TokenDelete } from '../links/bindings/bindings.ts'
import { Cancel, type Cancellations } from '../links/cancellations/cancellations.ts'
import { Register, type Registers, unavailable } from '../links/codes/registers.ts'
import { Activate, Deactivate, type Sales } from '../links/sales/sales.ts'
import { messageOf } from '../log.ts'
import { PaymentCharge, takeCharge } from '../money/charge/charges.ts'
import { RefundCreate, takeRefund } from '../money/refund/refunds.ts'

const Envelope = z.object({
  type: z.string(),
  timestamp: z.string(),
  data: z.looseObject({ siteId: z.string() }),
})

interface InstructionAnswer {
  status: number
  body?: object
}

interface Request {
  headers: Record<string, string>
  body: string
}

export class Instructions {
  readonly #core: Core
  readonly #registers: Registers
  readonly #sales: Sales
  readonly #cancellations: Cancellations

  constructor(core: Core, registers: Registers, sales: Sales, cancellations: Cancellations) {
    this.#core = core
    this.#registers = registers
    this.#sales = sales
    this.#cancellations = cancellations
  }

  async take(request: Request): Promise<InstructionAnswer> {
    const envelope = Envelope.safeParse(this.#verified(request))
    if (!envelope.success) return { status: 401 }
    const { type, timestamp, data } = envelope.data
    try {
      return await this.#carryOut(type, data, Date.parse(timestamp))
    } catch (error) {
      this.#core.log('warning', 'an instruction failed', { type, site: data.siteId, error: messageOf(error) })
      return { status: 503 }
    }
  }

  /** The body that one of the secrets has signed in the last five minutes, or undefined. */
  #verified({ headers, body }: Request): unknown {
    for (const secret of this.#core.networkSecrets) {
      try {
        return new Webhook(secret).verify(body, headers)
      } catch {}
    }
  }

  async #carryOut(type: string, data: { siteId: string }, givenAt: number): Promise<InstructionAnswer> {
    switch (type) {
      case 'qrCode.register':
        return this.#registers.register(Register.parse(data))
      case 'qrCode.cancel':
        return this.#cancellations.cancel(Cancel.parse(data))
      case 'sale.activate':
        return this.#sales.activate(Activate.parse(data))
      case 'sale.deactivate':
        return this.#sales.deactivate(Deactivate.parse(data))
    }
    // What cannot be reported is not taken: the service sends it again.
    if (!this.#core.sites.has(data.siteId)) return unavailable(`the connector has no site ${data.siteId}`)
    switch (type) {
      case 'refund.create': {
        const problem = takeRefund(this.#core, RefundCreate.parse(data), { givenAt })
        return problem === undefined ? { status: 202 } : unavailable(problem)
      }
      case 'payment.charge': {
        const problem = takeCharge(this.#core, PaymentCharge.parse(data), { givenAt })
        return problem === undefined ? { status: 202 } : unavailable(problem)
      }
      case 'receipt.register': {
        const problem = takeReceipt(this.#core, data, { givenAt })
        return problem === undefined ? { status: 202 } : unavailable(problem)
      }
      case 'token.delete':
        endBinding(this.#core, TokenDelete.parse(data))
        return { status: 202 }
      default:
        return { status: 501 }
    }
  }
}
