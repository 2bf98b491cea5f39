// `settle --webhook` closes a webhook whose payment was dealt with by hand, and none about which the connector still asks.
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { DAY, MINUTE, register, type Surroundings, start, surroundings } from './harness.ts'
import { runCommand, runTyping } from './process.ts'

/** Of the greatest length that is taken. */
const REASON = 'given back in the console of the bank'.padEnd(255, '.')
const BY = ['--by', 'anna', '--reason', REASON] as const

/** A payment whose sale has no arming: `5.00`. */
async function paidWithoutSale(at: Surroundings) {
  const { qrcId, reference } = await register(at, 'tea', { type: 'COUNTER', amount: undefined })
  const amount = { value: '5.00', currency: 'RUB' }
  const expiresOn = new Date(at.clock.now + 5 * MINUTE).toISOString()
  at.tochka.fail('arm', { broken: 'after' })
  const sale = { siteId: 'tea', qrcId, reference, saleUid: 's1', ttl: 5, amount, expiresOn }
  await at.service.instruct('sale.activate', sale, at.clock.now)
  const payment = await at.tochka.pay(qrcId)
  return { qrcId, repeat: () => at.tochka.deliver(payment) }
}

/** A payment of which the bank states another time: its webhook has no amount. */
async function paidAtAnotherTime(at: Surroundings) {
  const { qrcId } = await register(at, 'farm')
  await at.raiffeisen.pay(qrcId)
  const { signature, body } = at.raiffeisen.callbackOf(qrcId)
  const payment = at.raiffeisen.codes.get(qrcId)?.payment
  Object.assign(payment ?? {}, { transactionDate: new Date(at.clock.now - MINUTE).toISOString() })
  const headers = { 'x-api-signature-sha256': signature }
  const repeat = () => fetch(at.raiffeisen.callbackUrl ?? '', { method: 'POST', body, headers })
  await repeat()
  return { qrcId, repeat }
}

/** A connector that has stopped while a webhook waits. @param days since it came */
async function waiting(
  prepare: (at: Surroundings) => Promise<{ qrcId: string; repeat: () => Promise<unknown> }>,
  days = 8,
) {
  const at = await surroundings({ now: Date.now() - 10 * DAY })
  const begin = () => start({ ...at, directory: `${at.directory}/data` })
  const { connector, core, stop } = await begin()
  const { qrcId, repeat } = await prepare(at)
  await connector.settle(1)
  for (let day = 0; day < days; day++) {
    at.clock.now += DAY
    await connector.settle(1)
  }
  const [{ id, bank } = { id: '', bank: '' }] = core.disk.webhooks.waiting()
  await stop()
  const isListed = async () => (await runCommand(at, 'check')).lines.some((line) => line.includes(id))
  const close = (typed: string, ...options: string[]) =>
    runTyping(at, typed, 'settle', '--bank', bank, '--webhook', id, ...options)
  return { at, begin, id, bank, qrcId, repeat, isListed, close }
}

function notesOf({ directory }: Surroundings): unknown[] {
  const database = new DatabaseSync(`${directory}/data/connector.sqlite`)
  const rows = database.prepare('SELECT state, note FROM webhooks').all()
  database.close()
  return rows.map((row) => ({ ...row }))
}

describe('settle --webhook', () => {
  it('says what it closes, and closes it once the amount is typed; a repeat by the bank opens it again', async () => {
    const { at, begin, id, qrcId, repeat, isListed, close } = await waiting(paidWithoutSale)
    expect(await close('4.00\n', ...BY)).toMatchObject({
      code: 2,
      errors: '4.00 was typed, must be 5.00: nothing is decided; --yes decides without this question',
    })
    expect(await isListed()).toBe(true)
    expect(await close('5.00\n', ...BY)).toMatchObject({
      code: 0,
      lines: [
        expect.stringMatching(`^webhook ${id} of tochka-main, received 20\\S+Z, code ${qrcId}, 5\\.00 RUB$`),
        'not reported: the bank tells of no paid sale of this code',
        'your decision: closed; the connector does not report its payment, even if its site is added later',
        'type the amount, 5.00, to decide this:',
        `${id}: closed; if the bank sends it again, the connector asks about it again`,
      ],
    })
    expect(await isListed()).toBe(false)
    expect(notesOf(at)).toEqual([{ state: 'GIVEN_UP', note: `closed by anna: ${REASON}` }])
    const { core, connector } = await begin()
    await connector.settle()
    expect(core.disk.webhooks.waiting()).toEqual([])
    await repeat()
    expect(core.disk.webhooks.waiting()).toMatchObject([
      { id, note: '', content: expect.stringContaining('+79991234567') },
    ])
  })

  it('asks for the id where the bank tells no amount', async () => {
    const { id, isListed, close } = await waiting(paidAtAnotherTime)
    const { code, lines } = await close(`${id}\n`, ...BY)
    expect([code, lines.at(-2)]).toEqual([0, `type the id, ${id}, to decide this:`])
    expect(await isListed()).toBe(false)
  })

  it('leaves one about which the connector asks, until a week after it came', async () => {
    const { isListed, close } = await waiting(paidWithoutSale, 6)
    const problem = 'the bank tells of no paid sale of this code'
    expect(await close('', ...BY, '--yes')).toMatchObject({
      code: 2,
      errors: `the connector still asks about it: ${problem}; it can be closed a week after it came`,
    })
    expect(await isListed()).toBe(true)
  })

  it('names what is missing, wrong or too much, and changes nothing', async () => {
    const { at, id, bank, isListed } = await waiting(paidWithoutSale)
    const webhook = ['--bank', bank, '--webhook', id]
    const refusals: [string[], string][] = [
      [['--webhook', id, ...BY], '--bank is not given, must be the name of its bank'],
      [['--bank', bank, ...BY], '--webhook is not given, must be the id that check prints'],
      [['--bank', 'tbank-cafe', '--webhook', id, ...BY], `no webhook ${id} of tbank-cafe waits`],
      [['--bank', bank, '--webhook', 'x', ...BY], `no webhook x of ${bank} waits`],
      [[...webhook, '--by', 'anna'], '--reason is not given, must be what was done about the payment'],
      [[...webhook, '--by', 'anna', '--reason', 'x'.repeat(256)], '--reason must be at most 255 characters'],
      [[...webhook, '--reason', 'x'], '--by is not given, must be your name: it is kept with the decision'],
      [[...webhook, ...BY, '--site', 'tea'], '--site is not an option of settle --webhook'],
    ]
    const answers = await Promise.all(
      refusals.map(([options]) => runCommand(at, 'settle', '--yes', ...options)),
    )
    expect(answers.map(({ code, errors }) => [code, errors])).toEqual(refusals.map(([, error]) => [2, error]))
    expect(await isListed()).toBe(true)
  })
})
