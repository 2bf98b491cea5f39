// Cashbox codes of Tochka Pay Gateway: registered under a reserved id, activated for each sale, ended by our own id of the activation.
import * as z from 'zod'
import type { Code, CodeState, Link, NewCode, NewSale } from '../bank.ts'
import { notInDoubt, QrcIdTaken, Refused, Unavailable, undefinedIfNotKnown } from '../bank-errors.ts'
import {
  Activation,
  answersOf,
  CashboxStatus,
  Code as CodeAnswer,
  INVALID,
  NO_ENTITY,
  Payment,
} from './answers.ts'
import type { PayCall } from './client.ts'
import { commonOf, linkOf, paymentMethodsOf, REGISTER } from './codes.ts'
import { amountOf } from './requests.ts'
import type { SiteSettings } from './site-fields.ts'
import { paymentOf } from './states.ts'
import type { TestPayments } from './test-payments.ts'
import { optionalText } from './texts.ts'

const PATH = '/sbp/qrc/cash-register-qrc'
/** Minutes. */
const MAX_TTL = 20
/** The status is asked for in what is left of the time of the service. */
const ACTIVATION_TIMEOUT_MS = 5_000

const FOREIGN = 'Tochka Pay Gateway: another program has activated the code'

/**
 * The document does not say what the bank answers about a code that is not registered. We take 400 and 404 in its format for that.
 */
const REGISTERED = answersOf(CodeAnswer, { notKnown: [NO_ENTITY, { ...INVALID, isAssumed: true }] })
const ACTIVATE = answersOf(Activation, { refused: [INVALID] })
const DEACTIVATE = answersOf(z.object({}), { refused: [INVALID] })
/** The document names no subcategory for an activation. We take any for that the bank has not executed it, or that nobody has paid. */
const SALE_PAYMENT = answersOf(Payment, { notKnown: [NO_ENTITY] })
const STATUS = answersOf(CashboxStatus)

export class Counter {
  readonly #call: PayCall
  readonly #tests: TestPayments
  readonly #now: () => number

  constructor(call: PayCall, tests: TestPayments, now: () => number) {
    this.#call = call
    this.#tests = tests
    this.#now = now
  }

  /** @throws QrcIdTaken; Refused; Unavailable */
  async register(code: NewCode, site: SiteSettings, signal: AbortSignal): Promise<Link> {
    const { qrcId = '', order } = code
    // A lost disk, or another program, can have registered it.
    const known = await notInDoubt(this.#registered(qrcId, signal))
    if (known && known.merchantQrcId !== order)
      throw new QrcIdTaken(`register: ${qrcId} is registered under another merchantQrcId`)
    const made =
      known ??
      (await this.#call(REGISTER, {
        operation: 'register',
        method: 'POST',
        path: PATH,
        body: { qrcId, ...commonOf(code), paymentMethods: paymentMethodsOf(site) },
        signal,
      }))
    if (made.qrcId !== qrcId)
      throw new Unavailable('register: the answer is of another qrcId', { isInDoubt: true })
    const link = linkOf(made, order)
    this.#tests.noteCode(made)
    return link
  }

  async #registered(qrcId: string, signal: AbortSignal): Promise<CodeAnswer | undefined> {
    const request = {
      operation: 'code',
      method: 'GET',
      path: `/sbp/qrc/${encodeURIComponent(qrcId)}`,
      signal,
    } as const
    return this.#call(REGISTERED, request).catch(undefinedIfNotKnown)
  }

  /**
   * Activates the code under the key of the sale. A lost answer is decided by the status.
   * @returns the reference of the activation
   * @throws Refused where the code is active for another program, too
   */
  async arm({ qrcId, reference }: Code, sale: NewSale, signal: AbortSignal): Promise<string> {
    const { key, ttl, earlier } = sale
    if (ttl < 1 || ttl > MAX_TTL)
      throw new Refused(`Tochka Pay Gateway: the ttl is ${ttl} minutes, must be 1 to ${MAX_TTL}`)
    const armed = `${reference}:${key}`
    const current = await this.#current(qrcId, signal)
    if (current?.key === key) return armed
    // After the status: an earlier call of the sale, whose answer was lost, can have been executed and paid.
    if (await this.#wasPaid(qrcId, key, signal)) return armed
    if (current) {
      const isOurs = ({ key }: Current) => earlier.some((each) => keyOf(each) === key)
      if (!isOurs(current)) throw new Refused(FOREIGN)
      await this.#end(qrcId, current, signal)
      const next = await this.#current(qrcId, signal)
      // The status can lag behind the end of our own.
      if (next && isOurs(next))
        throw new Unavailable('deactivate: the bank still states the ended sale', { isInDoubt: false })
      if (next) throw new Refused(FOREIGN)
    }
    try {
      await this.#activate(qrcId, sale, signal)
    } catch (error) {
      if (!(error instanceof Unavailable && error.isInDoubt)) throw error
      const now = await this.#current(qrcId, signal).catch(() => undefined)
      if (now?.key !== key) throw error
    }
    return armed
  }

  async #activate(qrcId: string, sale: NewSale, signal: AbortSignal): Promise<void> {
    const { key, amount, ttl, purpose, webhookUrl } = sale
    const { activationUid } = await this.#call(ACTIVATE, {
      operation: 'activate',
      method: 'POST',
      path: `${pathOf(qrcId)}/activations`,
      body: {
        activationUid: key,
        amount: amountOf(amount),
        ttl,
        ...optionalText('paymentPurpose', purpose),
        callbackUrl: webhookUrl,
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(ACTIVATION_TIMEOUT_MS)]),
    })
    if (activationUid !== key)
      throw new Unavailable('activate: the answer is of another activation', { isInDoubt: true })
  }

  /**
   * Whether the activation has a payment, also one in progress.
   * @throws Refused where it was declined: a repeated activationUid is not described; Unavailable where its status is not
   */
  async #wasPaid(qrcId: string, key: string, signal: AbortSignal): Promise<boolean> {
    const { value } = (await this.#payment(qrcId, key, signal))?.status ?? {}
    switch (value) {
      case undefined:
        return false
      case 'COMPLETED':
      case 'WAITING':
        return true
      case 'DECLINED':
        throw new Refused(
          'Tochka Pay Gateway: the payment of this sale was declined, must be another saleUid',
        )
      default:
        throw new Unavailable(`sale_payment: the bank states ${value}`, { isInDoubt: false })
    }
  }

  /** Ends the activation that the reference names, if it is the current one. */
  async disarm({ qrcId, reference }: Code, signal: AbortSignal): Promise<void> {
    const key = keyOf(reference)
    const current = key === undefined ? undefined : await this.#current(qrcId, signal)
    if (current && current.key === key) await this.#end(qrcId, current, signal)
  }

  /** @param current an activation of ours: the call ends whichever is current */
  async #end(qrcId: string, current: Current, signal: AbortSignal): Promise<void> {
    if (current.isPaying)
      throw new Unavailable('deactivate: a payment of the sale is in progress', { isInDoubt: false })
    try {
      await this.#call(DEACTIVATE, {
        operation: 'deactivate',
        method: 'DELETE',
        path: `${pathOf(qrcId)}/activations/current`,
        signal,
      })
    } catch (error) {
      if (!(error instanceof Unavailable && error.isInDoubt)) throw error
      const now = await this.#current(qrcId, signal)
      if (now?.key === current.key) throw error
    }
  }

  /** The last part of a sale's reference is its key; a code without one has no payment. */
  async state({ qrcId, reference, endsAt }: Code): Promise<CodeState> {
    const key = keyOf(reference)
    if (key === undefined) return { payments: [], isPending: false }
    const hasEnded = endsAt !== undefined && this.#now() >= endsAt
    // Before the payment: an activation that is not current takes no new one.
    const current = hasEnded ? await this.#current(qrcId) : undefined
    const isOver = hasEnded && current?.key !== key
    const payment = await this.#payment(qrcId, key)
    if (!payment || !this.#tests.isReported(payment)) return { payments: [], isPending: false, isOver }
    const stated = paymentOf(payment)
    if (!stated) return { payments: [], isPending: true }
    // A decline is no payment of the sale.
    return { payments: stated.status === 'COMPLETED' ? [stated] : [], isPending: false, isOver }
  }

  async #payment(qrcId: string, key: string, signal?: AbortSignal): Promise<Payment | undefined> {
    const payment = await this.#call(SALE_PAYMENT, {
      operation: 'sale_payment',
      method: 'GET',
      path: `${pathOf(qrcId)}/activations/${encodeURIComponent(key)}/payment`,
      ...(signal && { signal }),
    }).catch(undefinedIfNotKnown)
    const { activationUid = key, qrcId: paidId = qrcId } = payment?.paymentMethod ?? {}
    if (activationUid === key && paidId === qrcId) return payment
    throw new Unavailable('sale_payment: the answer is of another activation', { isInDoubt: false })
  }

  /** @throws Unavailable also where the bank does not say which activation is current */
  async #current(qrcId: string, signal?: AbortSignal): Promise<Current | undefined> {
    const { status, activationUid: key } = await this.#call(STATUS, {
      operation: 'cashbox_status',
      method: 'GET',
      path: `${pathOf(qrcId)}/status`,
      ...(signal && { signal }),
    })
    if (status === 'INACTIVATED') return
    if (key !== undefined) return { key, isPaying: status === 'IN_PROGRESS' }
    throw new Unavailable('cashbox_status: the answer lacks activationUid', { isInDoubt: false })
  }
}

const pathOf = (qrcId: string): string => `${PATH}/${encodeURIComponent(qrcId)}`

/** The activation that can be paid. */
interface Current {
  key: string
  /** Whether a payment of it is in progress. */
  isPaying: boolean
}

/** A reference is `{merchantQrcId}`; of a sale, `:{activationUid}` follows. */
const keyOf = (reference: string): string | undefined => reference.split(':')[1]
