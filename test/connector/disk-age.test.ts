// Instructions that reach a disk that is younger than they may be, where the clocks of service and connector differ.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { BANKS } from '../../connector/banks/banks.ts'
import { readConfig } from '../../connector/config/config.ts'
import { SOURCES } from '../../connector/config/fields.ts'
import { reload } from '../../connector/config/reload.ts'
import { bind, charge, chargeData, PRICE, RAIFFEISEN, TBANK, TOCHKA_PAY } from './bound.ts'
import {
  CLUB,
  FAKES,
  FARM,
  type Fake,
  HOUR,
  launched,
  MINUTE,
  pay,
  type Running,
  register,
  type Surroundings,
  start,
} from './harness.ts'

const DISK = 'connector.sqlite'
/** Minutes by which the service's clock is ahead: a signature is good for five. */
const AHEAD = [-5, -1, 0, 1, 5]
const LOSSES = ['lost', 'restored'] as const
type Loss = (typeof LOSSES)[number]
const CASES = LOSSES.flatMap((loss) => AHEAD.map((ahead) => ({ loss, ahead })))

/** Ends the connector; the next one has a new disk, or that of the backup. @returns its start */
async function replace(at: Surroundings, running: Running, loss: Loss, backup: () => number) {
  await running.stop()
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(at.directory, DISK + suffix), { force: true })
  if (loss === 'lost') return () => start(at)
  cpSync(join(at.directory, 'copy'), join(at.directory, DISK))
  return () => start(at, { restoredFrom: backup() })
}

/** Copies the disk of a connector that does not run. @returns the time of the copy */
async function backedUp(at: Surroundings, running: Running): Promise<[Running, number]> {
  await running.stop()
  cpSync(join(at.directory, DISK), join(at.directory, 'copy'))
  return [await start(at), at.clock.now]
}

describe.each(FAKES)('a refund at the bank of $site', (each) => {
  // It is asked about by our key.
  const hasKey = each === FARM || each === CLUB

  async function paid() {
    const { at, running: first } = await launched()
    at.clock.now += MINUTE
    const link = await register(at, each.site)
    await pay(at, each.site, link.qrcId)
    await first.connector.settle()
    const [running, backup] = await backedUp(at, first)
    at.clock.now += MINUTE
    return { at, running, backup, link, bank: each.of(at) }
  }

  /** The refund as the service gives it, by its own clock. */
  function given(at: Surroundings, each: Fake, link: { qrcId: string; reference: string }, ahead: number) {
    const { qrcId, reference } = link
    const data = {
      ...{ siteId: each.site, qrcId, reference, paymentUid: qrcId, refundUid: 'r' },
      // As it was reported.
      networkUid: at.service.site(each.site).payments.get(qrcId)?.networkUid,
      amount: { value: '30.00', currency: 'RUB' },
    }
    const givenAt = at.clock.now + ahead * MINUTE
    const wait = () => at.service.waitingRefunds.push({ ...data, createdOn: new Date(givenAt).toISOString() })
    return { wait, send: () => at.service.instruct('refund.create', data, givenAt) }
  }

  it.each(CASES)(
    'made before the disk was $loss is made once: the service is $ahead minutes ahead',
    async ({ loss, ahead }) => {
      const { at, running, backup, link, bank } = await paid()
      const { wait, send } = given(at, each, link, ahead)
      wait()
      await send()
      // The service has not learned what became of it.
      at.service.failures.push(...Array<number>(9).fill(500))
      await running.connector.settle()
      expect(bank.callsOf(each.refund)).toHaveLength(1)
      at.service.failures.length = 0
      const again = await replace(at, running, loss, () => backup)
      at.clock.now += MINUTE
      const next = await again()
      await send()
      await next.connector.settle()
      expect((await send()).status).toBe(202)
      for (let hour = 0; hour < 3; hour++) {
        await next.connector.settle()
        at.clock.now += HOUR
      }
      expect(bank.callsOf(each.refund)).toHaveLength(1)
      const result = at.service.site(each.site).refunds.get(`${link.qrcId}/r`)?.status
      expect(result).toBe(hasKey ? 'COMPLETED' : undefined)
      expect(next.core.disk.refunds.held()).toHaveLength(hasKey ? 0 : 1)
    },
  )

  it.each(CASES)(
    'given after the disk was $loss is made: the service is $ahead minutes ahead',
    async ({ loss, ahead }) => {
      const { at, running, backup, link, bank } = await paid()
      const again = await replace(at, running, loss, () => backup)
      const next = await again()
      await next.connector.settle()
      at.clock.now += 1_000
      const { wait, send } = given(at, each, link, ahead)
      wait()
      expect((await send()).status).toBe(202)
      await next.connector.settle()
      expect(bank.callsOf(each.refund)).toHaveLength(1)
      expect(at.service.site(each.site).refunds.get(`${link.qrcId}/r`)?.status).toBe('COMPLETED')
    },
  )

  it('given before the backup and taken after it is made once', async () => {
    const { at, running: first, link, bank } = await paid()
    const { wait, send } = given(at, each, link, 0)
    wait()
    // The connector is down for an hour, and the backup is made then.
    at.clock.now += HOUR
    const [running, backup] = await backedUp(at, first)
    at.service.failures.push(...Array<number>(9).fill(500))
    await send()
    await running.connector.settle()
    at.service.failures.length = 0
    const again = await replace(at, running, 'restored', () => backup)
    at.clock.now += MINUTE
    const next = await again()
    await send()
    await next.connector.settle()
    expect((await send()).status).toBe(202)
    await next.connector.settle()
    expect(bank.callsOf(each.refund)).toHaveLength(1)
  })

  it('is not taken before it is known what waits at the service', async () => {
    const { at, running, backup, link, bank } = await paid()
    const again = await replace(at, running, 'lost', () => backup)
    const next = await again()
    // Given while the list is being read, behind the page that would have it.
    const { send } = given(at, each, link, 0)
    const { status, body } = await send()
    expect([status, body.description]).toEqual([503, expect.stringContaining('has not been read')])
    expect(next.core.disk.refunds.open().count).toBe(0)
    await next.connector.settle()
    expect((await send()).status).toBe(202)
    await next.connector.settle()
    expect(bank.callsOf(each.refund)).toHaveLength(1)
  })

  it('that waits and whose bank is not configured is held, and keeps no other of its site from being made', async () => {
    const { at, running, backup, link, bank } = await paid()
    const again = await replace(at, running, 'lost', () => backup)
    const gone = { ...link, qrcId: `${link.qrcId}2`, reference: 'another-bank:1' }
    const { wait, send: sendGone } = given(at, each, gone, 0)
    wait()
    const next = await again()
    await next.connector.settle()
    const { send } = given(at, each, link, 0)
    expect((await send()).status).toBe(202)
    await next.connector.settle()
    expect(bank.callsOf(each.refund)).toHaveLength(1)
    expect(next.core.disk.refunds.held()).toMatchObject([
      { bank: 'another-bank', reason: 'it may have been carried out before this disk knew of it' },
    ])
    const missing = next.log.filter(({ message }) => message === 'the bank of a refund is not configured')
    expect(missing.map(({ level }) => level)).toEqual(['warning'])
    expect((await sendGone()).status).toBe(202)
  })

  it('given later whose bank is not configured is not taken', async () => {
    const { at, running, backup, link } = await paid()
    const again = await replace(at, running, 'lost', () => backup)
    const next = await again()
    await next.connector.settle()
    const { send } = given(at, each, { ...link, reference: 'another-bank:1' }, 10)
    const { status, body } = await send()
    expect([status, body.description]).toEqual([503, 'the connector has no bank another-bank'])
    expect(next.core.disk.refunds.open().count).toBe(0)
  })

  it('that the list has and the connector cannot take yet is not taken for a new one', async () => {
    const { at, running, backup, link, bank } = await paid()
    const again = await replace(at, running, 'lost', () => backup)
    const { wait, send } = given(at, each, link, 0)
    wait()
    const next = await again()
    const database = new DatabaseSync(join(at.directory, DISK))
    database.exec(
      `CREATE TRIGGER refusing BEFORE INSERT ON refunds BEGIN SELECT raise(ABORT, 'refused'); END`,
    )
    await next.connector.settle()
    database.exec('DROP TRIGGER refusing')
    database.close()
    expect((await send()).status).toBe(503)
    expect(bank.callsOf(each.refund)).toHaveLength(0)
    expect(next.log).toContainEqual({
      ...{ level: 'error', message: 'what waits at the service cannot be taken' },
      fields: expect.objectContaining({
        ...{ site: each.site, refundUid: 'r', problem: expect.stringContaining('refused') },
      }),
    })
  })

  it('of a site that a reload adds is taken a second later', async () => {
    const { at, running, backup, link, bank } = await paid()
    const again = await replace(at, running, 'lost', () => backup)
    const { [each.site]: _, ...sites } = at.config.sites
    const read = (config: object) => readConfig(JSON.stringify(config), BANKS, { ...SOURCES, env: at.env })
    const next = await again()
    expect(reload(next.core, () => read({ ...at.config, sites }))).toEqual([])
    await next.connector.settle()
    expect(reload(next.core, () => read(at.config))).toEqual([])
    await next.later(1_000)
    expect((await given(at, each, link, 0).send()).status).toBe(202)
    await next.connector.settle()
    expect(bank.callsOf(each.refund)).toHaveLength(1)
  })

  it('whose list cannot be read keeps no code from being learned', async () => {
    const { at, running, backup, link } = await paid()
    const again = await replace(at, running, 'lost', () => backup)
    at.service.waitingRefunds = [{ siteId: each.site }]
    at.service.qrCodes.push({
      ...{ siteId: each.site, qrcId: link.qrcId, reference: link.reference, type: 'DYNAMIC' },
      ...{ status: 'CREATED', createdOn: new Date(at.clock.now).toISOString() },
    })
    const next = await again()
    await next.connector.settle()
    expect(next.core.disk.codes.ofSite(each.site, link.qrcId)).toBeDefined()
    expect(next.log.map(({ message }) => message)).toContain('the lists of the service were not read')
  })
})

describe.each([TBANK, RAIFFEISEN, TOCHKA_PAY])('a charge at the bank of $site', (each) => {
  async function bound() {
    const { at, running: first } = await launched()
    at.clock.now += 1_000
    const { binding } = await bind({ at, running: first }, each)
    const [running, backup] = await backedUp(at, first)
    at.clock.now += MINUTE
    const link = await register(at, each.site, { amount: PRICE })
    return { at, running, backup, link, binding, bank: each.of(at) }
  }

  it.each(CASES)(
    'sent before the disk was $loss is sent once: the service is $ahead minutes ahead',
    async ({ loss, ahead }) => {
      const { at, running, backup, link, binding, bank } = await bound()
      bank.fail(each.charge, { broken: 'before' })
      const data = chargeData(at, binding, link)
      const givenAt = at.clock.now + ahead * MINUTE
      const send = () => at.service.instruct('payment.charge', data, givenAt)
      expect((await send()).status).toBe(202)
      await running.connector.settle()
      expect(bank.callsOf(each.charge)).toHaveLength(1)
      at.service.charges = [{ ...data, createdOn: new Date(givenAt).toISOString() }]
      const again = await replace(at, running, loss, () => backup)
      at.clock.now += MINUTE
      const next = await again()
      await send()
      await next.connector.settle()
      expect((await send()).status).toBe(202)
      for (let hour = 0; hour < 3; hour++) {
        await next.connector.settle()
        at.clock.now += HOUR
      }
      expect(bank.callsOf(each.charge)).toHaveLength(1)
    },
  )

  it.each(CASES)(
    'given after the disk was $loss is sent: the service is $ahead minutes ahead',
    async ({ loss, ahead }) => {
      const { at, running, backup, link, binding, bank } = await bound()
      const again = await replace(at, running, loss, () => backup)
      const next = await again()
      await next.connector.settle()
      at.clock.now += 1_000
      const data = chargeData(at, binding, link)
      const { status } = await at.service.instruct('payment.charge', data, at.clock.now + ahead * MINUTE)
      expect(status).toBe(202)
      await next.connector.settle()
      expect(bank.callsOf(each.charge)).toHaveLength(1)
      expect(at.service.site(each.site).payments.get(data.paymentUid)?.status).toBe('COMPLETED')
    },
  )

  it('is taken where the list of charges can be read, and no other', async () => {
    const { at, running, backup, link, binding, bank } = await bound()
    const again = await replace(at, running, 'lost', () => backup)
    at.service.waitingRefunds = [{ siteId: each.site }]
    at.service.bindings = [{ siteId: each.site, status: 'WAITING' }]
    at.service.charges = []
    const next = await again()
    await next.connector.settle()
    await charge(at, binding, link)
    await next.connector.settle()
    expect(bank.callsOf(each.charge)).toHaveLength(1)
  })

  it('of a code that a new disk has registered is sent before the list was read', async () => {
    const { at, running, backup, binding, bank } = await bound()
    const next = await (await replace(at, running, 'lost', () => backup))()
    const asked = await charge(at, binding, await register(at, each.site, { amount: PRICE }))
    await next.connector.settle()
    expect(bank.callsOf(each.charge)).toHaveLength(1)
    expect(asked.result()?.status).toBe('COMPLETED')
  })
})

describe('a refund in the console of T-Bank is not made up of one that the disk lacks', () => {
  it.each([
    { loss: 'lost', ahead: 5, title: 'the service is ahead of a new disk' },
    { loss: 'restored', ahead: 5, title: 'the machine of the backup was ahead of that of the restore' },
  ] as const)('$title', async ({ loss, ahead }) => {
    const { at, running: first } = await launched()
    at.clock.now += loss === 'restored' ? ahead * MINUTE : 0
    const link = await register(at, 'cafe')
    await pay(at, 'cafe', link.qrcId)
    await first.connector.settle()
    const [running, backup] = await backedUp(at, first)
    const { paymentId } = at.tbank.session(link.qrcId)
    at.service.qrCodes.push({
      ...{ siteId: 'cafe', qrcId: link.qrcId, reference: link.reference, type: 'DYNAMIC', status: 'PAYED' },
      createdOn: new Date(at.clock.now + ahead * MINUTE).toISOString(),
    })
    const again = await replace(at, running, loss, () => backup)
    at.clock.now += loss === 'restored' ? 30_000 - ahead * MINUTE : MINUTE
    const next = await again()
    await next.connector.settle()
    // The service knows a part of it, which was given on the disk before.
    await at.tbank.refundInConsole(paymentId, 10_000, { times: 1 })
    await next.connector.settle()
    expect(at.service.site('cafe').refunds.size).toBe(0)
    expect(next.log.map(({ message }) => message)).toContain(
      'the refunds of a payment at the bank are unclear',
    )
  })
})
