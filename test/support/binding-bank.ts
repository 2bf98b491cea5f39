// A fake bank by what it does with bound accounts: T-Bank and Raiffeisenbank in the same words.
import type { FakeBank } from './banks/fake-bank.ts'
import { FakeRaiffeisen } from './banks/raiffeisen.ts'
import { FakeTBank } from './banks/tbank.ts'
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
const SUBSCRIPTION_STATES = { INACTIVE: 'NONE', SUBSCRIBED: 'ACTIVE', UNSUBSCRIBED: 'OVER' } as const

export function bindingBankOf({ fake, name }: TestBank): BindingBank {
  if (fake instanceof FakeTBank) return tbankOf(fake)
  if (fake instanceof FakeRaiffeisen) return raiffeisenOf(fake)
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
    executions: () =>
      fake.charged.reduce(
        (counts, { order }) => counts.set(order, (counts.get(order) ?? 0) + 1),
        new Map<string, number>(),
      ),
    keepBack: () => keptBack(fake, 'subscription'),
    onCharge(told) {
      fake.beforeExecution = async (operation, { body }) => {
        if (operation === 'charge') told(String(Object(body).order))
      }
    },
  }
}
