// The part of a bank's interface (bank.ts) for bound accounts and their charges.
import type { RidingReceipt } from './bank-receipts.ts'
import type { PaymentMethod } from './payment-method.ts'

/** What a bank states of its request to bind an account. */
export interface BindingState {
  /**
   * `WAITING`: nobody has answered. `ACTIVE`: the account can be charged. `INACTIVE`: the customer refused, or, if it was
   * active before, it is over. `ENDED`: it was active, and is over.
   */
  status: 'WAITING' | 'ACTIVE' | 'INACTIVE' | 'ENDED'
  bankMemberId?: string
  /** The bank's token of an active binding, where a charge needs it. It stays in memory: no disk, log, reference or report has it. */
  token?: string
}

/** A charge of a bound account. */
export interface NewCharge {
  /** 32 of `0-9 a-f`, the same for every attempt of this charge on any disk. */
  order: string
  /** The bank's id of the request that bound the account. */
  request: string
  amount: number
  purpose: string
  /** From then on it must not be executed for the first time. */
  expiresAt: number
  /** Where the bank's webhooks go. */
  webhookUrl: string
  /** Given only to a bank that `takesReceipts`. */
  receipt?: RidingReceipt
}

/** A charge that the bank knows and has not executed. */
export interface OpenedCharge {
  /** The bank's id of the charge, on disk before the account is charged; empty where it gives none. */
  note: string
  /** Whether the bank states that it was begun before: then it is asked about, and not sent. */
  isBegun: boolean
}

/** A charge as the bank states it. */
export type ChargeState =
  | {
      status: 'COMPLETED'
      number: string
      amount: number
      /** Whether the bank has not stated the amount: then it is that of the request. */
      isAmountAssumed?: boolean
      reference: string
      /** What the bank states to have given back, where it states any of it. */
      refunded?: 'ALL' | 'PART'
    }
  /**
   * `isForAll`: the bank takes no charge by these credentials: the operator is told. `isBindingOver`: the account is not bound any
   * more.
   */
  | { status: 'DECLINED'; reason: string; isForAll?: boolean; isBindingOver?: boolean }
  /** The bank states an end that does not say whether the account was charged: an hour after it was sent the operator decides. */
  | { status: 'IN_DOUBT'; reason: string }
  /** It is in progress. */
  | { status: 'PENDING' }
  /** The bank has it, and nothing has begun: an hour after its end the operator decides. */
  | { status: 'UNTOUCHED' }

/** The bound accounts of one set of credentials. */
export interface BankBindings {
  /** Whether a refund finds a charge by its order: otherwise the bank's number is needed. */
  readonly isFoundByOrder: boolean
  /** Whether the bank's settlement files name a charge by its order. */
  readonly isNamedByOrder: boolean
  /** Whether a charge needs the token of the state. */
  readonly chargesByToken: boolean
  /** How a charge is paid, where the bank's document names the methods of payments. */
  readonly method?: PaymentMethod
  /** @throws NotKnown where the bank states that it does not have the request */
  state(request: string): Promise<BindingState>
  /** Prepares a charge without moving money, where the bank has such a call. It is repeated until it has an answer. */
  open?(charge: NewCharge): Promise<OpenedCharge>
  /**
   * Charges the account: called once for each charge.
   * @param token of the state, asked for just before
   * @throws Refused only where the bank's document says that nothing was done
   */
  charge(charge: NewCharge, note: string, token: string | undefined): Promise<ChargeState>
  /**
   * @param note empty where this disk does not have it: then the bank is asked by the order
   * @throws NotKnown where the bank states that it does not have the charge
   */
  chargeState(charge: NewCharge, note: string): Promise<ChargeState>
}
