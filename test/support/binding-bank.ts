// A fake bank by what it does with bound accounts: each of them in the same words.
import type { FakeBank } from './banks/fake-bank.ts'
import { FakeRaiffeisen } from './banks/raiffeisen.ts'
import { FakeTBank } from './banks/tbank.ts'
import { refundedOf } from './banks/tochka-pay/records.ts'
import { FakeTochkaPay } from './banks/tochka-pay.ts'
import type { Random } from './random.ts'
import type { TestBank } from './test-banks.ts'

/** A charge that has moved money. Amounts are kopecks. */
export interface MadeCharge {
  order: string
  /** The bank's number of the payment, where a refund needs it. */
  number?: string
  refunded: number
}

export interface BindingBank {
  /** The bank's id of the request that a code made. */
  requestOf(qrcId: string): string
  /** The customer agrees, or ends it. @param times how often the bank tells of it */
  consent(qrcId: string, isGiven: boolean, times: number): Promise<unknown>
  hasEnded(qrcId: string): boolean
  /** What the bank states of the binding that a code asked for. */
  stateOf(qrcId: string): 'NONE' | 'ACTIVE' | 'OVER'
  /** What becomes of the charges of a round. @returns it, for a person */
  chooseResult(random: Random): string
  /** The bank is well for ever, and decides what is in progress. */
  decide(random: Random): Promise<void>
  made(): MadeCharge[]
  /** How often money was moved, or may have been, by order. */
  executions(): Map<string, number>
  /** The bank keeps back what it states of bindings from now on. */
  keepBack(): KeptBack
  /** Calls the function before each call that charges an account, with its order. */
  onCharge(told: (order: string) => void): void
}

interface KeptBack {
  isAsked(): boolean
  /** All answers go out. */
  answer(): void
}

/** Keeps back the answers to calls of the operation. */
function keptBack(fake: FakeBank, operation: string): KeptBack {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isAsked = false
  fake.beforeAnswer = async (each) => {
    if (each !== operation) return
    isAsked = true
    await promise
  }
  return {
    isAsked: () => isAsked,
    answer() {
      fake.beforeAnswer = async () => {}
      resolve()
    },
  }
}

/** `NONE`: nobody has agreed, as far as the bank says. */
/** T-Bank states a refusal in the same word as an end. */
const STATES = { NEW: 'NONE', PROCESSING: 'NONE', ACTIVE: 'ACTIVE', INACTIVE: 'OVER' } as const
const DECISIONS = { WAITING: 'NONE', ACCEPTED: 'ACTIVE', REJECTED: 'OVER' } as const
const SUBSCRIPTION_STATES = { INACTIVE: 'NONE', SUBSCRIBED: 'ACTIVE', UNSUBSCRIBED: 'OVER' } as const

export function bindingBankOf({ fake, name }: TestBank): BindingBank {
  if (fake instanceof FakeTBank) return tbankOf(fake)
  if (fake instanceof FakeRaiffeisen) return raiffeisenOf(fake)
  if (fake instanceof FakeTochkaPay) return tochkaPayOf(fake)
  throw new Error(`${name} binds no accounts`)
}

function tbankOf(fake: FakeTBank): BindingBank {
  const charges = () => Array.from(fake.sessions.values()).filter((session) => session.charges > 0)
  return {
    requestOf: (qrcId) => fake.binding(qrcId).requestKey,
    consent: (qrcId, isGiven, times) => fake.consent(qrcId, isGiven, { times }),
    hasEnded: (qrcId) => fake.binding(qrcId).status === 'INACTIVE',
    stateOf: (qrcId) => STATES[fake.binding(qrcId).status],
    chooseResult(random) {
      fake.chargeResult = random.weighted({ CONFIRMED: 6, FORM_SHOWED: 1, REJECTED: 1, 3041: 1, 3040: 1 })
      return fake.chargeResult
    },
    async decide(random) {
      fake.chargeResult = 'CONFIRMED'
      for (const { paymentId, status, isRecurrent, qrcId } of fake.sessions.values()) {
        if (!isRecurrent || qrcId !== undefined || status !== 'FORM_SHOWED') continue
        await fake.finishCharge(paymentId, random.chance(0.5) ? 'CONFIRMED' : 'REJECTED', { times: 0 })
      }
    },
    made: () =>
      charges().map(({ orderId, paymentId, refunded }) => ({ order: orderId, number: paymentId, refunded })),
    executions: () => fake.chargesByOrder(),
    keepBack: () => keptBack(fake, 'GetAddAccountQrState'),
    onCharge(told) {
      fake.beforeExecution = async (operation, { body }) => {
        if (operation === 'ChargeQr') told(fake.sessions.get(String(Object(body).PaymentId))?.orderId ?? '')
      }
    },
  }
}

function raiffeisenOf(fake: FakeRaiffeisen): BindingBank {
  const orders = () => new Set(fake.charged.map(({ order }) => order))
  const codes = () => Array.from(fake.codes.values()).filter(({ order }) => orders().has(order))
  return {
    requestOf: (qrcId) => fake.subscription(qrcId).id,
    consent: (qrcId, isGiven, times) =>
      fake.consent(qrcId, isGiven ? 'SUBSCRIBED' : 'UNSUBSCRIBED', { times }),
    hasEnded: (qrcId) => fake.subscription(qrcId).status === 'UNSUBSCRIBED',
    stateOf: (qrcId) => SUBSCRIPTION_STATES[fake.subscription(qrcId).status],
    chooseResult(random) {
      const refusal = 'ERROR.SUBSCRIPTION'
      fake.chargeResult = random.weighted({ SUCCESS: 6, IN_PROGRESS: 1, DECLINED: 1, [refusal]: 1 })
      return fake.chargeResult
    },
    async decide(random) {
      fake.chargeResult = 'SUCCESS'
      for (const { order, payment } of codes()) {
        if (payment?.status === 'IN_PROGRESS')
          fake.finishCharge(order, random.chance(0.5) ? 'SUCCESS' : 'DECLINED')
      }
    },
    made: () =>
      codes()
        .filter(({ payment }) => payment?.status === 'SUCCESS')
        .map(({ order, refunded }) => ({ order, refunded })),
    executions: () => countsOf(fake.charged.map(({ order }) => order)),
    keepBack: () => keptBack(fake, 'subscription'),
    onCharge(told) {
      fake.beforeExecution = async (operation, { body }) => {
        if (operation === 'charge') told(String(Object(body).order))
      }
    },
  }
}

/** A decline for the reason of a timeout can have moved money. */
const DOUBTFUL = 'PAYER_BANK_TIMEOUT'

function tochkaPayOf(fake: FakeTochkaPay): BindingBank {
  const { ledger } = fake
  const charges = () => ledger.payments.filter(({ type }) => type === 'SBP_TOKEN')
  const hasEnded = (qrcId: string) => {
    const { state, isOver } = fake.tokenization(qrcId)
    return state === 'REJECTED' || isOver
  }
  return {
    requestOf: (qrcId) => qrcId,
    async consent(qrcId, isGiven, times) {
      if (hasEnded(qrcId)) return
      if (isGiven || fake.tokenization(qrcId).state === 'WAITING')
        return fake.consent(qrcId, isGiven, { times })
      fake.endBinding(qrcId)
    },
    hasEnded,
    // Of a binding that is over the bank goes on stating the consent.
    stateOf: (qrcId) => DECISIONS[fake.tokenization(qrcId).state],
    chooseResult(random) {
      const reasons = { INSUFFICIENT_FUNDS: 1, SUBSCRIPTION_UNAVAILABLE: 1, [DOUBTFUL]: 2 }
      ledger.chargeResult = random.weighted({ COMPLETED: 6, WAITING: 1, ...reasons })
      ledger.movesDeclined = ledger.chargeResult === DOUBTFUL && random.chance(0.5)
      const times = random.below(3)
      fake.callbackTimes = () => times
      fake.webhooks.order = random.pick(['made', 'reversed'])
      return `${ledger.chargeResult}${ledger.movesDeclined ? ', which moves money' : ''}`
    },
    async decide(random) {
      ledger.chargeResult = 'COMPLETED'
      ledger.movesDeclined = false
      for (const { paymentUid, status, isMoved } of charges()) {
        const isMade = isMoved || random.chance(0.5)
        if (status.value === 'WAITING' || (status.value === 'DECLINED' && isMoved && random.chance(0.5)))
          await fake.finish(paymentUid, isMade ? 'COMPLETED' : 'INSUFFICIENT_FUNDS', { times: 0 })
      }
    },
    made: () =>
      charges()
        .filter(({ isMoved }) => isMoved)
        .map((charge) => ({ order: charge.paymentUid, refunded: refundedOf(charge) })),
    executions: () => countsOf(ledger.charged),
    keepBack: () => keptBack(fake, 'tokenization'),
    onCharge(told) {
      fake.beforeExecution = async (operation, { body }) => {
        if (operation === 'charge') told(String(Object(body).Data?.paymentUid))
      }
    },
  }
}

function countsOf(orders: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const order of orders) counts.set(order, (counts.get(order) ?? 0) + 1)
  return counts
}
