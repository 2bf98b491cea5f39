// Payers' personal data are erased: of deleted sites, and what is older than is kept. Identities stay: nothing is executed again.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { overwriteRemains } from '../../connector/disk/database.ts'
import { deliver } from '../../connector/outbox/reporter.ts'
import { boundBy, charge, PRICE, registerToken } from './bound.ts'
import {
  DAY,
  HOUR,
  launched,
  ofRefund,
  pay,
  type Running,
  refund,
  register,
  start,
  surroundings,
} from './harness.ts'
import { instruct, receiptData, startWithRegister, told, withRegister } from './with-register.ts'

type At = Awaited<ReturnType<typeof surroundings>>

const PHONE = '+79991234567'
const PURPOSE = 'For Ivan Petrov, flat 7'

/** Whether a file of the disk has the text: the database, its log, or what is beside them. */
function isOnDisk(at: At, text: string): boolean {
  const files = readdirSync(at.directory).filter((name) => name.startsWith('connector.sqlite'))
  return files.some((name) => readFileSync(join(at.directory, name)).includes(text))
}

/** A payment whose webhook states the payer's telephone number, and a refund of a part of it. */
async function paidAndRefunded(at: At, { connector }: Running) {
  // So many that rows of one page are changed beside others.
  for (let i = 0; i < 12; i++) await pay(at, 'tea', (await register(at, 'tea')).qrcId)
  const link = await register(at, 'tea')
  await pay(at, 'tea', link.qrcId)
  await connector.settle()
  const asked = await refund(at, 'tea', link, '1.00')
  await connector.settle()
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  return { link, asked }
}

/** The hours pass, and the connector does what is due. */
async function pass(at: At, { connector }: Running, ms: number) {
  at.clock.now += ms
  await connector.settle()
}

describe('of a site whose data the service has deleted', () => {
  it('the bytes are gone from the disk, and a refund that comes again is not executed again', async () => {
    const { at, running } = await launched()
    const { asked } = await paidAndRefunded(at, running)
    expect(isOnDisk(at, PHONE)).toBe(true)
    at.service.deleted.add('tea')
    await pass(at, running, HOUR)
    expect(isOnDisk(at, PHONE)).toBe(false)
    expect(running.log.map(({ message, fields }) => [message, fields.deletedSites])).toContainEqual([
      'payers’ data were erased',
      'tea',
    ])
    // Its rows are not read again each second.
    expect(running.core.disk.payerData.sitesToErase()).toEqual([])
    expect((await asked.again()).status).toBe(202)
    await pass(at, running, HOUR)
    expect(at.tochka.callsOf('refund')).toHaveLength(1)
    expect(isOnDisk(at, PHONE)).toBe(false)
  })

  it('a payment that comes later leaves nothing either: its report is refused, and erased', async () => {
    const { at, running } = await launched()
    const { link: before } = await paidAndRefunded(at, running)
    const link = await register(at, 'tea')
    at.service.deleted.add('tea')
    await pass(at, running, HOUR)
    expect(isOnDisk(at, PHONE)).toBe(false)
    await pay(at, 'tea', link.qrcId)
    expect(isOnDisk(at, PHONE)).toBe(true)
    await running.connector.settle()
    await running.connector.settle()
    expect([isOnDisk(at, PHONE), before.qrcId === link.qrcId]).toEqual([false, false])
    expect(running.log.map(({ message }) => message)).toContain('a report is of a deleted site')
  })

  it.each([
    ['', (_: At, { connector }: Running) => connector.settle(1)],
    [
      'by a command ',
      async (at: At) => {
        const { core } = await start(at)
        for (const row of core.disk.reports.queue.due('tea', at.clock.now, 1)) await deliver(core, row)
      },
    ],
  ])('what is stored %sbehind a pass that is under way is erased by the next one', async (_, send) => {
    const { at, running } = await launched()
    const { connector, later, core } = running
    const report = { site: 'tea', path: 'qrCodes/A/payments/B', body: { status: 'DECLINED' } }
    core.disk.reports.put(report, at.clock.now)
    await connector.settle()
    // More rows than a pass looks at in a turn.
    core.disk.transaction(() => {
      for (let i = 0; i < 10_000; i++) {
        const path = `qrCodes/${i}/payments/${i}`
        core.disk.reports.put({ ...report, site: 'farm', path }, at.clock.now + 400 * DAY)
      }
    })
    at.service.deleted.add('tea')
    await later(HOUR, 1, 2)
    core.disk.reports.put({ ...report, body: { status: 'DECLINED', payer: { phone: PHONE } } }, at.clock.now)
    await send(at, running)
    expect(isOnDisk(at, PHONE)).toBe(true)
    await connector.settle(20)
    expect(isOnDisk(at, PHONE)).toBe(false)
  })

  it('a charge that comes again is not executed again; what the merchant wrote of it is gone', async () => {
    const { at, running } = await launched()
    at.clock.now += 1_000
    const { qrcId } = await registerToken(at, 'cafe')
    await at.tbank.consent(qrcId, true)
    await running.connector.settle()
    const link = await register(at, 'cafe', { amount: PRICE })
    const asked = await charge(at, boundBy(at, 'cafe', qrcId), link, { paymentPurpose: PURPOSE })
    await running.connector.settle()
    expect(asked.result()?.status).toBe('COMPLETED')
    expect(isOnDisk(at, PURPOSE)).toBe(true)
    at.service.deleted.add('cafe')
    await pass(at, running, HOUR)
    expect(isOnDisk(at, PURPOSE)).toBe(false)
    expect((await asked.again()).status).toBe(202)
    await pass(at, running, HOUR)
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
  })

  it('the data of other sites stay', async () => {
    const { at, running } = await launched()
    await paidAndRefunded(at, running)
    at.service.deleted.add('farm')
    await pass(at, running, HOUR)
    expect(isOnDisk(at, PHONE)).toBe(true)
  })

  it('a 410 that is not the service’s own erases nothing', async () => {
    const { at, running } = await launched()
    const { asked } = await paidAndRefunded(at, running)
    at.service.failures.push(410)
    await asked.again()
    await running.connector.settle()
    expect(running.log.map(({ message }) => message)).toContain('a report was not accepted')
    expect(isOnDisk(at, PHONE)).toBe(true)
  })
})

describe('retention', () => {
  it('erases what is older, keeps what is younger, and refuses repeats as before', async () => {
    const at = await surroundings()
    Object.assign(at.config, { retentionDays: 30 })
    const running = await start(at)
    const { asked, link } = await paidAndRefunded(at, running)
    await pass(at, running, 29 * DAY)
    expect(isOnDisk(at, PHONE)).toBe(true)
    await pass(at, running, 2 * DAY)
    expect(isOnDisk(at, PHONE)).toBe(false)
    expect((await asked.again()).status).toBe(202)
    await at.tochka.deliver(at.tochka.codes.get(link.qrcId)?.payments.at(-1)?.refTransactionId ?? '')
    await pass(at, running, DAY)
    expect(at.tochka.callsOf('refund')).toHaveLength(1)
    expect(at.service.site('tea').payments.size).toBe(13)
  })

  it('keeps what the service has not accepted yet', async () => {
    const at = await surroundings()
    Object.assign(at.config, { retentionDays: 30 })
    const running = await start(at)
    const link = await register(at, 'tea')
    at.service.failures.push(...Array<number>(500).fill(500))
    await pay(at, 'tea', link.qrcId)
    await running.connector.settle()
    for (let day = 0; day < 40; day += 10) await pass(at, running, 10 * DAY)
    expect(isOnDisk(at, PHONE)).toBe(true)
    at.service.failures.length = 0
    await pass(at, running, DAY)
    expect(at.service.site('tea').payments.get(link.qrcId)?.payer).toEqual({ phone: PHONE })
    await pass(at, running, DAY)
    expect(isOnDisk(at, PHONE)).toBe(false)
  })

  it('erases what the bank said in a report that the service does not need', async () => {
    const at = await surroundings()
    Object.assign(at.config, { retentionDays: 30 })
    const running = await start(at)
    const link = await register(at, 'farm')
    await pay(at, 'farm', link.qrcId)
    await running.connector.settle()
    at.service.answerTo('/refunds/', { status: 404, body: { errorCode: 'payin.resource.not.found' } })
    const body = { code: 'ERROR.REFUND_INSUFFICIENT_FUNDS', message: PURPOSE }
    at.raiffeisen.fail('refund', { status: 400, body })
    await refund(at, 'farm', link, '1.00')
    await pass(at, running, 0)
    expect([isOnDisk(at, PURPOSE), running.core.disk.reports.unknown().length]).toEqual([true, 1])
    await pass(at, running, 31 * DAY)
    await pass(at, running, DAY)
    expect(isOnDisk(at, PURPOSE)).toBe(false)
  })

  it('erases why an operator has closed a webhook', async () => {
    const at = await surroundings()
    Object.assign(at.config, { retentionDays: 30 })
    const running = await start(at)
    const { webhooks } = running.core.disk
    webhooks.insert({ bank: 'tochka-main', id: 'W1', content: '{}' }, at.clock.now)
    for (const row of webhooks.waiting()) webhooks.finish(row, 'GIVEN_UP', PURPOSE)
    await pass(at, running, 29 * DAY)
    expect(isOnDisk(at, PURPOSE)).toBe(true)
    await pass(at, running, 2 * DAY)
    expect(isOnDisk(at, PURPOSE)).toBe(false)
  })

  it('erases who a document was for, also of one that waits: that one is held, and never sent', async () => {
    const at = await withRegister()
    Object.assign(at.config, { retentionDays: 30 })
    const running = await startWithRegister(at)
    const [done, waits] = [receiptData(at), receiptData(at, { contact: { phone: PHONE } })]
    await instruct(at, done)
    await pass(at, running, 1_000)
    await pass(at, running, 61_000)
    expect(told(at, done)).toMatchObject({ state: 'REGISTERED' })
    at.atol.failAt('/sell', { status: 503 })
    await instruct(at, waits)
    await pass(at, running, 1_000)
    const texts = [PHONE, 'payer@mail.example', 'https://ofd.example/']
    expect(texts.map((text) => isOnDisk(at, text))).toEqual([true, true, true])
    await pass(at, running, 31 * DAY)
    await pass(at, running, DAY)
    expect(texts.map((text) => isOnDisk(at, text))).toEqual([false, false, false])
    at.atol.heal()
    await pass(at, running, DAY)
    expect(told(at, waits)).toMatchObject({ state: 'SENT', isHeld: true })
    expect(Array.from(at.atol.documents.keys())).toEqual([done.receiptUid])
    // No word of it in the log, either.
    const said = JSON.stringify([running.log, at.service.reports.map(({ body }) => body.reason)])
    for (const text of texts) expect(said).not.toContain(text)
  })

  it('erases nothing where it is not set', async () => {
    const { at, running } = await launched()
    await paidAndRefunded(at, running)
    await pass(at, running, 4000 * DAY)
    expect(isOnDisk(at, PHONE)).toBe(true)
  })

  it.each([29, 3651, 30.5, '30'])('%j is refused', async (retentionDays) => {
    const at = await surroundings()
    Object.assign(at.config, { retentionDays })
    await expect(start(at)).rejects.toThrow('retentionDays: must be a whole number from 30 to 3650')
  })
})

it('what an earlier version has left in the file is overwritten once', async () => {
  const { at, running } = await launched()
  await running.stop()
  const file = join(at.directory, 'connector.sqlite')
  const earlier = new DatabaseSync(file)
  earlier.exec('PRAGMA secure_delete = OFF; PRAGMA journal_mode = DELETE')
  const insert = earlier.prepare(
    `INSERT INTO reports (path, site, body, state, created_at, due_at, attempts, answer) VALUES (?, 'tea', ?, 'ACCEPTED', 1, 1, 0, '')`,
  )
  for (let i = 0; i < 50; i++) insert.run(`/${i}`, JSON.stringify({ payer: { phone: PHONE + i } }))
  earlier.exec(`UPDATE reports SET body = '{}'`)
  expect(isOnDisk(at, PHONE)).toBe(true)
  overwriteRemains(earlier)
  expect(isOnDisk(at, PHONE)).toBe(false)
  earlier.close()
})
