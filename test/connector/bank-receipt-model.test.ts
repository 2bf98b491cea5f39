// For any order of payments, refunds, closings, faults of the banks, notifications and restarts no document is made twice.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Misbehaviour, moodOf } from '../support/banks/misbehaviour.ts'
import { kindOf } from '../support/banks/tbank-register.ts'
import { randomOf } from '../support/random.ts'
import { HOUR, type Surroundings, start } from './harness.ts'
import { named, runningSteps, type Step, type Story } from './story-steps.ts'
import {
  askFor,
  GOODS,
  type Payment,
  refundWith,
  registered,
  riding,
  withBankRegisters,
} from './with-bank-registers.ts'

const RUNS = Number(process.env.RUNS ?? 15)
/** A slow machine runs fewer. */
const LIMIT_MS = RUNS * 5_000

type Asked = Awaited<ReturnType<typeof askFor>>

/** A payment at T-Bank, and what was asked of it. */
interface Paid {
  payment: Payment
  documents: Asked[]
  refund: Awaited<ReturnType<typeof refundWith>> | undefined
  isWhole: boolean
  hasClosing: boolean
}

interface World extends Story {
  at: Surroundings
  paid: Paid[]
  /** Documents of Raiffeisenbank: the attempts of each. */
  wanted: [Asked, ...Asked[]][]
}

const PREPAID = GOODS.map((item) => ({ ...item, vat: '10/110', method: 'fullPrepayment' }))
const pick = <T>(all: T[], index: number): T | undefined => all[index % all.length]
const lastOf = (attempts: [Asked, ...Asked[]]): Asked => attempts.at(-1) ?? attempts[0]

async function pay({ at, paid }: World, times: number): Promise<void> {
  // The service gives up a code that the bank does not answer, and so does this shop.
  const payment = await registered(at, riding(PREPAID)).catch(() => undefined)
  if (!payment) return
  await at.tbank.pay(payment.qrcId, { times })
  paid.push({ payment, documents: [], refund: undefined, isWhole: false, hasClosing: false })
}

/** The service knows the payment: it asks for nothing before. */
const isReported = ({ at }: World, { payment }: Paid): boolean =>
  at.service.site('cafe').payments.get(payment.paymentUid)?.status === 'COMPLETED'

async function askSale(world: World, paid: Paid): Promise<void> {
  const { payment, documents } = paid
  const isDue = documents.length === 0 && isReported(world, paid)
  if (isDue) documents.push(await askFor(world.at, payment, { items: PREPAID }))
}

async function requestRefund(world: World, paid: Paid, isWhole: boolean): Promise<void> {
  if (paid.refund || !isReported(world, paid)) return
  const items = isWhole ? PREPAID : PREPAID.slice(1)
  paid.isWhole = isWhole
  paid.refund = await refundWith(
    world.at,
    paid.payment,
    isWhole ? '100.00' : '40.00',
    riding(items, { isWholePayment: isWhole }),
  )
}

/** The service asks for the document of a refund that is done. */
async function askRefund({ at }: World, { payment, documents, refund, isWhole }: Paid): Promise<void> {
  const isAsked = documents.some(({ data }) => data.kind === 'refund')
  if (isAsked || Object(refund?.result()).status !== 'COMPLETED') return
  const items = isWhole ? PREPAID : PREPAID.slice(1)
  documents.push(await askFor(at, payment, { kind: 'refund', refundUid: 'r', items }))
}

/** A closing waits for the document of its sale. */
async function close({ at }: World, paid: Paid): Promise<void> {
  const [sale] = paid.documents
  if (paid.hasClosing || sale?.told()?.state !== 'REGISTERED') return
  paid.hasClosing = true
  const items = GOODS.slice(0, 1)
  paid.documents.push(await askFor(at, paid.payment, { kind: 'closing', closingUid: 'c', items }))
}

async function want({ at, wanted }: World, kind: string): Promise<void> {
  const number = wanted.length
  const payment = {
    siteId: 'farm',
    qrcId: `AD${number}`,
    reference: `raif-farm:${number}`,
    paymentUid: `AD${number}`,
  }
  wanted.push([await askFor(at, payment, { kind, refundUid: 'r', items: GOODS })])
}

/** The merchant has another attempt made, where the failure says that it may. */
async function retry({ at, wanted }: World, index: number): Promise<void> {
  const attempts = pick(wanted, index)
  const last = attempts && lastOf(attempts)
  const result = last?.told()
  if (!last || result?.state !== 'FAILED' || result.canRetry !== true) return
  const { receiptUid: _, siteId, qrcId, paymentUid, reference, ...data } = last.data
  attempts.push(await askFor(at, { siteId, qrcId, paymentUid, reference }, data))
}

const allOf = ({ paid, wanted }: World): Asked[] => [
  ...paid.flatMap(({ documents }) => documents),
  ...wanted.map(lastOf),
]

async function repeatAll(world: World): Promise<void> {
  for (const { refund } of world.paid) if (!refund?.result()) await refund?.again()
  for (const each of allOf(world)) await each.again()
}

const ofPaid = (name: string, act: (world: World, paid: Paid) => Promise<unknown>) =>
  fc.nat(20).map(
    (index): Step<World> => [
      `${name} ${index}`,
      async (world) => {
        const paid = pick(world.paid, index)
        if (paid) await act(world, paid)
      },
    ],
  )

const action: fc.Arbitrary<Step<World>> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(1, 1, 0, 2)
      .map((times): Step<World> => [`pay ${times}`, (world) => pay(world, times)]),
  },
  { weight: 4, arbitrary: ofPaid('sale', askSale) },
  { weight: 2, arbitrary: ofPaid('whole refund', (world, paid) => requestRefund(world, paid, true)) },
  { weight: 2, arbitrary: ofPaid('partial refund', (world, paid) => requestRefund(world, paid, false)) },
  { weight: 3, arbitrary: ofPaid('document of the refund', askRefund) },
  { weight: 3, arbitrary: ofPaid('close', close) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('sale', 'refund')
      .map((kind): Step<World> => [`want ${kind}`, (world) => want(world, kind)]),
  },
  {
    weight: 2,
    arbitrary: fc.nat(20).map((index): Step<World> => [`retry ${index}`, (world) => retry(world, index)]),
  },
  named<World>('repeat all', repeatAll),
  {
    weight: 3,
    arbitrary: fc.nat(1_000).map(
      (seed): Step<World> => [
        `mood ${seed}`,
        async ({ at }) => {
          const random = randomOf(seed)
          for (const bank of [at.tbank, at.raiffeisen]) {
            bank.misbehaviour = new Misbehaviour(random)
            bank.misbehaviour.mood = moodOf(random)
          }
        },
      ],
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('before', 'after', 'later').map(
      (notifies): Step<World> => [
        `notify ${notifies}`,
        async ({ at }) => {
          at.tbank.register.notifies = notifies
        },
      ],
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(1, 1, 2, 0)
      .map(
        (times): Step<World> => [`notifications ${times}`, ({ at }) => at.tbank.deliverReceipts({ times })],
      ),
  },
  named<World>('forged notification', async ({ at }) => {
    const [notice] = at.tbank.receiptNotices
    if (notice) await at.tbank.deliverReceipt(notice, {}, { FiscalDocumentNumber: 666 })
  }),
  named<World>('a document is not made', async ({ at }) =>
    at.tbank.register.failures.push('Касса не отвечает'),
  ),
  fc.boolean().map(
    (isSlow): Step<World> => [
      `slow ${isSlow}`,
      async ({ at }) => {
        at.tbank.isRefundSlow = isSlow
      },
    ],
  ),
  fc.constantFrom('DONE', 'FAILED').map(
    (result): Step<World> => [
      `registrations are ${result}`,
      async ({ at }) => {
        at.raiffeisen.register.result = result
      },
    ],
  ),
  { weight: 13, arbitrary: runningSteps<World>(start) },
)

/** Everything works, and all that waits is done. */
async function settle(world: World): Promise<void> {
  const { at } = world
  for (const bank of [at.tbank, at.raiffeisen]) bank.misbehaviour = undefined
  at.tbank.isRefundSlow = false
  for (const { paymentId, status } of at.tbank.sessions.values())
    if (status === 'ASYNC_REFUNDING') at.tbank.finishRefund(paymentId, true)
  for (let step = 0; step < 12; step++) {
    if (step % 3 === 0) await repeatAll(world)
    for (const paid of world.paid) {
      await askSale(world, paid)
      await askRefund(world, paid)
    }
    await at.tbank.deliverReceipts()
    at.clock.now += 8 * HOUR
    await world.running.connector.settle(4)
  }
}

/** A document that is registered, failed or held; what it says is true at the bank. */
function checkTBank({ at }: World, { payment, documents, refund, isWhole, hasClosing }: Paid): void {
  const { paymentId } = at.tbank.session(payment.qrcId)
  const cancels = at.tbank.callsOf('Cancel').map(({ body }) => Object(body))
  const own = cancels.filter(({ PaymentId }) => String(PaymentId) === paymentId)
  // Whatever becomes of the refund, it is sent once, with its receipt.
  expect(own.length).toBeLessThanOrEqual(refund ? 1 : 0)
  for (const { Receipt } of own) expect(Receipt !== undefined).toBe(!isWhole)
  const closings = at.tbank.callsOf('SendClosingReceipt').map(({ body }) => Object(body))
  const sent = closings.filter(({ PaymentId }) => String(PaymentId) === paymentId)
  expect(sent.length).toBeLessThanOrEqual(documents.filter(({ data }) => data.kind === 'closing').length)
  const made = at.tbank.register.documents.filter((each) => each.paymentId === paymentId)
  const madeOf = (kind: string) => made.filter((each) => kindOf(each) === kind)
  // The bank makes that of the sale with the payment, also where the service never asks for it.
  const bounds = { sale: 1, refund: refund ? 1 : 0, closing: hasClosing ? 1 : 0 }
  for (const [kind, bound] of Object.entries(bounds)) expect(madeOf(kind).length).toBeLessThanOrEqual(bound)
  const numbers = documents.flatMap(({ told, data }) => {
    const result = told()
    if (result?.state === 'FAILED') {
      expect(madeOf(data.kind)).toEqual([])
      return []
    }
    if (result?.state !== 'REGISTERED') {
      expect(result).toMatchObject({ state: 'SENT', isHeld: true })
      return []
    }
    const number = Number(Object(result.fiscal).fd)
    expect(made).toContainEqual(
      expect.objectContaining({
        ...{ number, type: data.kind === 'refund' ? 'IncomeReturn' : 'Income' },
        amount: Math.round(Number(data.amount.value) * 100),
      }),
    )
    return [number]
  })
  expect(new Set(numbers).size).toBe(numbers.length)
}

function checkRaiffeisen({ at }: World, attempts: [Asked, ...Asked[]]): void {
  const made = attempts
    .map(({ receiptUid }) => at.raiffeisen.register.documents.get(receiptUid)?.made ?? 0)
    .reduce((sum, each) => sum + each, 0)
  expect(made).toBeLessThanOrEqual(1)
  const result = lastOf(attempts).told()
  if (result?.state === 'REGISTERED') expect(made).toBe(1)
  else if (result?.state === 'FAILED') expect(made).toBe(0)
  else expect(result).toMatchObject({ state: 'SENT', isHeld: true })
}

it(
  `in ${RUNS} random stories each document is made once, or its failure or hold is named`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 15, maxLength: 50 }), async (actions) => {
        const at = await withBankRegisters()
        const world: World = { at, running: await start(at), paid: [], wanted: [], backup: undefined }
        for (const [, act] of actions) await act(world)
        await settle(world)
        for (const paid of world.paid) checkTBank(world, paid)
        for (const attempts of world.wanted) checkRaiffeisen(world, attempts)
        expect(world.running.core.disk.reports.notAccepted()).toEqual([])
        await world.running.stop()
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: LIMIT_MS, markInterruptAsFailure: false },
    )
  },
  LIMIT_MS + 60_000,
)
