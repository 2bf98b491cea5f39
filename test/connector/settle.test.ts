// `settle` says what it does before it does it, is confirmed by the amount, and keeps who has decided.
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { boundBy, charge, PRICE, registerToken } from './bound.ts'
import { HOUR, MINUTE, ofRefund, refund, register, start, surroundings } from './harness.ts'
import { runCommand, runTyping, startProcess, until } from './process.ts'

async function withDisk(hoursAgo = 3) {
  const at = await surroundings({ now: Date.now() - hoursAgo * HOUR })
  return { at, running: await start({ ...at, directory: `${at.directory}/data` }) }
}

/** A refund of 1.50 that nobody knows the end of. */
async function heldRefund() {
  const { at, running } = await withDisk()
  const link = await register(at, 'cafe')
  await at.tbank.pay(link.qrcId)
  await running.connector.settle()
  at.tbank.fail('Cancel', { broken: 'before' })
  const asked = await refund(at, 'cafe', link, '1.50')
  await running.connector.settle()
  await running.stop()
  const of = ['--site', 'cafe', '--payment', asked.paymentUid, '--refund', asked.refundUid]
  return { at, asked, of, qrcId: link.qrcId }
}

/** Two refunds of a payment whose status T-Bank states in a word that its document does not have: none can be sent. */
async function unsentRefund(hoursAgo: number) {
  const { at, running } = await withDisk(hoursAgo)
  const link = await register(at, 'cafe')
  await at.tbank.pay(link.qrcId)
  await running.connector.settle()
  at.tbank.fail('GetState', { changes: { Status: 'SOMETHING_NEW' } }, 1_000)
  const asked = await refund(at, 'cafe', link, '1.50')
  await running.connector.settle(1)
  const next = await refund(at, 'cafe', link, '2.50')
  await running.connector.settle(1)
  await running.stop()
  const of = ['--site', 'cafe', '--payment', asked.paymentUid, '--refund', asked.refundUid]
  return { at, asked, next, of }
}

function decisionsOf(directory: string): unknown[] {
  const database = new DatabaseSync(`${directory}/data/connector.sqlite`)
  const columns = 'site, payment_uid, refund_uid, result, amount, reason, decided_by'
  const rows = database.prepare(`SELECT ${columns} FROM decisions ORDER BY number`).all()
  database.close()
  return rows.map((row) => ({ ...row }))
}

const NOTHING = 'nothing is held, no amount differs, and nothing has been unsent for 72 hours'

const ANSWERS = [
  ['1.50\n', 'it is decided'],
  ['  1.50  \n', 'it is decided'],
  ['150\n', '150 was typed, must be 1.50'],
  ['1.5\n', '1.5 was typed, must be 1.50'],
  ['y\n', 'y was typed, must be 1.50'],
  ['\n', 'nothing was typed, must be 1.50'],
  ['', 'nothing was typed, must be 1.50'],
] as const

describe('settle', () => {
  it('says what it will do, and what the merchant will be told', async () => {
    const { at, asked, of, qrcId } = await heldRefund()
    const { lines } = await runTyping(
      ...([at, '', 'settle', ...of, '--as', 'declined', '--by', 'anna', '--reason', 'not sent'] as const),
    )
    expect(lines).toEqual([
      expect.stringMatching(
        `^site cafe, code ${qrcId}, refund ${asked.refundUid} of the payment ${asked.paymentUid}: 1\\.50 RUB, tbank-cafe \\d+$`,
      ),
      expect.stringMatching(/^held: Cancel: /),
      'your decision: DECLINED, for good: it is never sent to the bank again',
      'the merchant is told: DECLINED, not sent; the 1.50 RUB can be refunded again',
      'type the amount, 1.50, to decide this:',
    ])
    const other = await runTyping(at, '', 'settle', ...of, '--as', 'completed', '--by', 'anna')
    expect(other.lines).toContain('the merchant is told: COMPLETED, 1.50 RUB have gone back to the payer')
  })

  it.each(ANSWERS)('is confirmed by typing the amount: %j, %s', async (typed, expected) => {
    const { at, asked, of } = await heldRefund()
    const { code, errors } = await runTyping(
      ...([at, typed, 'settle', ...of, '--as', 'completed', '--by', 'anna'] as const),
    )
    const isDecided = expected === 'it is decided'
    expect(ofRefund(at, asked)?.status).toBe(isDecided ? 'COMPLETED' : undefined)
    expect(decisionsOf(at.directory)).toHaveLength(isDecided ? 1 : 0)
    expect((await runCommand(at, 'settle')).code).toBe(isDecided ? 0 : 1)
    const refusal = `${expected}: nothing is decided; --yes decides without this question`
    expect([code, errors]).toEqual(isDecided ? [0, ''] : [2, refusal])
  })

  it('keeps who has decided what, and the running connector writes it into its log', async () => {
    const { at, asked, of } = await heldRefund()
    const { log } = await startProcess(at).then(({ lines }) => ({ log: lines }))
    await runCommand(
      ...([at, 'settle', ...of, '--as', 'declined', '--by', 'anna', '--yes', '--reason', 'seen'] as const),
    )
    const { paymentUid, refundUid } = asked
    expect(decisionsOf(at.directory)).toEqual([
      {
        ...{ site: 'cafe', payment_uid: paymentUid, refund_uid: refundUid, result: 'DECLINED' },
        ...{ amount: 150, reason: 'seen', decided_by: 'anna' },
      },
    ])
    const decided = () => log.filter((line) => line.includes('an operator has decided'))
    await until(() => decided().length > 0)
    expect(JSON.parse(decided()[0] ?? '')).toMatchObject({
      ...{
        level: 'info',
        site: 'cafe',
        paymentUid,
        refundUid,
        result: 'DECLINED',
        amount: '1.50',
        by: 'anna',
      },
    })
    // A later start does not write it again.
    const next = await start({ ...at, directory: `${at.directory}/data` })
    next.connector.turn()
    expect(next.log.filter(({ message }) => message === 'an operator has decided')).toEqual([])
  })

  it('lists a refund that could not be sent for 72 hours, and decides it: it is never sent', async () => {
    const { at, asked, next, of } = await unsentRefund(73)
    const why = 'not sent for 72 hours: GetState: the status of the payment is SOMETHING_NEW'
    expect(await runCommand(at, 'settle')).toMatchObject({
      code: 1,
      lines: [
        of.join(' '),
        expect.stringMatching(/^ {2}1\.50 RUB, asked for /),
        `  ${why}`,
        '1 held or not sent: settle each with --as completed or --as declined, and --by your name',
      ],
    })
    expect((await runCommand(at, 'check')).lines).toContain(
      'FAIL tbank-cafe: 1 refunds have not been sent for 72 hours: see settle',
    )
    const { code, lines } = await runTyping(
      ...([at, '1.50\n', 'settle', ...of, '--as', 'declined', '--by', 'anna'] as const),
    )
    expect([code, lines[1], lines.at(-1)]).toEqual([
      0,
      why,
      `${asked.refundUid}: DECLINED, reported to the service`,
    ])
    // The other one was never tried.
    expect(await runCommand(at, 'settle')).toMatchObject({ code: 0, lines: [NOTHING] })
    at.tbank.heal()
    at.clock.now = Date.now()
    const running = await start({ ...at, directory: `${at.directory}/data` })
    await running.connector.settle()
    expect([ofRefund(at, asked)?.status, ofRefund(at, next)?.status]).toEqual(['DECLINED', 'COMPLETED'])
    expect(at.tbank.callsOf('Cancel')).toMatchObject([{ body: { Amount: 250 } }])
  })

  it('leaves a refund to the connector that could not be sent for less than 72 hours', async () => {
    const { at, of } = await unsentRefund(71)
    expect(await runCommand(at, 'settle')).toMatchObject({
      code: 0,
      lines: [NOTHING],
    })
    const { code, errors } = await runCommand(
      at,
      'settle',
      ...of,
      '--as',
      'declined',
      '--by',
      'anna',
      '--yes',
    )
    expect([code, errors]).toEqual([
      2,
      'the refund is QUEUED, only a held one can be settled, or one that could not be sent for 72 hours',
    ])
  })

  it.each([73, 71])(
    'lists a refund whose bank the configuration lacks, %i hours after it came',
    async (hours) => {
      const { at, running } = await withDisk(hours)
      const link = await register(at, 'cafe')
      await at.tbank.pay(link.qrcId)
      await running.connector.settle()
      const asked = await refund(at, 'cafe', link, '1.50')
      await running.stop()
      const { 'tbank-cafe': _, ...banks } = at.config.banks
      const sites = { ...at.config.sites, cafe: { ...at.config.sites.cafe, bank: 'raif-farm' } }
      const without = { ...at, config: Object.assign({}, at.config, { banks, sites }) }
      // The connector was down all the time: nothing was tried.
      expect((await runCommand(without, 'settle')).lines).toEqual([NOTHING])
      const next = await start({ ...without, directory: `${at.directory}/data` })
      await next.connector.settle()
      await next.stop()
      const isListed = hours === 73
      const { lines } = await runCommand(without, 'settle')
      expect(lines.slice(0, -1)).toEqual(
        isListed
          ? [
              `--site cafe --payment ${asked.paymentUid} --refund ${asked.refundUid}`,
              expect.stringMatching(/^ {2}1\.50 RUB, /),
              '  not sent for 72 hours: the connector has no bank tbank-cafe',
            ]
          : [],
      )
      const shown = (await runCommand(without, 'check')).lines.filter((line) => line.includes('tbank-cafe'))
      expect(shown).toEqual(
        isListed
          ? [
              'FAIL tbank-cafe, which the configuration lacks: 1 refunds have not been sent for 72 hours: see settle',
            ]
          : [],
      )
    },
  )

  it('decides what is held where the configuration has no site any more', async () => {
    const { at, asked, of } = await heldRefund()
    const without = { ...at, config: Object.assign({}, at.config, { sites: {} }) }
    expect((await runCommand(without, 'check')).lines).toContain(
      'FAIL tbank-cafe: 1 refunds are held: see settle',
    )
    const decide = [...of, '--as', 'completed', '--by', 'anna', '--yes']
    const { code, lines } = await runCommand(without, 'settle', ...decide)
    expect([code, lines.at(-1)]).toEqual([
      1,
      `${asked.refundUid}: COMPLETED, the service: 0 the connector has no site cafe; the running connector reports it again`,
    ])
    expect((await runCommand(at, 'replay', '--from', '2026-01-01')).code).toBe(0)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  })

  it('what is decided while the connector is stopped is in the log of its next start', async () => {
    const { at, of } = await heldRefund()
    await runCommand(at, 'settle', ...of, '--as', 'completed', '--by', 'boris', '--yes')
    const { connector, log } = await start({ ...at, directory: `${at.directory}/data` })
    connector.turn()
    expect(log.find(({ message }) => message === 'an operator has decided')?.fields.by).toBe('boris')
  })

  it('says of a charge by what its refund finds it, and that a declined code can be charged again', async () => {
    const { at, running } = await withDisk()
    at.clock.now += 1_000
    const { qrcId } = await registerToken(at, 'cafe')
    await at.tbank.consent(qrcId, true)
    await running.connector.settle()
    const link = await register(at, 'cafe', { amount: PRICE })
    at.tbank.fail('ChargeQr', { broken: 'before' })
    const asked = await charge(at, boundBy(at, 'cafe', qrcId), link)
    await running.connector.settle()
    const session = Array.from(at.tbank.sessions.values()).at(-1)
    if (!session) throw new Error('no session')
    session.expiresAt = Number.POSITIVE_INFINITY
    await running.later(2 * HOUR + MINUTE)
    await running.stop()
    const of = ['--site', 'cafe', '--charge', asked.paymentUid, '--by', 'anna']
    const completed = await runTyping(at, '', 'settle', ...of, '--as', 'completed')
    expect(completed.lines).toContain(
      `the merchant is told: COMPLETED, the account was charged 50.00 RUB; a refund finds it by ${session.paymentId}`,
    )
    const { code, lines } = await runTyping(at, '50.00\n', 'settle', ...of, '--as', 'declined')
    expect([code, lines.at(-1)]).toEqual([0, `${asked.paymentUid}: DECLINED, reported to the service`])
    expect(lines).toContain(
      'the merchant is told: DECLINED, decided by the operator; the code can be charged again',
    )
    expect(decisionsOf(at.directory)).toMatchObject([{ refund_uid: null, result: 'DECLINED' }])
  })
})
