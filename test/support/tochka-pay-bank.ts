// The fake Pay Gateway by what all test banks can do. By turns it reorders, repeats and delays what it tells.
import type { Delivery } from './banks/fake-bank.ts'
import { refundedOf } from './banks/tochka-pay/records.ts'
import { FakeTochkaPay } from './banks/tochka-pay.ts'
import { type LedgerPayment, mayBeLost, moneyOf, sum, type TestBank, variableOf } from './test-banks.ts'

/** Reserved ids: a long history has no more cashbox codes. */
const CASHBOX_CODES = 12
/** Roubles of a sale of another program. */
const FOREIGN = 77_700

/** What becomes of refunds that take their time: a decline for one of these reasons can have moved money. */
const SLOWLY = [
  'WAITING',
  'REFUND_ID_ALREADY_TAKEN',
  'WAITING',
  'GATEWAY_TIMEOUT',
  'REFUND_NOT_FOUND',
] as const

/** @param index makes its siteUid another one than those of the other fakes */
export function tochkaPayBank(name: string, now: () => number, index = 0) {
  const fake = new FakeTochkaPay(now)
  fake.siteUid = `site-${index}`
  const { ledger, webhooks, codes } = fake
  let turns = 0
  const isTurn = (of: number) => turns++ % of === 0
  fake.callbackTimes = () => turns++ % 3
  /** The payments of the codes, without those of another program's sales. */
  const payments = () =>
    ledger.payments.filter(({ activationUid }) => !codes.foreign.has(activationUid ?? ''))
  const refunds = () => ledger.payments.flatMap((payment) => payment.refunds)
  return {
    name,
    kind: 'tochka-pay',
    fake,
    operations: { register: 'register', refund: 'refund' },
    credentials: (url: string) => ({
      ...{ bank: 'tochka-pay', baseUrl: `${url}/uapi`, siteUid: fake.siteUid },
      ...{ jwt: { env: variableOf(name) }, privateKey: { env: `${variableOf(name)}_KEY` } },
      webhookKey: { env: `${variableOf(name)}_WEBHOOKS` },
    }),
    account: { digitalRouble: true, cashRegisterQrcIds: codes.reserve(CASHBOX_CODES) },
    secrets: {
      ...{ [variableOf(name)]: fake.jwt, [`${variableOf(name)}_KEY`]: fake.privateKey },
      [`${variableOf(name)}_WEBHOOKS`]: JSON.stringify(fake.webhookKey),
    },
    pay(qrcId: string, delivery: Delivery = {}) {
      const isDigital = fake.code(qrcId).methods.includes('DIGITAL_RUBLE') && isTurn(3)
      fake.tellsWaiting = isTurn(2)
      webhooks.order = isTurn(2) ? 'made' : 'reversed'
      return mayBeLost(fake.pay(qrcId, { method: isDigital ? 'DIGITAL_RUBLE' : 'SBP', ...delivery }))
    },
    deliver: (qrcId: string) => mayBeLost(fake.deliver(qrcId)),
    money: () =>
      moneyOf(codes.all, ({ payments: of }) => ({
        paid: sum(of.map(({ isMoved, amount }) => (isMoved ? amount : 0))),
        refunded: sum(of.map(refundedOf)),
      })),
    ledger: () =>
      payments()
        .filter(({ isMoved }) => isMoved)
        .map((payment): LedgerPayment => {
          const { qrcId, paymentUid, amount: paid } = payment
          const isDynamic = codes.all.get(qrcId)?.type === 'DYNAMIC'
          return { qrcId, paymentUid: isDynamic ? qrcId : paymentUid, paid, refunded: refundedOf(payment) }
        }),
    numbersOf: (qrcId: string) => fake.code(qrcId).payments.map(({ paymentUid }) => paymentUid),
    isCancelled: () => false,
    isPayable(qrcId: string) {
      const { type, payments: of, expiresAt = Number.POSITIVE_INFINITY } = fake.code(qrcId)
      if (type === 'STATIC') return true
      const sale = type === 'COUNTER' ? codes.salesOf(qrcId).open : undefined
      if (type === 'COUNTER') return sale !== undefined
      return type === 'DYNAMIC' && now() < expiresAt && of.length === 0
    },
    slowRefunds(isSlow: boolean) {
      ledger.refundResult = isSlow ? (SLOWLY[turns++ % SLOWLY.length] ?? 'WAITING') : 'COMPLETED'
      ledger.movesDeclined = isTurn(2)
      fake.lagging.clear()
      if (!isSlow) return
      for (const operation of ['code_payments', 'refunds', 'refund_status']) fake.lagging.add(operation)
    },
    finishRefunds(isRefunded: boolean) {
      for (const { refundUid, status, isMoved } of refunds()) {
        if (status.value === 'WAITING')
          void mayBeLost(fake.finishRefund(refundUid, isRefunded ? 'COMPLETED' : 'INSUFFICIENT_FUNDS'))
        // A decline that was none.
        else if (status.value === 'DECLINED' && isMoved && isRefunded)
          void mayBeLost(fake.finishRefund(refundUid, 'COMPLETED'))
      }
    },
    sellElsewhere(qrcId: string) {
      codes.activateElsewhere(qrcId, FOREIGN, 5)
    },
    wronglyEnded: () => fake.wronglyEnded,
    maxCounters: CASHBOX_CODES,
    happened: () => ({
      sales: fake.callsOf('activate').length,
      'sales that were ended': fake.callsOf('deactivate').length,
      'sales of another program': codes.foreign.size,
      'refunds in doubt': refunds().filter(({ status }) =>
        (SLOWLY as readonly string[]).includes(status.reasonCode ?? ''),
      ).length,
    }),
  } satisfies TestBank
}
