// Commands about documents: what waits is shown, the operator decides what is held, and each payment is compared with its document.
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { DAY, HOUR, MINUTE, pay, refund, register } from './harness.ts'
import { runCommand, runTyping } from './process.ts'
import { instruct, receiptData, startWithRegister, told, withRegister } from './with-register.ts'

/** A connector of some hours ago: commands read the machine's clock. */
async function ago(hours: number) {
  const at = await withRegister({ now: Date.now() - hours * HOUR })
  const running = await startWithRegister({ ...at, directory: `${at.directory}/data` })
  await running.later(10 * MINUTE)
  return { at, running, ...running }
}

/** A document of which the register states another sum. */
async function held() {
  const { at, later, stop } = await ago(3)
  at.atol.otherSum = () => 100
  const data = receiptData(at)
  await instruct(at, data)
  await later(1_000)
  await later(MINUTE)
  await stop()
  return { at, data, of: ['settle', '--site', 'tea', '--receipt', data.receiptUid, '--by', 'anna'] }
}

describe('settle', () => {
  it('lists a held document, and says what it will do', async () => {
    const { at, data, of } = await held()
    const listed = await runCommand(at, 'settle')
    expect([listed.code, listed.lines]).toEqual([
      1,
      [
        `--site tea --receipt ${data.receiptUid}`,
        `  tea document ${data.receiptUid}, sale of the payment ${data.paymentUid}, 1051.12 RUB, at atol-main`,
        '  held: the cash register states a document of 1052.12 RUB',
        '1 documents without a result: settle each with --as registered or --as failed, and --by your name',
      ],
    ])
    const { lines, errors } = await runTyping(at, '1052.12\n', ...of, '--as', 'registered')
    expect(lines.slice(2)).toEqual([
      'your decision: REGISTERED, for good: it is never sent again',
      'the merchant is told: REGISTERED',
      'type the amount, 1051.12, to decide this:',
    ])
    expect(errors).toContain('1052.12 was typed, must be 1051.12')
    expect(told(at, data)).toMatchObject({ isHeld: true })
  })

  it('as registered, with what the operator has read', async () => {
    const { at, data, of } = await held()
    const fiscal = ['--fn', '9999078900003063', '--fd', '17', '--fpd', '4']
    const { code } = await runTyping(at, '1051.12\n', ...of, '--as', 'registered', ...fiscal)
    expect([code, told(at, data)]).toEqual([
      0,
      { state: 'REGISTERED', fiscal: { fn: '9999078900003063', fd: '17', fpd: '4' } },
    ])
    const database = new DatabaseSync(`${at.directory}/data/connector.sqlite`)
    expect(database.prepare('SELECT receipt_uid, result, decided_by FROM decisions').all()).toMatchObject([
      { receipt_uid: data.receiptUid, result: 'REGISTERED', decided_by: 'anna' },
    ])
    database.close()
    expect((await runCommand(at, 'settle')).code).toBe(0)
    const again = await runCommand(at, ...of, '--as', 'failed', '--yes')
    expect(again.errors).toContain('the document is REGISTERED, only a held one can be settled')
  })

  it('as failed: the merchant can have another attempt made', async () => {
    const { at, data, of } = await held()
    const why = 'not there, anna@mail.example and 8 (900) 123-45-67 were asked'
    const { code, lines } = await runCommand(at, ...of, '--as', 'failed', '--yes', '--reason', why)
    const reason = 'not there, (contact) and (contact) were asked'
    expect([code, told(at, data)]).toEqual([0, { state: 'FAILED', reason, canRetry: true }])
    expect(lines).toContain(`the merchant is told: FAILED, ${reason}; it can be retried`)
    const database = new DatabaseSync(`${at.directory}/data/connector.sqlite`)
    expect(database.prepare('SELECT reason FROM decisions').all()).toEqual([{ reason }])
    database.close()
  })

  it.each([
    [['--as', 'completed'], '--as is completed, must be registered or failed'],
    [['--as', 'registered', '--fd', 'x', '--yes'], '--fd is x, must be 1 to 20 digits'],
    [['--as', 'failed', '--fd', '1'], '--fn, --fd and --fpd are of a document that is registered'],
    [['--as', 'failed', '--payment', 'p'], '--payment is not an option of settle --receipt'],
  ])('refuses %j', async (options, error) => {
    const { at, data, of } = await held()
    const { code, errors } = await runCommand(at, ...of, ...options)
    expect([code, errors]).toEqual([2, error])
    expect(told(at, data)).toMatchObject({ isHeld: true })
  })

  it('of a document that the register has not answered for a day: it fails, and cannot be retried', async () => {
    const { at, later, stop } = await ago(30)
    at.atol.failAt('/', { status: 503 })
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    await stop()
    const of = ['--site', 'tea', '--receipt', data.receiptUid, '--by', 'anna', '--yes']
    const { lines } = await runCommand(at, 'settle', ...of, '--as', 'failed')
    expect(lines).toContain('the merchant is told: FAILED, decided by the operator; it can not be retried')
    expect(told(at, data)).toMatchObject({ state: 'FAILED', canRetry: false })
  })

  it('not of one that is younger', async () => {
    const { at, later, stop } = await ago(20)
    at.atol.failAt('/', { status: 503 })
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    await stop()
    const of = ['--site', 'tea', '--receipt', data.receiptUid, '--by', 'anna', '--yes']
    const { errors } = await runCommand(at, 'settle', ...of, '--as', 'failed')
    expect(errors).toContain('the document is QUEUED, only a held one can be settled')
  })
})

describe('check', () => {
  it('says whether the login works, what the register cannot do, and what has no result', async () => {
    const { at } = await held()
    const { code, lines } = await runCommand(at, 'check')
    expect([code, lines]).toEqual([
      1,
      expect.arrayContaining([
        'ok   atol-main: the login works; documents go to the group shop_group_1',
        'note atol-main: cannot take marked goods, suppliers and agents',
        'FAIL atol-main: 1 documents have no result: see settle',
      ]),
    ])
  })

  it('of one site shows its cash register', async () => {
    const { at } = await held()
    Object.assign(at.env, { ATOL_PASSWORD: 'another' })
    const { code, lines } = await runCommand(at, 'check', '--site', 'tea')
    expect([code, lines]).toEqual([
      1,
      expect.arrayContaining([expect.stringMatching(/^FAIL atol-main: getToken: /)]),
    ])
    expect((await runCommand(at, 'check', '--site', 'cafe')).lines.join('\n')).not.toContain('atol')
  })
})

describe('reconcile', () => {
  const day = (time: number) => new Date(time + 3 * HOUR).toISOString().slice(0, 10)
  const period = () => ['--from', day(Date.now() - 2 * DAY), '--to', day(Date.now())]
  const price = { amount: { value: '1051.12', currency: 'RUB' } }

  /** A code of the site that is paid. */
  async function paid(at: Awaited<ReturnType<typeof ago>>['at'], settle: () => Promise<void>) {
    const link = await register(at, 'tea', price)
    await pay(at, 'tea', link.qrcId)
    await settle()
    return { ...link, paymentUid: link.qrcId }
  }

  it('finds no difference where each payment and refund has its document', async () => {
    const { at, later, connector, stop } = await ago(3)
    const link = await paid(at, () => connector.settle())
    const data = receiptData(at, { paymentUid: link.qrcId })
    await instruct(at, data)
    await later(1_000)
    const { refundUid } = await refund(at, 'tea', link, '1051.12')
    await connector.settle()
    await instruct(at, receiptData(at, { kind: 'refund', paymentUid: link.qrcId, refundUid }))
    await later(MINUTE, 15)
    await stop()
    const { code, lines } = await runCommand(at, 'reconcile', ...period())
    expect([code, lines]).toEqual([0, ['1 codes compared, 0 differences']])
  })

  it('names payments and refunds without a document, and documents without a result', async () => {
    const { at, later, connector, stop } = await ago(3)
    const without = await paid(at, () => connector.settle())
    const link = await paid(at, () => connector.settle())
    const data = receiptData(at, { paymentUid: link.qrcId })
    await instruct(at, data)
    await later(1_000)
    await later(MINUTE)
    const { refundUid } = await refund(at, 'tea', link, '1.00')
    await later(MINUTE, 15)
    at.atol.fails = () => ({ text: 'no paper', type: 'driver' })
    const failed = receiptData(at)
    await instruct(at, failed)
    await later(1_000)
    await later(MINUTE)
    await stop()
    const { code, lines } = await runCommand(at, 'reconcile', ...period())
    expect([code, lines]).toEqual([
      1,
      expect.arrayContaining([
        `tea payment ${without.qrcId}, 1051.12 RUB: no document was asked for`,
        `tea refund ${refundUid} of ${link.qrcId}: the payment has a document, and the refund has none`,
        expect.stringMatching(`^tea document ${failed.receiptUid}, .*: failed: no paper \\(60\\)$`),
        '2 codes compared, 2 differences',
      ]),
    ])
  })

  it('names a document that the service waits for, and that was lost with the disk', async () => {
    const { at, later, connector, stop } = await ago(3)
    const link = await paid(at, () => connector.settle())
    const data = receiptData(at, { paymentUid: link.qrcId })
    at.service.receipts.push({ ...data })
    const [old, done] = [
      receiptData(at, { dateTime: new Date(Date.now() - 9 * DAY).toISOString() }),
      receiptData(at),
    ]
    at.service.receipts.push({ ...old }, { ...done })
    await instruct(at, done)
    await later(1_000)
    await later(MINUTE)
    await stop()
    const { code, lines } = await runCommand(at, 'reconcile', ...period())
    expect(code).toBe(1)
    expect(lines.filter((line) => line.includes('the service waits for it'))).toEqual([
      `tea document ${data.receiptUid}, sale of the payment ${link.qrcId}: the service waits for it, and this disk does not have it`,
    ])
  })

  it('records what the register has registered after it failed', async () => {
    const { at, later, stop } = await ago(3)
    at.atol.fails = () => ({ text: 'no paper', type: 'driver' })
    const data = receiptData(at)
    await instruct(at, data)
    await later(1_000)
    await later(MINUTE)
    await stop()
    for (const document of at.atol.documents.values()) document.error = undefined
    const { lines } = await runCommand(at, 'reconcile', ...period())
    expect(lines.join('\n')).toContain('reported as FAILED, at the cash register it is REGISTERED')
    at.clock.now = Date.now()
    const next = await startWithRegister({ ...at, directory: `${at.directory}/data` })
    await next.connector.settle()
    expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
  })
})
