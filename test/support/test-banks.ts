// Fake banks by what all of them can do, each with the connector's configuration for it.
import type { Delivery, FakeBank } from './banks/fake-bank.ts'
import { FakeRaiffeisen } from './banks/raiffeisen.ts'
import { FakeTBank } from './banks/tbank.ts'
import { FakeTochka } from './banks/tochka.ts'

/** Kopecks of one code. */
export interface Money {
  paid: number
  refunded: number
}

/** A payment in the bank's own database. */
export interface LedgerPayment extends Money {
  qrcId: string
  /** As the connector reports it. */
  paymentUid: string
  /**
   * Where the connector may fail to find it (`lacks`), unless it has processed the webhook whose id ends so. `named`: only if it
   * has no answer to the arming, and `reconcile` names the code. `unseen`: without a word.
   */
  lack?: { kind: 'named' | 'unseen'; webhook: string }
}

/** A fake bank by what all of them can do. */
export interface TestBank {
  /** The name of its credentials. */
  name: string
  kind: 'tochka' | 'tbank' | 'raiffeisen' | 'tochka-pay'
  fake: FakeBank
  /** The operations: the last one of a registration, and the refund. */
  operations: { register: string; refund: string }
  /** The connector's configuration: of the credentials, of a site, and its secrets by the variables that have them. */
  credentials(url: string): object
  account: object
  secrets: Record<string, string>
  /** A payer pays. A webhook that nobody takes is lost. */
  pay(qrcId: string, delivery?: Delivery): Promise<void>
  /** The webhook of that payment, again or late. */
  deliver(qrcId: string): Promise<void>
  /** What the bank has of each code. */
  money(): Map<string, Money>
  /** The payments that have succeeded. */
  ledger(): LedgerPayment[]
  /** The bank's numbers of the payments of a printed code. */
  numbersOf(qrcId: string): string[]
  /** Whether a cancelled code cannot be paid any more. */
  isCancelled(qrcId: string): boolean
  /** Whether the bank takes a payment of the code now. */
  isPayable(qrcId: string): boolean
  /** Whether the next refunds take their time. */
  slowRefunds(isSlow: boolean): void
  /** The slow ones end. */
  finishRefunds(isRefunded: boolean): void
  /** Another program begins a sale at a cashbox code. Left out where each sale has its own end. */
  sellElsewhere?(qrcId: string): void
  /** The sales that a call of the connector has ended, and was not for. */
  wronglyEnded?(): string[]
  /** How many cashbox codes it can have; by default, any number. */
  maxCounters?: number
  /** What happened at this bank alone, by name: a run in which none of it happened proves nothing of it. */
  happened?(): Record<string, number>
}

/** A webhook to a connector that is down is lost. */
export const mayBeLost = (sent: Promise<unknown>): Promise<void> =>
  sent.then(
    () => {},
    () => {},
  )

export const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0)
export const moneyOf = <T>(
  codes: Iterable<readonly [string, T]>,
  of: (code: T) => Money,
): Map<string, Money> => new Map(Array.from(codes, ([qrcId, code]) => [qrcId, of(code)]))
export const variableOf = (name: string): string => `SECRET_${name.replaceAll('-', '_')}`

/** @param index makes its customer another one than those of the other fakes */
export function tochkaBank(name: string, now: () => number, index = 92) {
  const fake = new FakeTochka(now)
  fake.customerCode = String(300_000_000 + index)
  const { merchantId, accountId } = fake
  const paymentsOf = (qrcId: string) => fake.codes.get(qrcId)?.payments ?? []
  return {
    name,
    kind: 'tochka',
    fake,
    operations: { register: 'register', refund: 'refund' },
    credentials: (url: string) => ({
      ...{ bank: 'tochka', baseUrl: `${url}/uapi`, clientId: fake.clientId },
      ...{ customerCode: fake.customerCode, jwt: { env: variableOf(name) } },
    }),
    account: { merchantId, accountId },
    secrets: { [variableOf(name)]: fake.jwt },
    pay: (qrcId: string, delivery?: Delivery) => mayBeLost(fake.pay(qrcId, delivery)),
    deliver: (qrcId: string) => mayBeLost(fake.deliver(paymentsOf(qrcId)[0]?.refTransactionId ?? '')),
    money: () =>
      moneyOf(fake.codes, ({ payments }) => ({
        paid: sum(payments.map(({ status, amount }) => (status === 'Accepted' ? amount : 0))),
        refunded: sum(payments.map(({ refunded }) => refunded)),
      })),
    ledger: () =>
      Array.from(fake.codes.values()).flatMap(({ qrcId, type, payments, armings, amount }) =>
        payments.map((payment): LedgerPayment => {
          const { refTransactionId, amount: paid, refunded } = payment
          const [paramsId] = Array.from(armings).find(([, arming]) => arming.payment === payment) ?? []
          const uids = { '01': refTransactionId, '02': qrcId, cashbox: paramsId ?? '' }
          const isUnseen = type === '01' && amount === undefined
          const kind = type === 'cashbox' ? ('named' as const) : isUnseen ? ('unseen' as const) : undefined
          const lack = kind && { kind, webhook: refTransactionId }
          return { qrcId, paymentUid: uids[type], paid, refunded, ...(lack && { lack }) }
        }),
      ),
    numbersOf: (qrcId: string) => paymentsOf(qrcId).map(({ refTransactionId }) => refTransactionId),
    isCancelled: () => false,
    isPayable(qrcId: string) {
      const code = fake.codes.get(qrcId)
      if (code?.type === 'cashbox') return code.arming !== undefined && now() < code.arming.expiresAt
      const isOpen = code?.type === '01' || code?.payments.length === 0
      return isOpen && now() < (code?.expiresAt ?? Number.POSITIVE_INFINITY)
    },
    slowRefunds(isSlow: boolean) {
      fake.refundStatus = isSlow ? 'WaitingForAccept' : 'Accepted'
    },
    finishRefunds(isRefunded: boolean) {
      for (const { requestId, status } of fake.refunds.values())
        if (status === 'WaitingForAccept') fake.settleRefund(requestId, isRefunded ? 'Accepted' : 'Rejected')
    },
  } satisfies TestBank
}

/** @param index makes its terminal another one than those of the other fakes */
export function tbankBank(name: string, now: () => number, index = 0) {
  const fake = new FakeTBank(now)
  fake.terminalKey = `Terminal${index}`
  const isPaid = (status: string) => /^CONFIRMED$|REFUND/.test(status)
  return {
    name,
    kind: 'tbank',
    fake,
    operations: { register: 'GetQr', refund: 'Cancel' },
    credentials: (baseUrl: string) => ({
      ...{ bank: 'tbank', baseUrl, terminalKey: fake.terminalKey },
      password: { env: variableOf(name) },
    }),
    account: {},
    secrets: { [variableOf(name)]: fake.password },
    pay: (qrcId: string, delivery?: Delivery) => mayBeLost(fake.pay(qrcId, delivery)),
    deliver: (qrcId: string) => mayBeLost(fake.deliver(fake.session(qrcId).paymentId)),
    money: () =>
      moneyOf(
        Array.from(fake.sessions.values(), (session) => [session.qrcId ?? '', session] as const),
        ({ status, amount, refunded }) => ({ paid: isPaid(status) ? amount : 0, refunded }),
      ),
    ledger: () =>
      Array.from(fake.sessions.values())
        .filter(({ status }) => isPaid(status))
        .map(({ qrcId = '', amount: paid, refunded }) => ({ qrcId, paymentUid: qrcId, paid, refunded })),
    numbersOf: () => [],
    isCancelled: () => false,
    isPayable(qrcId: string) {
      const { status, expiresAt } = fake.session(qrcId)
      return (status === 'NEW' || status === 'FORM_SHOWED') && now() < expiresAt
    },
    slowRefunds(isSlow: boolean) {
      fake.isRefundSlow = isSlow
    },
    finishRefunds(isRefunded: boolean) {
      for (const { paymentId, status } of fake.sessions.values())
        if (status === 'ASYNC_REFUNDING') fake.finishRefund(paymentId, isRefunded)
    },
  } satisfies TestBank
}

/** @param index makes its merchant another one than those of the other fakes */
export function raiffeisenBank(name: string, now: () => number, index = 552) {
  const fake = new FakeRaiffeisen(now)
  fake.sbpMerchantId = `MA${String(index).padStart(10, '0')}`
  return {
    name,
    kind: 'raiffeisen',
    fake,
    operations: { register: 'register', refund: 'refund' },
    credentials: (url: string) => ({
      ...{ bank: 'raiffeisen', baseUrl: `${url}/api`, sbpMerchantId: fake.sbpMerchantId },
      secretKey: { env: variableOf(name) },
    }),
    account: {},
    secrets: { [variableOf(name)]: fake.secretKey },
    pay: (qrcId: string, delivery?: Delivery) => mayBeLost(fake.pay(qrcId, delivery)),
    deliver: (qrcId: string) => mayBeLost(fake.deliver(qrcId)),
    money: () =>
      moneyOf(fake.codes, ({ payment, payments, isStatic, amount, refunded }) => ({
        paid: sum((isStatic ? payments : [payment]).map((each) => (each?.status === 'SUCCESS' ? amount : 0))),
        refunded,
      })),
    ledger: () =>
      Array.from(fake.codes.values()).flatMap(({ qrId: qrcId, order, payments, isStatic, amount: paid }) =>
        payments.map(({ transactionId, transactionDate, status, refunded }, i): LedgerPayment => {
          const paymentUid = isStatic ? String(transactionId) : qrcId
          // Of a static code the bank states the latest payment alone.
          const isLatest = i === payments.length - 1
          const told = { qrcId, paymentUid, paid, refunded }
          // Other banks have payments of the same millisecond.
          const webhook = `|${order}|${status}|${transactionDate}`
          return isLatest ? told : { ...told, lack: { kind: 'unseen', webhook } }
        }),
      ),
    numbersOf: (qrcId: string) =>
      (fake.codes.get(qrcId)?.payments ?? []).map(({ transactionId }) => String(transactionId)),
    isCancelled: (qrcId: string) => fake.codes.get(qrcId)?.isCancelled === true,
    isPayable(qrcId: string) {
      const code = fake.codes.get(qrcId)
      const isOpen = code !== undefined && !code.isCancelled && (code.isStatic || !code.payment)
      return isOpen && (code.isStatic || now() < code.expiresAt)
    },
    slowRefunds(isSlow: boolean) {
      fake.refundStatus = isSlow ? 'IN_PROGRESS' : 'COMPLETED'
    },
    finishRefunds(isRefunded: boolean) {
      for (const [refundId, { status }] of fake.refunds)
        if (status === 'IN_PROGRESS') fake.settleRefund(refundId, isRefunded ? 'COMPLETED' : 'DECLINED')
    },
  } satisfies TestBank
}
