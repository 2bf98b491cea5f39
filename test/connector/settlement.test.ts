// What the connector reports for settlement files: by it each line of a bank's registry finds its payment or refund.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BANKS as KINDS } from '../../connector/banks/banks.ts'
import type { BankIds } from '../../src/settlement/formats/entry.ts'
import { roubles } from '../../src/settlement/formats/money.ts'
import { match } from '../../src/settlement/matching.ts'
import type { Operation } from '../../src/settlement/operation.ts'
import { BANKS, type SettlementBank } from '../../src/settlement/sources.ts'
import { entriesOf, type Line } from '../support/settlement/bank-files.ts'
import { charged, RAIFFEISEN, TBANK, TOCHKA_PAY } from './bound.ts'
import {
  CAFE,
  CLUB,
  FAKES,
  FARM,
  type Fake,
  fakeOf,
  HOUR,
  launched,
  MINUTE,
  pay,
  refund,
  register,
  type Surroundings,
  start,
  surroundings,
  TEA,
} from './harness.ts'
import { paid } from './paid.ts'
import { makeDisk, runCommand } from './process.ts'

/** What a site keeps of a payment and of a refund: the columns of the reports. */
interface Row {
  uid: string
  kind: Operation['kind']
  amount: number
  networkUid?: string | undefined
  order?: string | undefined
  qrcId?: string | undefined
  refundNumber?: string | undefined
}

/** The numbers by which files of a bank name an operation; docs/settlement.md has the same table. */
const IDS: Record<SettlementBank, (row: Row) => BankIds> = {
  tbank: ({ networkUid, order }) => ({ paymentId: networkUid, order }),
  raiffeisen: ({ order, qrcId, refundNumber }) => ({ order, qrcId, refundId: refundNumber }),
  tochka: ({ networkUid }) => ({ operationId: networkUid }),
  'tochka-pay': ({ networkUid, order, qrcId, refundNumber }) => ({
    ...{ paymentId: networkUid, order, qrcId, refundId: refundNumber },
  }),
}

const bankOf = (site: string): SettlementBank =>
  site === TEA.site
    ? 'tochka'
    : site === CAFE.site
      ? 'tbank'
      : site === FARM.site
        ? 'raiffeisen'
        : 'tochka-pay'

const kopecks = (amount: unknown): number => Math.round(Number(Object(amount).value) * 100)
const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : String(value))

/** The operations that a site makes of what was reported to it. */
function operationsOf({ service, clock }: Surroundings, site: string): Operation[] {
  const { payments, refunds } = service.site(site)
  const rowOf = (uid: string): Row => {
    const payment = payments.get(uid)
    if (!payment) throw new Error(`no payment ${uid} was reported`)
    const { networkUid, amount, qrcId } = payment
    const order = textOf(service.named.get(uid)?.order)
    return { uid, kind: 'payment', amount: kopecks(amount), networkUid: textOf(networkUid), order, qrcId }
  }
  const rows = [
    ...Array.from(payments.keys(), rowOf),
    ...Array.from(refunds, ([uid, { amount }]): Row => {
      const number = textOf(service.named.get(uid.replace('/', '/refunds/'))?.networkUid)
      const payment = rowOf(uid.split('/')[0] ?? '')
      return { ...payment, uid, kind: 'refund', amount: -kopecks(amount), refundNumber: number }
    }),
  ]
  return rows.map((row) => ({
    ...{ kind: row.kind, uid: row.uid, amount: row.amount, currency: 'RUB', status: 'COMPLETED' },
    ...{ at: Math.floor(clock.now / 1000), ids: IDS[bankOf(site)](row) },
  }))
}

/** Of a payment that has two, in kopecks. */
const REFUNDS = [3_000, 2_000]

/** What the bank itself has of the payment of a code, and of the refunds of it: the uids are ours. */
const LINES: Record<
  SettlementBank,
  (at: Surroundings, qrcId: string, refunds: string[]) => [string, Line][]
> = {
  tbank({ tbank }, qrcId, refunds) {
    const { paymentId, orderId, amount } = tbank.session(qrcId)
    const numbers = { paymentId, order: orderId }
    return [
      [qrcId, { kind: 'payment', amount, numbers }],
      // Its refunds have no number: of one payment only the sum tells them apart.
      ...refunds.map((uid, index): [string, Line] => [
        uid,
        { kind: 'refund', amount: REFUNDS[index] ?? 0, numbers },
      ]),
    ]
  },
  raiffeisen({ raiffeisen }, qrcId, refunds) {
    const { order = '', amount = 0 } = raiffeisen.codes.get(qrcId) ?? {}
    const numbers = { 'id заказа': order, 'Данные оплаты': qrcId }
    const made = Array.from(raiffeisen.refunds).filter(([, each]) => each.order === order)
    return [
      [qrcId, { kind: 'payment', amount, numbers }],
      ...refunds.map((uid, index): [string, Line] => {
        const [number = '', { amount = 0 } = {}] = made[index] ?? []
        return [uid, { kind: 'refund', amount, numbers: { ...numbers, 'id возврата': number } }]
      }),
    ]
  },
  tochka({ tochka }, qrcId) {
    const [{ refTransactionId, amount }] = paymentsOf(tochka.codes.get(qrcId)?.payments)
    return [[qrcId, { kind: 'payment', amount, numbers: { paymentId: refTransactionId } }]]
  },
  'tochka-pay'({ tochkaPay }, qrcId, refunds) {
    const [payment] = paymentsOf(tochkaPay.ledger.payments.filter((each) => each.qrcId === qrcId))
    const { paymentUid, amount } = payment
    return [
      [qrcId, { kind: 'payment', amount, numbers: { TRANSACTION_ID: paymentUid, QRC_ID: qrcId } }],
      ...refunds.map((uid, index): [string, Line] => {
        const { refundUid = '', amount = 0 } = payment.refunds[index] ?? {}
        const numbers = { TRANSACTION_ID: refundUid, PARENT_TRANSACTION_ID: paymentUid, QRC_ID: qrcId }
        return [uid, { kind: 'refund', amount, numbers }]
      }),
    ]
  },
}

function paymentsOf<Each>(all: readonly Each[] | undefined): [Each, ...Each[]] {
  const [first, ...others] = all ?? []
  if (!first) throw new Error('the bank has no payment')
  return [first, ...others]
}

/** What each line is matched to, and the fields that differ. */
async function matched(at: Surroundings, site: string, lines: readonly [string, Line][]) {
  const entries = await entriesOf(
    bankOf(site),
    lines.map(([, line]) => line),
  )
  const found = match(entries, operationsOf(at, site))
  return entries.map((entry) => {
    const { operation, state, differences } = found.find((each) => each.entry === entry) ?? {}
    return [operation?.uid, state, ...(differences ?? []).map(({ field }) => field)]
  })
}

it('each kind of bank has the word of its settlement files', () =>
  expect(KINDS.map(({ kind }) => kind).sort()).toEqual([...BANKS].sort()))

/** Three payments of one amount in one hour: with two refunds, with one, and with none. */
async function hour(site: string) {
  const { at, running } = await launched()
  const lines: [string, Line][] = []
  const links = []
  for (const sums of [REFUNDS, REFUNDS.slice(0, 1), []]) {
    const link = await register(at, site)
    links.push(link)
    await pay(at, site, link.qrcId)
    await running.connector.settle()
    const uids: string[] = []
    for (const sum of sums) {
      const { refundUid } = await refund(at, site, link, roubles(sum))
      await running.later(MINUTE, 2)
      uids.push(`${link.qrcId}/${refundUid}`)
    }
    lines.push(...LINES[bankOf(site)](at, link.qrcId, uids))
  }
  return { at, running, lines, links }
}

/** A connector on the disk that commands use. */
async function withCommands() {
  const at = await surroundings()
  makeDisk(at)
  const running = await start({ ...at, directory: join(at.directory, 'data') })
  return { at, running }
}

describe.each(FAKES)('at the bank of $site', ({ site }) => {
  it('each line of its registry is matched by its numbers, in any order', async () => {
    const { at, lines } = await hour(site)
    // The registry of payment links does not say how a refund is shown.
    expect(lines).toHaveLength(site === TEA.site ? 3 : 6)
    const expected = lines.map(([uid]) => [uid, 'MATCHED'])
    expect(await matched(at, site, lines)).toEqual(expected)
    expect(await matched(at, site, lines.toReversed())).toEqual(expected.toReversed())
  })

  it('a line of another amount is found by its number all the same', async () => {
    const { at, lines, links } = await hour(site)
    const ofOne = lines.filter(([uid]) => uid.startsWith(`${links[0]?.qrcId}/`))
    const alone = lines.filter((line) => site !== CAFE.site || !ofOne.includes(line))
    const others = alone.map(([uid, line]): [string, Line] => [uid, { ...line, amount: line.amount + 100 }])
    expect(await matched(at, site, others)).toEqual(alone.map(([uid]) => [uid, 'MISMATCHED', 'amount']))
  })

  it('its reports name it, and its order where a registry prints that', async () => {
    const { at, link } = await paid(fakeOf(site))
    const orders: Record<string, () => string | undefined> = {
      [CAFE.site]: () => at.tbank.session(link.qrcId).orderId,
      [FARM.site]: () => at.raiffeisen.codes.get(link.qrcId)?.order,
    }
    const order = orders[site]?.()
    expect(at.service.named.get(link.qrcId)).toEqual({ bank: bankOf(site), ...(order && { order }) })
  })

  it('a payment that is found by asking the bank has both, too', async () => {
    const { at, running } = await launched()
    const { qrcId } = await register(at, site)
    await pay(at, site, qrcId, { times: 0 })
    await running.later(MINUTE, 20)
    const order = (site === CAFE.site || site === FARM.site) && { order: expect.any(String) }
    expect(at.service.named.get(qrcId)).toEqual({ bank: bankOf(site), ...order })
  })

  it('`replay` states the bank of a payment that was reported without it', async () => {
    const { at, running } = await withCommands()
    const link = await register(at, site)
    await pay(at, site, link.qrcId)
    await running.connector.settle()
    await running.stop()
    at.service.named.clear()
    expect((await runCommand(at, 'replay', '--from', '2026-11-20')).code).toBe(0)
    expect(at.service.named.get(link.qrcId)).toMatchObject({ bank: bankOf(site) })
  })
})

describe('a refund’s number at its bank', () => {
  it.each<[Fake, (at: Surroundings) => string | undefined]>([
    [TEA, ({ tochka }) => [...tochka.refunds.keys()][0]],
    [CAFE, () => undefined],
    [FARM, ({ raiffeisen }) => [...raiffeisen.refunds.keys()][0]],
    [CLUB, ({ tochkaPay }) => tochkaPay.ledger.payments[0]?.refunds[0]?.refundUid],
  ])('of $site is reported where the bank has one', async (bank, numberOf) => {
    const { at, running, link } = await paid(bank)
    const { refundUid } = await refund(at, bank.site, link, '30.00')
    await running.later(MINUTE, 20)
    const { status } = at.service.site(bank.site).refunds.get(`${link.qrcId}/${refundUid}`) ?? {}
    const networkUid = numberOf(at)
    expect([status, at.service.named.get(`${link.qrcId}/refunds/${refundUid}`)]).toEqual([
      ...['COMPLETED', networkUid === undefined ? {} : { networkUid }],
    ])
  })

  it('is not reported of one that an operator has settled: it can have been made by hand', async () => {
    const { at, running } = await withCommands()
    const link = await register(at, 'farm')
    await pay(at, 'farm', link.qrcId)
    await running.connector.settle()
    at.raiffeisen.fail('refund', { broken: 'before' }, 99)
    const { refundUid } = await refund(at, 'farm', link, '30.00')
    await running.later(HOUR, 80)
    const of = ['--site', 'farm', '--payment', link.qrcId, '--refund', refundUid, '--by', 'anna'] as const
    await running.stop()
    const settled = await runCommand(at, 'settle', ...of, '--as', 'completed', '--yes')
    expect(settled).toMatchObject({ errors: '', code: 0 })
    const { status } = at.service.site('farm').refunds.get(`${link.qrcId}/${refundUid}`) ?? {}
    expect([status, at.service.named.get(`${link.qrcId}/refunds/${refundUid}`)]).toEqual(['COMPLETED', {}])
  })
})

describe('a charge of a bound account', () => {
  it.each([
    [
      TBANK,
      ({ tbank }: Surroundings, number: string) => ({
        ...{ paymentId: number, order: tbank.sessions.get(number)?.orderId ?? '' },
      }),
    ],
    [RAIFFEISEN, (_: Surroundings, number: string) => ({ 'id заказа': number })],
    [TOCHKA_PAY, (_: Surroundings, number: string) => ({ TRANSACTION_ID: number })],
  ] as const)('at $name is found by its line', async (bank, numbersOf) => {
    const { at, asked } = await charged(bank)
    const [number = ''] = bank.numbers(at)
    const line: Line = { kind: 'payment', amount: 5_100, numbers: numbersOf(at, number) }
    expect(await matched(at, bank.site, [[asked.paymentUid, line]])).toEqual([
      [asked.paymentUid, 'MISMATCHED', 'amount'],
    ])
    expect(at.service.named.get(asked.paymentUid)).toEqual({
      bank: bankOf(bank.site),
      ...(bank !== TOCHKA_PAY && { order: expect.stringMatching(/^[0-9a-f]{32}$/) }),
    })
  })
})
