// `settle --webhook` closes a webhook whose payment was dealt with by hand, and none that the connector can still report.
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { HOUR, MINUTE, register, type Surroundings, start, surroundings } from './harness.ts'
import { runCommand } from './process.ts'

const BY = ['--by', 'anna', '--reason', 'given back in the console of the bank'] as const

/** A connector that has stopped while a webhook of its bank waits. @param prepare has the bank send it */
async function waiting(prepare: (at: Surroundings) => Promise<unknown>) {
  const at = await surroundings({ now: Date.now() - 3 * HOUR })
  const begin = () => start({ ...at, directory: `${at.directory}/data` })
  const { connector, core, stop } = await begin()
  const sent = await prepare(at)
  await connector.settle(1)
  const [{ id, bank } = { id: '', bank: '' }] = core.disk.webhooks.waiting()
  await stop()
  const isListed = async () => (await runCommand(at, 'check')).lines.some((line) => line.includes(id))
  const settle = (...options: string[]) => runCommand(at, 'settle', ...options)
  return { at, begin, id, bank, sent, isListed, settle }
}

/** The payment of a sale whose arming had no answer. */
async function paidWithoutSale(at: Surroundings): Promise<string> {
  const { qrcId, reference } = await register(at, 'tea', { type: 'COUNTER', amount: undefined })
  const amount = { value: '5.00', currency: 'RUB' }
  const expiresOn = new Date(at.clock.now + 5 * MINUTE).toISOString()
  at.tochka.fail('arm', { broken: 'after' })
  const sale = { siteId: 'tea', qrcId, reference, saleUid: 's1', ttl: 5, amount, expiresOn }
  await at.service.instruct('sale.activate', sale, at.clock.now)
  return at.tochka.pay(qrcId)
}

/** A payment of which the bank answers no question. */
async function paidAmidFaults(at: Surroundings): Promise<void> {
  const { qrcId } = await register(at, 'farm')
  at.raiffeisen.fail('status', { status: 503 }, 99)
  await at.raiffeisen.pay(qrcId)
}

describe('settle --webhook', () => {
  it('closes it, and keeps who has done it and why; what the bank sends again is processed as new', async () => {
    const { at, begin, id, bank, sent, isListed, settle } = await waiting(paidWithoutSale)
    expect(await isListed()).toBe(true)
    expect(await settle('--bank', bank, '--webhook', id, ...BY)).toMatchObject({
      code: 0,
      lines: [`${id}: closed; if the bank sends it again, it is processed as a new one`],
    })
    expect(await isListed()).toBe(false)
    const database = new DatabaseSync(`${at.directory}/data/connector.sqlite`)
    expect(database.prepare('SELECT note FROM webhooks').all()).toMatchObject([
      { note: 'closed by anna: given back in the console of the bank' },
    ])
    database.close()
    const { core, connector } = await begin()
    await connector.settle()
    expect(core.disk.webhooks.waiting()).toEqual([])
    await at.tochka.deliver(String(sent))
    expect(core.disk.webhooks.waiting()).toMatchObject([{ id, note: '' }])
  })

  it('leaves one about which the bank does not answer', async () => {
    const { id, bank, isListed, settle } = await waiting(paidAmidFaults)
    const { code, errors } = await settle('--bank', bank, '--webhook', id, ...BY)
    expect(code).toBe(2)
    expect(errors).toMatch(/^the connector still tries to report it: .*503/)
    expect(await isListed()).toBe(true)
  })

  it('names what is missing, wrong or too much, and changes nothing', async () => {
    const { id, isListed, settle } = await waiting(paidWithoutSale)
    const refusals: [string[], string][] = [
      [['--webhook', id, ...BY], '--bank is not given, must be the name of its bank'],
      [['--bank', 'tbank-cafe', '--webhook', id, ...BY], `no webhook ${id} of tbank-cafe waits`],
      [['--bank', 'tochka-main', '--webhook', 'x', ...BY], 'no webhook x of tochka-main waits'],
      [
        ['--bank', 'tochka-main', '--webhook', '', ...BY],
        '--webhook is not given, must be the id that check prints',
      ],
      [
        ['--bank', 'tochka-main', '--webhook', id, '--by', 'anna'],
        '--reason is not given, must be what was done about the payment',
      ],
      [
        ['--bank', 'tochka-main', '--webhook', id, '--reason', 'x'],
        '--by is not given, must be your name: it is kept with the decision',
      ],
      [
        ['--bank', 'tochka-main', '--webhook', id, ...BY, '--site', 'tea'],
        '--site is not an option of settle --webhook',
      ],
      [['--bank', 'tochka-main'], '--bank is not an option of settle'],
    ]
    for (const [options, errors] of refusals)
      expect(await settle(...options)).toMatchObject({ code: 2, errors })
    expect(await isListed()).toBe(true)
  })
})
