// What the merchant of a history asks the service for: codes that bind accounts, charges by token.
import * as z from 'zod'
import type { Merchant } from './bank-deployment.ts'

/** A charge costs so many roubles. */
const PRICE = 50

export interface Code {
  uid: string
  qrcId: string
}

export interface Charge {
  uid: string
  token: string
  /** Undefined while the merchant has no answer. */
  paymentUid: string | undefined
}

const Answer = z.object({
  token: z.object({ value: z.string().optional() }).optional(),
  payment: z.object({ paymentUid: z.string() }).optional(),
})

export class BindingMerchant {
  readonly merchant: Merchant

  constructor(merchant: Merchant) {
    this.merchant = merchant
  }

  /** @returns the code, or the answer in its place */
  async bind(uid: string, isAlone: boolean): Promise<Code | string> {
    const more = {
      tokenizationAccount: 'a',
      ...(isAlone ? { amount: undefined } : { flags: ['CREATE_TOKEN'] }),
    }
    const { status, text } = await this.merchant.create(uid, more, { type: isAlone ? 'TOKEN' : 'DYNAMIC' })
    return status === 200 ? { uid, qrcId: qrcIdIn(text) } : `${status} ${text}`
  }

  async tokenOf({ uid }: Code): Promise<string | undefined> {
    const { status, text } = await this.merchant.ask(`/sbp/qrCodes/${uid}`)
    return status === 200 ? Answer.parse(JSON.parse(text)).token?.value : undefined
  }

  /** The whole of it can be repeated. @returns the code of the charge, or the answer in its place */
  async charge(charge: Charge): Promise<{ code: Code; answer: string } | string> {
    const { uid, token } = charge
    const created = await this.merchant.create(uid, { amount: { value: PRICE } }, { ttl: 180 })
    if (created.status !== 200) return `${created.status} ${created.text}`
    const code = { uid, qrcId: qrcIdIn(created.text) }
    const body = { token, tokenizationAccount: 'a' }
    const { status, text } = await this.merchant.ask(`/sbp/qrCodes/${uid}/payments`, { body })
    if (status === 200) {
      const { payment } = Answer.parse(JSON.parse(text))
      // Of a code that its link has paid, that is the latest payment.
      if (payment && /^[A-Z0-9]{32}$/.test(payment.paymentUid) && payment.paymentUid !== code.qrcId)
        charge.paymentUid ??= payment.paymentUid
    }
    return { code, answer: `${uid} ${status} ${charge.paymentUid}` }
  }

  /** @returns why the token is not deleted */
  async delete(token: string): Promise<string | undefined> {
    const body = { customerAccountId: 'a', token }
    const { status, text } = await this.merchant.ask('/tokens', { method: 'DELETE', body })
    return status === 204 ? undefined : `${status} ${text}`
  }
}

/** The id in the link of a bank, or nothing. */
export const qrcIdIn = (text: string): string =>
  /"payload":"https:\/\/qr\.nspk\.ru\/(\w+)/.exec(text)?.[1] ?? ''
