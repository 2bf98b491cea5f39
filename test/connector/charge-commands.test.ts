// The operator's commands about bound accounts and their charges: what they print, and what they decide.
import { expect, it } from 'vitest'
import { type BindingBank, bind, charge, chargeData, PRICE, RAIFFEISEN, TBANK } from './bound.ts'
import { HOUR, MINUTE, register, start, surroundings } from './harness.ts'
import { runCommand } from './process.ts'

/** A bound account, and a code to charge, on a disk that the commands have too. */
async function bound(bank: BindingBank, now = Date.now() - 3 * HOUR) {
  const at = await surroundings({ now })
  const running = await start({ ...at, directory: `${at.directory}/data` })
  at.clock.now += MINUTE
  const { binding } = await bind({ at, running }, bank)
  return { at, running, binding, link: await register(at, bank.site, { amount: PRICE }) }
}

/** A charge that was sent and never had an answer, held. */
async function held() {
  const { at, running, binding, link } = await bound(TBANK)
  at.tbank.fail('ChargeQr', { broken: 'before' })
  const asked = await charge(at, binding, link)
  await running.connector.settle()
  const session = Array.from(at.tbank.sessions.values()).at(-1)
  if (!session) throw new Error('no session')
  session.expiresAt = Number.POSITIVE_INFINITY
  await running.later(2 * HOUR + MINUTE)
  await running.stop()
  return { at, asked, paymentId: session.paymentId }
}

it('check says where the terminal’s notifications are to go, and how many charges are held', async () => {
  const { at } = await held()
  const { lines } = await runCommand(at, 'check')
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^ok {3}tbank-cafe: consents .* set http:\S+\/webhooks\/tbank-cafe .*Магазины → Настройки/,
    ),
  )
  expect(lines).toContainEqual(expect.stringMatching(/^note tbank-cafe: cannot end a binding: /))
  expect(lines).toContain('FAIL tbank-cafe: 1 charges are held: see settle')
})

it.each([
  ['completed', 'COMPLETED'],
  ['declined', 'DECLINED'],
])(
  'settle lists a held charge with all that the operator needs; --as %s reports %s, once',
  async (word, status) => {
    const { at, asked, paymentId } = await held()
    const list = await runCommand(at, 'settle')
    expect(list.code).toBe(1)
    expect(list.lines[0]).toBe(`--site cafe --charge ${asked.paymentUid}`)
    expect(list.lines[1]).toMatch(
      /^ {2}50\.00 RUB, asked for 20\S+Z, tbank-cafe order [0-9a-f]{32}, payment \d+, code AD/,
    )
    expect(list.lines[2]).toBe('  held: the bank has it, and has not begun it')
    const of = ['--site', 'cafe', '--charge', asked.paymentUid, '--by', 'anna', '--yes']
    const decided = await runCommand(at, 'settle', ...of, '--as', word)
    expect(decided).toMatchObject({
      code: 0,
      lines: expect.arrayContaining([`${asked.paymentUid}: ${status}, reported to the service`]),
    })
    expect(asked.result()).toMatchObject({ status })
    if (status === 'COMPLETED') expect(asked.result()?.reference).toBe(`tbank-cafe:${paymentId}`)
    expect(await runCommand(at, 'settle', ...of, '--as', 'declined')).toMatchObject({
      ...{ code: 2, errors: `the charge is ${status}, only a held one can be settled` },
    })
  },
)

it('settle needs the bank’s number of a completed charge that the disk does not have', async () => {
  const { at, running, binding, link } = await bound(TBANK)
  await running.stop()
  const next = await start(
    { ...at, directory: `${at.directory}/data` },
    { restoredFrom: at.clock.now - MINUTE },
  )
  const asked = chargeData(at, binding, link)
  at.service.charges = [{ ...asked, createdOn: new Date(at.clock.now).toISOString() }]
  await next.connector.settle()
  await next.stop()
  const of = ['--site', 'cafe', '--charge', asked.paymentUid, '--as', 'completed', '--by', 'anna', '--yes']
  expect(await runCommand(at, 'settle', ...of)).toMatchObject({
    ...{ code: 2, errors: '--number is missing, must be the bank’s number of the payment' },
  })
  expect((await runCommand(at, 'settle', ...of, '--number', '77')).code).toBe(0)
  expect(at.service.site('cafe').payments.get(asked.paymentUid)).toMatchObject({
    ...{ status: 'COMPLETED', reference: 'tbank-cafe:77', networkUid: '77' },
  })
})

it('reconcile names a declined charge of which the bank says what no document has', async () => {
  const { at, running, binding, link } = await bound(RAIFFEISEN, Date.now() - 9 * HOUR)
  at.raiffeisen.chargeResult = 'ERROR.INVALID_REQUEST'
  const { paymentUid } = await charge(at, binding, link)
  await running.connector.settle()
  await running.stop()
  const of = (time: number) => new Date(time).toISOString()
  const period = ['--from', of(at.clock.now - HOUR), '--to', of(at.clock.now + HOUR)]
  expect((await runCommand(at, 'reconcile', ...period)).code).toBe(0)
  at.raiffeisen.fail('charge_status', { status: 400, body: { code: 'ERROR.BUSY', message: 'later' } }, 9)
  const { code, lines } = await runCommand(at, 'reconcile', ...period)
  expect([code, lines[0]]).toEqual([
    1,
    `farm charge ${paymentUid}, 50.00 RUB: Raiffeisenbank: ERROR.BUSY, later`,
  ])
})

it('settle refuses a number at a bank that finds a charge by its order', async () => {
  const { at, running, binding, link } = await bound(RAIFFEISEN, Date.now() - 9 * HOUR)
  at.raiffeisen.fail('charge', { broken: 'before' })
  const asked = await charge(at, binding, link)
  await running.connector.settle()
  const { order } = running.core.disk.charges.get({ site: 'farm', paymentUid: asked.paymentUid }) ?? {}
  await running.later(HOUR, 3)
  await running.stop()
  const of = ['--site', 'farm', '--charge', asked.paymentUid, '--as', 'completed', '--by', 'anna', '--yes']
  expect(await runCommand(at, 'settle', ...of, '--number', '2304882')).toMatchObject({
    ...{ code: 2, errors: 'Raiffeisenbank finds it by its order: leave out --number' },
  })
  expect((await runCommand(at, 'settle', ...of)).code).toBe(0)
  expect(asked.result()).toMatchObject({ status: 'COMPLETED', reference: `raif-farm:${order}` })
})

it('reconcile compares a charge that the operator has decided in the period, also where it was given before', async () => {
  const { at, asked, paymentId } = await held()
  const day = (time: number) => new Date(time).toISOString()
  const period = ['--from', day(Date.now() - HOUR), '--to', day(Date.now() + HOUR)]
  const of = ['--site', 'cafe', '--charge', asked.paymentUid, '--by', 'anna', '--yes']
  expect((await runCommand(at, 'settle', ...of, '--as', 'declined')).code).toBe(0)
  await at.tbank.finishCharge(paymentId, 'CONFIRMED', { times: 0 })
  const { code, lines } = await runCommand(at, 'reconcile', ...period)
  expect(code).toBe(1)
  expect(lines).toContain(
    `cafe charge ${asked.paymentUid}, 50.00 RUB: charged at the bank (${paymentId}), was reported as DECLINED: it is reported as COMPLETED now`,
  )
})

it('reconcile asks about a settled charge by the number that the operator gave, not by that of the first payment', async () => {
  const { at, asked, paymentId } = await held()
  const first = at.tbank.sessions.get(paymentId)
  if (!first) throw new Error('no session')
  at.tbank.sessions.set('777', { ...first, paymentId: '777', status: 'CONFIRMED' })
  const of = ['--site', 'cafe', '--charge', asked.paymentUid, '--by', 'anna', '--yes']
  expect((await runCommand(at, 'settle', ...of, '--as', 'completed', '--number', '777')).code).toBe(0)
  const day = (time: number) => new Date(time).toISOString()
  const period = ['--from', day(Date.now() - HOUR), '--to', day(Date.now() + HOUR)]
  const { code, lines } = await runCommand(at, 'reconcile', ...period)
  expect([code, lines.filter((line) => line.includes(asked.paymentUid))]).toEqual([0, []])
})

it('reconcile compares charges with the bank and the service, and records one that the bank has made', async () => {
  const { at, running, binding, link } = await bound(TBANK)
  const good = await charge(at, binding, link)
  await running.connector.settle()
  at.tbank.chargeResult = 'REJECTED'
  const wrong = await charge(at, binding, await register(at, 'cafe', { amount: PRICE }))
  await running.connector.settle()
  const [, call] = at.tbank.callsOf('ChargeQr')
  const paymentId = String(Object(call?.body).PaymentId)
  const day = (time: number) => new Date(time).toISOString()
  const period = ['--from', day(at.clock.now - HOUR), '--to', day(at.clock.now + HOUR)]
  expect((await runCommand(at, 'reconcile', ...period)).code).toBe(0)
  await at.tbank.finishCharge(paymentId, 'CONFIRMED', { times: 0 })
  at.service.charges = [{ ...good, createdOn: day(at.clock.now) }]
  const { code, lines } = await runCommand(at, 'reconcile', ...period)
  expect(code).toBe(1)
  expect(lines.slice(0, 2).sort()).toEqual(
    [
      `cafe charge ${good.paymentUid}, 50.00 RUB: COMPLETED, the service has it as WAITING: see replay`,
      `cafe charge ${wrong.paymentUid}, 50.00 RUB: charged at the bank (${paymentId}), was reported as DECLINED: it is reported as COMPLETED now`,
    ].sort(),
  )
  // The command has the clock of the machine.
  at.clock.now = Date.now()
  await running.connector.settle()
  expect(wrong.result()).toMatchObject({ status: 'COMPLETED', reference: `tbank-cafe:${paymentId}` })
})
