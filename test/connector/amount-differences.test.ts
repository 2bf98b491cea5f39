// A bank states another amount of a payment than was reported: the report stays, and the operator is told until it is closed.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { bind, charge, PRICE, TBANK } from './bound.ts'
import { arm, COUNTER } from './cashbox.ts'
import {
  DAY,
  deliver,
  HOUR,
  MINUTE,
  type Running,
  register,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'
import { runCommand, runTyping } from './process.ts'

const DIFFERS = 'a bank states another amount of a payment than was reported'

interface Payment {
  at: Surroundings
  running: Running
  site: string
  qrcId: string
  paymentUid: string
  /** The bank states it again, of an amount in kopecks, in a signed webhook or when it is asked. */
  state: (amount: number) => Promise<void>
}

async function open() {
  const at = await surroundings({ now: Date.now() - HOUR })
  return { at, running: await start({ ...at, directory: `${at.directory}/data` }) }
}

/** A code of 100.00 whose webhook is late: the bank was asked, and has stated no amount of the payment. */
async function tochkaAsked(): Promise<Payment> {
  const { at, running } = await open()
  const { qrcId } = await register(at, 'tea')
  const number = await at.tochka.pay(qrcId, { amount: 5_000, times: 0 })
  await running.later(MINUTE)
  const state = async (amount: number) => {
    const payment = at.tochka.codes.get(qrcId)?.payments[0]
    if (payment) payment.amount = amount
    await at.tochka.deliver(number)
    await running.connector.settle()
  }
  return { at, running, site: 'tea', qrcId, paymentUid: qrcId, state }
}

/** A sale of 100.00 whose webhook is late: its status had no amount. */
async function tochkaSale(): Promise<Payment> {
  const { at, running } = await open()
  at.tochka.statesSaleAmounts = false
  const { qrcId, reference } = await register(at, 'tea', COUNTER)
  await arm(at, { qrcId, reference }, 's1', '100.00')
  const number = await at.tochka.pay(qrcId, { amount: 5_000, times: 0 })
  await running.later(MINUTE)
  const state = async (amount: number) => {
    const payment = at.tochka.codes.get(qrcId)?.payments[0]
    if (payment) payment.amount = amount
    await at.tochka.deliver(number)
    await running.connector.settle()
  }
  const [paymentUid = ''] = at.service.site('tea').payments.keys()
  return { at, running, site: 'tea', qrcId, paymentUid, state }
}

/** Its status has an amount, and so has its notification. */
async function tbankAsked(): Promise<Payment> {
  const { at, running } = await open()
  const { qrcId } = await register(at, 'cafe')
  await at.tbank.pay(qrcId, { times: 0 })
  await running.later(MINUTE)
  const state = async (amount: number) => {
    at.tbank.session(qrcId).amount = amount
    await deliver(at, 'cafe', qrcId)
    await running.connector.settle()
  }
  return { at, running, site: 'cafe', qrcId, paymentUid: qrcId, state }
}

/** Its callback is confirmed by its status, which has the amount. */
async function raiffeisenAsked(): Promise<Payment> {
  const { at, running } = await open()
  const { qrcId } = await register(at, 'farm')
  await at.raiffeisen.pay(qrcId)
  await running.connector.settle()
  const state = async (amount: number) => {
    const code = at.raiffeisen.codes.get(qrcId)
    if (code) code.amount = amount
    await deliver(at, 'farm', qrcId)
    await running.connector.settle()
  }
  return { at, running, site: 'farm', qrcId, paymentUid: qrcId, state }
}

/** A charge of 100.00 of a bound account. */
async function tbankCharged(): Promise<Payment> {
  const { at, running } = await open()
  at.clock.now += 1_000
  const { binding } = await bind({ at, running }, TBANK)
  const amount = { ...PRICE, value: '100.00' }
  const link = await register(at, 'cafe', { amount })
  const asked = await charge(at, binding, link, { amount })
  await running.connector.settle()
  const paymentId = String(asked.result()?.networkUid)
  const state = async (kopecks: number) => {
    const session = at.tbank.sessions.get(paymentId)
    if (session) session.amount = kopecks
    await at.tbank.deliver(paymentId)
    await running.connector.settle()
  }
  return { at, running, site: 'cafe', qrcId: link.qrcId, paymentUid: asked.paymentUid, state }
}

const period = () => [
  ...['--from', new Date(Date.now() - 24 * HOUR).toISOString()],
  ...['--to', new Date(Date.now() + HOUR).toISOString()],
]

describe.each([
  ['Tochka, whose status has no amount', tochkaAsked],
  ['a sale at Tochka, whose status has no amount', tochkaSale],
  ['T-Bank', tbankAsked],
  ['Raiffeisenbank', raiffeisenAsked],
  ['a charge at T-Bank', tbankCharged],
])('%s', (_, paid) => {
  it('is named with both amounts by log, metric, check, reconcile and settle until it is closed; its report stays', async () => {
    const { at, running, site, qrcId, paymentUid, state } = await paid()
    const reported = () => at.service.site(site).payments.get(paymentUid)
    const errors = () => running.log.filter(({ message }) => message === DIFFERS)
    expect(reported()).toMatchObject({ status: 'COMPLETED', amount: { value: '100.00' } })
    await state(10_000)
    expect(errors()).toEqual([])
    await state(5_000)
    await state(5_000)
    expect(errors()).toEqual([
      {
        level: 'error',
        message: DIFFERS,
        fields: expect.objectContaining({ site, paymentUid, reported: '100.00', stated: '50.00' }),
      },
    ])
    expect(reported()).toMatchObject({ status: 'COMPLETED', amount: { value: '100.00' } })
    expect(await (await fetch(`${running.url}/metrics`)).text()).toContain(
      '\nfps_connector_amount_differences 1\n',
    )
    await running.stop()
    const text = `${site} payment ${paymentUid} of the code ${qrcId}: reported 100.00 RUB, the bank states 50.00 RUB`
    const listed = async () => [
      (await runCommand(at, 'check')).lines.some(
        (line) => line.startsWith('FAIL') && line.endsWith(`${text}: see settle`),
      ),
      (await runCommand(at, 'reconcile', ...period())).lines.includes(`${text}: see settle`),
      (await runCommand(at, 'settle')).lines.includes(`  ${text}`),
    ]
    expect(await listed()).toEqual([true, true, true])
    const of = [
      '--site',
      site,
      '--difference',
      paymentUid,
      '--by',
      'anna',
      '--reason',
      'the shop has the rest',
    ]
    const closed = await runTyping(at, '100.00', 'settle', ...of)
    expect([closed.code, closed.lines[0]]).toEqual([0, text])
    expect(await listed()).toEqual([false, false, false])
    const database = new DatabaseSync(join(at.directory, 'data/connector.sqlite'), { readOnly: true })
    expect(database.prepare('SELECT closed_by, closed_reason FROM amount_differences').all()).toEqual([
      { closed_by: 'anna', closed_reason: 'the shop has the rest' },
    ])
    database.close()
    expect((await runCommand(at, 'settle', ...of)).errors).toBe(
      `no amount of the payment ${paymentUid} of ${site} is open`,
    )
  })
})

it('a webhook of Tochka that waits while another states another amount of the payment: both count', async () => {
  const { at, running } = await open()
  const { qrcId } = await register(at, 'tea')
  const number = await at.tochka.pay(qrcId, { times: 0 })
  const payment = at.tochka.codes.get(qrcId)?.payments[0]
  // Neither is processed before both are here.
  await at.tochka.deliver(number)
  if (payment) payment.amount = 5_000
  await at.tochka.deliver(number)
  await running.connector.settle()
  expect(at.service.site('tea').payments.get(qrcId)).toMatchObject({ amount: { value: '100.00' } })
  expect(running.core.disk.amountDifferences.open()).toMatchObject([{ stated: 5_000, reported: 10_000 }])
})

/** As Tochka's document shows a refusal. */
const REFUSAL = {
  ...{ code: '400', id: 'x', message: 'no' },
  Errors: [{ errorCode: 'Error', message: 'no', url: 'https://bank/help' }],
}

describe('a webhook of Tochka that states an amount of no reported sale', () => {
  /** Sales of these amounts in roubles that were paid, whose status had no amount, and whose webhooks are late. */
  async function sold(...amounts: number[]) {
    const { at, running } = await open()
    at.tochka.statesSaleAmounts = false
    const code = await register(at, 'tea', COUNTER)
    const numbers: string[] = []
    for (const [i, amount] of amounts.entries()) {
      await arm(at, code, `s${i}`, `${amount}.00`)
      numbers.push(await at.tochka.pay(code.qrcId, { times: 0 }))
      await running.later(MINUTE)
    }
    const payments = at.tochka.codes.get(code.qrcId)?.payments ?? []
    const state = async (sale: number, amount: number) => {
      const payment = payments[sale]
      if (payment) payment.amount = amount * 100
      await at.tochka.deliver(numbers[sale] ?? '')
      await running.connector.settle()
    }
    const { disk } = running.core
    const found = () => ({
      differences: disk.amountDifferences.open().map(({ stated, reported }) => [reported, stated]),
      waiting: disk.webhooks.waiting().map(({ problem }) => problem),
    })
    return { at, running, code, state, found }
  }

  it('is of the one sale whose webhook is missing, also where others of the code were told of', async () => {
    const { state, found } = await sold(100, 100, 100)
    await state(0, 100)
    await state(2, 100)
    await state(1, 50)
    expect(found()).toEqual({ differences: [[10_000, 5_000]], waiting: [] })
    // Each of them repeated says nothing new.
    for (const [sale, amount] of [
      [0, 100],
      [1, 50],
      [2, 100],
    ] as const)
      await state(sale, amount)
    expect(found()).toEqual({ differences: [[10_000, 5_000]], waiting: [] })
  })

  it('waits, and is listed, while two sales can be the one', async () => {
    const { state, found } = await sold(100, 70)
    await state(1, 50)
    expect(found()).toEqual({ differences: [], waiting: ['NO_SALE'] })
  })

  it('waits, and is listed, where an arming of that amount got no answer', async () => {
    const { at, running, code, found } = await sold(100)
    at.tochka.fail('arm', { broken: 'after' })
    await arm(at, code, 'lost', '50.00')
    await at.tochka.pay(code.qrcId)
    await running.connector.settle()
    expect(found()).toEqual({ differences: [], waiting: ['NO_SALE'] })
  })

  it('waits while the bank does not state a sale of that amount as paid yet, and is of that one then', async () => {
    const { at, running, code, found } = await sold(500)
    await arm(at, code, 'slow', '300.00')
    at.tochka.fail('sale_status', { changes: { trxStatus: 'RCVD' } }, 2)
    await at.tochka.pay(code.qrcId)
    await running.connector.settle()
    expect(found()).toEqual({ differences: [], waiting: ['NO_SALE'] })
    at.tochka.heal()
    at.clock.now += 10 * MINUTE
    await running.connector.settle()
    expect(found()).toEqual({ differences: [], waiting: [] })
    expect(at.service.site('tea').payments.size).toBe(2)
  })

  it('is of the one sale whose webhook is missing, also where the bank has refused an arming of that amount', async () => {
    const { at, running, code, state, found } = await sold(100)
    at.tochka.fail('arm', { status: 400, body: REFUSAL }, 1)
    expect((await arm(at, code, 'refused', '50.00')).status).toBe(422)
    expect(running.core.disk.sales.get('tea', code.qrcId, 'refused')).toBeUndefined()
    await state(0, 50)
    expect(found()).toEqual({ differences: [[10_000, 5_000]], waiting: [] })
  })

  it('waits, and is listed, where the sale that it could be of was reported eight days ago', async () => {
    const { at, running, code, found } = await sold(100)
    at.clock.now += 8 * DAY
    at.tochka.fail('arm', { broken: 'after' })
    await arm(at, code, 'lost', '100.00')
    await at.tochka.pay(code.qrcId)
    await running.connector.settle()
    expect(found()).toEqual({ differences: [], waiting: ['NO_SALE'] })
  })

  it('waits, and is listed, where the bank has stated the amounts of all sales', async () => {
    const { at, running, code, found } = await sold()
    at.tochka.statesSaleAmounts = true
    await arm(at, code, 's1', '100.00')
    await at.tochka.pay(code.qrcId, { times: 0 })
    await running.later(MINUTE)
    // An arming that the disk does not have: of a restored one, or of another program.
    await at.tochka.pay(code.qrcId, { amount: 5_000 })
    await running.connector.settle()
    expect(found()).toEqual({ differences: [], waiting: ['NO_SALE'] })
  })
})

it('what was closed stays closed while the bank states the same amount, and another amount is listed', async () => {
  const { running, state } = await tbankAsked()
  await state(5_000)
  const { amountDifferences } = running.core.disk
  const [difference] = amountDifferences.open()
  if (!difference) throw new Error('nothing is open')
  expect(amountDifferences.close(difference, { at: 1, by: 'anna', reason: 'refunded by hand' })).toBe(true)
  await state(5_000)
  expect(amountDifferences.open()).toEqual([])
  await state(7_000)
  expect(amountDifferences.open()).toMatchObject([{ stated: 7_000, reported: 10_000 }])
})

it.each([
  ['of Tochka’s status, after the webhook has stated another one', 'tea'],
  ['of T-Bank’s status after a refund, when it may be what is left', 'cafe'],
])('an assumed amount contradicts nothing: that %s', async (_, site) => {
  const { at, running } = await open()
  const { qrcId } = await register(at, site)
  if (site === 'tea') await at.tochka.pay(qrcId, { amount: 5_000 })
  else await at.tbank.pay(qrcId)
  await running.connector.settle()
  if (site === 'cafe') await at.tbank.refundInConsole(at.tbank.session(qrcId).paymentId, 2_500)
  await running.later(MINUTE)
  expect(running.core.disk.amountDifferences.open()).toEqual([])
  await running.stop()
  const { lines } = await runCommand(at, 'reconcile', ...period())
  expect(lines.filter((line) => line.includes(qrcId))).toEqual([])
})

it.each([
  ['the payment of another site', ['--site', 'farm']],
  ['another payment', ['--difference', 'other']],
  ['no name', ['--by', '']],
  ['no reason', ['--reason', '']],
  ['a reason of 256 characters', ['--reason', 'x'.repeat(256)]],
])('nothing is closed with %s', async (_, other) => {
  const { at, running, paymentUid, state } = await tbankAsked()
  await state(5_000)
  await running.stop()
  const good = ['--site', 'cafe', '--difference', paymentUid, '--by', 'anna', '--reason', 'done', '--yes']
  // The last one of an option counts.
  expect((await runCommand(at, 'settle', ...good, ...other)).code).toBe(2)
  expect((await runCommand(at, 'settle')).lines.join()).toContain(`--difference ${paymentUid}`)
  expect((await runTyping(at, '50.00', 'settle', ...good.slice(0, -1))).code).toBe(2)
  expect((await runCommand(at, 'settle', ...good)).code).toBe(0)
})
