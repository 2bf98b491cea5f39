// The commands of an operator: what they print, and their exit codes.
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../connector/disk/database.ts'
import { Disk } from '../../connector/disk/disk.ts'
import { bundled } from '../support/bundled-commands.ts'
import { FAKES, HOUR, MINUTE, ofRefund, refund, register, start, surroundings } from './harness.ts'
import { argumentsOf, makeDisk, runCommand, startProcess, until } from './process.ts'

/** Surroundings whose disk a connector of this process uses, too. */
async function withDisk() {
  const at = await surroundings({ now: Date.now() })
  return Object.assign(at, { directory: `${at.directory}` })
}
/** The commands have their disk in `data` of the directory. */
const startHere = (at: Awaited<ReturnType<typeof withDisk>>) =>
  start({ ...at, directory: `${at.directory}/data` })

describe('check', () => {
  /** On a disk that a connector has used. */
  async function afterRun() {
    const at = await withDisk()
    makeDisk(at)
    return at
  }

  it('has a line for everything that works, and changes nothing at the banks', async () => {
    const at = await afterRun()
    at.tochka.webhook = {
      url: 'http://127.0.0.1:1/connector/webhooks/tochka-main',
      webhooksList: ['incomingSbpPayment'],
    }
    const { code, lines, errors } = await runCommand(at, 'check')
    expect(errors).toBe('')
    expect(lines.filter((line) => !line.startsWith('note'))).toEqual([
      'ok   tochka-main: the credentials work; the customer is Active',
      'ok   tochka-main: the bank sends incomingSbpPayment to http://127.0.0.1:1/connector/webhooks/tochka-main',
      'ok   tbank-cafe: the credentials work (CheckOrder: 0)',
      'ok   tbank-cafe: every code is registered with the address http://127.0.0.1:1/connector/webhooks/tbank-cafe',
      expect.stringMatching(/^ok {3}tbank-cafe: consents to bind an account go to the terminal’s address/),
      'ok   raif-farm: the credentials work',
      'ok   raif-farm: the bank does not tell where its webhooks go; --register sets http://127.0.0.1:1/connector/webhooks/raif-farm',
      'ok   pay-club: the credentials work',
      'ok   pay-club: the bank publishes the key of webhookKey',
      'ok   pay-club: every code, sale, charge and refund is sent with the address http://127.0.0.1:1/connector/webhooks/pay-club',
      'ok   tea: the service takes the token; its bank is tochka-main',
      'ok   tea: merchant MF0000000042 is Active, capabilities 111: cashbox, dynamic, static',
      'ok   tea: account …0001/044525104 is Active',
      'ok   cafe: the service takes the token; its bank is tbank-cafe',
      'ok   farm: the service takes the token; its bank is raif-farm',
      'ok   club: the service takes the token; its bank is pay-club',
      'ok   club: 4 of 4 cashRegisterQrcIds are free',
      'all is well',
    ])
    expect(lines.filter((line) => line.startsWith('note tbank-cafe: cannot ')).length).toBeGreaterThan(0)
    expect(code).toBe(0)
    const calls = FAKES.flatMap(({ of }) => of(at).calls)
    const isReading = ({ method, operation }: (typeof calls)[number]) =>
      method === 'GET' || operation === 'CheckOrder'
    expect(calls.every(isReading)).toBe(true)
  })

  it.each([
    ['011', 'ok', 'no cashbox, dynamic, static'],
    ['110', 'ok', 'cashbox, dynamic, no static'],
    ['101', 'FAIL', 'cashbox, no dynamic, static'],
  ])(
    'names the codes that a shop with the capabilities %s can have: %s, %s',
    async (capabilities, result, codes) => {
      const at = await afterRun()
      at.tochka.capabilities = capabilities
      const line = `tea: merchant MF0000000042 is Active, capabilities ${capabilities}: ${codes}`
      expect((await runCommand(at, 'check')).lines).toContain(`${result.padEnd(4)} ${line}`)
    },
  )

  it('--register sets the webhooks where the bank has a call for it, and only what differs', async () => {
    const at = await afterRun()
    expect((await runCommand(at, 'check')).lines).toContain(
      'FAIL tochka-main: the bank sends no webhooks; --register sets http://127.0.0.1:1/connector/webhooks/tochka-main',
    )
    expect((await runCommand(at, 'check', '--register')).code).toBe(0)
    expect(at.tochka.webhook).toEqual({
      ...{ url: 'http://127.0.0.1:1/connector/webhooks/tochka-main', webhooksList: ['incomingSbpPayment'] },
    })
    expect(at.raiffeisen.callbackUrl).toBe('http://127.0.0.1:1/connector/webhooks/raif-farm')
    await runCommand(at, 'check', '--register')
    expect(at.tochka.callsOf('set_webhook')).toHaveLength(1)
  })

  it('fails where credentials, tokens or accounts do not work, and shows no secret', async () => {
    const at = await afterRun()
    Object.assign(at.env, {
      TOCHKA_JWT: 'wrong-jwt',
      TBANK_PASSWORD: 'wrong-password',
      RAIF_KEY: 'wrong-key',
      PAY_JWT: 'wrong-token',
    })
    at.service.deleted.add('farm')
    const { code, lines } = await runCommand(at, 'check')
    expect(code).toBe(1)
    const failed = lines.filter((line) => line.startsWith('FAIL'))
    expect(failed).toContain('FAIL tochka-main: customer: the bank answers 403 to the credentials')
    expect(failed).toContain('FAIL tbank-cafe: CheckOrder: the bank answers 200: 204, Неверный токен')
    expect(failed).toContain('FAIL raif-farm: refund_status: the bank answers 401 to the credentials')
    expect(failed).toContain('FAIL pay-club: payment: the bank answers 401 to the credentials')
    expect(lines.join('\n')).not.toMatch(/wrong-/)
    expect(lines.at(-1)).toBe(`${failed.length} failed`)
  })

  it('says that the service has deleted a site, which is no failure', async () => {
    const at = await afterRun()
    await runCommand(at, 'check', '--register')
    at.service.deleted.add('farm')
    const { code, lines } = await runCommand(at, 'check')
    expect(lines).toContain('ok   farm: the service has deleted the site: take it out of the configuration')
    expect(code).toBe(0)
  })

  it('lists what is not reported and what is held', async () => {
    const at = await withDisk()
    at.clock.now -= 2 * MINUTE
    const { connector, stop } = await startHere(at)
    const known = await register(at, 'cafe')
    await at.tbank.pay(known.qrcId)
    await connector.settle()
    at.tbank.fail('Cancel', { broken: 'after' })
    await refund(at, 'cafe', known, '1.00')
    await connector.settle()
    at.service.failures.push(409)
    const other = await register(at, 'tea')
    await at.tochka.pay(other.qrcId)
    await connector.settle()
    const { qrcId, reference } = await register(at, 'farm')
    at.raiffeisen.fail('cancel', { status: 500 })
    await at.service.instruct('qrCode.cancel', { siteId: 'farm', qrcId, reference }, at.clock.now)
    await stop()
    const { code, lines } = await runCommand(at, 'check')
    expect(code).toBe(1)
    const cancelled = new Date(at.clock.now).toISOString()
    expect(lines).toContain(
      `FAIL raif-farm: farm ${qrcId}: cancelled ${cancelled}, the bank has not confirmed it`,
    )
    expect(lines).toContain('FAIL tbank-cafe: 1 refunds are held: see settle')
    expect(lines.join('\n')).toMatch(/FAIL tea: not accepted: \/network\/v1\/sites\/tea\/qrCodes\/.+: 409 /)
  })

  it('lists what was refused at once, and what has had no answer for a minute', async () => {
    const at = await withDisk()
    const disk = new Disk(openDatabase(`${at.directory}/data`, at.clock.now))
    for (const [name, age] of [
      ['new', 0],
      ['old', 2 * MINUTE],
    ] as const) {
      const since = at.clock.now - age
      disk.reports.put({ site: 'tea', path: `qrCodes/${name}`, body: {} }, since)
      disk.webhooks.insert({ bank: 'tbank-cafe', id: name, content: '{}' }, since)
      disk.cancellations.put(
        { site: 'farm', qrcId: name, reference: 'raif-farm:1', bank: 'raif-farm', since },
        since,
      )
    }
    disk.reports.put({ site: 'tea', path: 'qrCodes/refused', body: {} }, at.clock.now)
    for (const row of disk.reports.notAccepted().filter(({ path }) => path.endsWith('refused')))
      disk.reports.delay(row, '409', { now: at.clock.now, dueAt: at.clock.now })
    disk.webhooks.insert({ bank: 'tbank-cafe', id: 'refused', content: '{}' }, at.clock.now)
    for (const row of disk.webhooks.waiting().filter(({ id }) => id === 'refused'))
      disk.webhooks.delay(row, { problem: 'NO_SITE' }, { now: at.clock.now, dueAt: at.clock.now })
    disk.close()
    const { lines } = await runCommand(at, 'check')
    const named = lines.flatMap((line) => /^FAIL .*\b(new|old|refused)\b/.exec(line)?.[1] ?? [])
    expect(named.toSorted()).toEqual(['old', 'old', 'old', 'refused', 'refused'])
  })
})

describe('settle', () => {
  async function held() {
    const at = await withDisk()
    const { connector, stop } = await startHere(at)
    const link = await register(at, 'tea')
    await at.tochka.pay(link.qrcId)
    await connector.settle()
    at.tochka.fail('refund', { broken: 'before' })
    const asked = await refund(at, 'tea', link, '1.50')
    await connector.settle()
    await stop()
    const of = ['--site', 'tea', '--payment', asked.paymentUid, '--refund', asked.refundUid]
    return { at, asked, of, by: ['--by', 'anna', '--yes'] }
  }

  it('lists what is held with all that the operator needs', async () => {
    const { at, asked } = await held()
    const { code, lines } = await runCommand(at, 'settle')
    expect(code).toBe(1)
    expect(lines[0]).toBe(`--site tea --payment ${asked.paymentUid} --refund ${asked.refundUid}`)
    expect(lines[1]).toMatch(
      /^ {2}1\.50 RUB, asked for 20\S+Z, tochka-main MF0000000042:40702810500000000001\/044525104, code AD/,
    )
    expect(lines[2]).toMatch(/^ {2}held: refund: /)
    expect(lines[3]).toBe(
      '1 held or not sent: settle each with --as completed or --as declined, and --by your name',
    )
  })

  it.each([
    ['completed', 'COMPLETED'],
    ['declined', 'DECLINED'],
  ])('--as %s reports %s, once', async (word, status) => {
    const { at, asked, of, by } = await held()
    const { code, lines } = await runCommand(
      ...([at, 'settle', ...of, '--as', word, ...by, '--reason', 'seen in the console'] as const),
    )
    expect([code, lines.at(-1)]).toEqual([0, `${asked.refundUid}: ${status}, reported to the service`])
    expect(at.service.site('tea').refunds.get(`${asked.paymentUid}/${asked.refundUid}`)).toMatchObject({
      status,
    })
    expect(await runCommand(at, 'settle', ...of, '--as', 'declined', ...by)).toMatchObject({
      ...{
        code: 2,
        errors: `the refund is ${status}, only a held one can be settled, or one that could not be sent for 72 hours`,
      },
    })
    expect((await runCommand(at, 'settle')).lines).toEqual([
      'nothing is held, no amount differs, and nothing has been unsent for 72 hours',
    ])
  })

  it.each([
    [['--as', 'refunded'], '--as is refunded, must be completed or declined'],
    [['--as', 'completed', '--by', 'anna', '--yes', '--refund', 'other'], 'there is no such refund'],
    [['--as', 'completed', '--yes'], '--by is not given, must be your name: it is kept with the decision'],
    [['--as', 'completed', '--by', 'n'.repeat(61)], '--by must be at most 60 characters'],
    [[], '--as is not given, must be completed or declined'],
  ])('%j changes nothing: %s', async (more, expected) => {
    const { at, of } = await held()
    expect(await runCommand(at, 'settle', ...of, ...more)).toMatchObject({ code: 2, errors: expected })
    expect((await runCommand(at, 'settle')).code).toBe(1)
  })
})

it('replay reports again what was accepted, in its order, after the service was restored', async () => {
  const at = await withDisk()
  const { connector, stop } = await startHere(at)
  const link = await register(at, 'farm')
  await at.raiffeisen.pay(link.qrcId)
  await connector.settle()
  const asked = await refund(at, 'farm', link, '2.00')
  const declined = await refund(at, 'farm', link, '100.01')
  await connector.settle()
  await stop()
  const before = structuredClone(at.service.site('farm'))
  expect(ofRefund(at, declined)?.status).toBe('DECLINED')
  // The restored service knows of no request: only a refund that moved money is recorded without one.
  before.refunds.delete(`${declined.paymentUid}/${declined.refundUid}`)
  at.service.sites.clear()
  const from = new Date(at.clock.now - HOUR).toISOString()
  expect(await runCommand(at, 'replay', '--from', from)).toMatchObject({
    code: 0,
    lines: ['3 reported, 0 not accepted'],
  })
  expect(at.service.site('farm')).toEqual(before)
  expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
  expect((await runCommand(at, 'check')).lines.join('\n')).not.toContain('not accepted')
  expect(await runCommand(at, 'replay', '--from', '2100-01-01')).toMatchObject({
    lines: ['0 reported, 0 not accepted'],
  })
  at.service.failures.push(409)
  const failed = await runCommand(at, 'replay', '--from', from)
  expect([failed.code, failed.lines.at(-1)]).toEqual([1, '2 reported, 1 not accepted'])
})

describe('reconcile', () => {
  const day = (time: number) => new Date(time + 3 * HOUR).toISOString().slice(0, 10)
  const period = () => {
    // At midnight what was done is of the day before.
    return ['--from', day(Date.now() - HOUR), '--to', day(Date.now())]
  }

  it('says which banks have no list of their payments', async () => {
    const at = await withDisk()
    await (await startHere(at)).stop()
    const { limits } = await runCommand(at, 'reconcile', ...period())
    expect(limits.map((line) => line.split(' ')[1])).toEqual(['tbank-cafe', 'raif-farm', 'pay-club'])
  })

  it('finds no difference where there is none', async () => {
    const at = await withDisk()
    const { connector, stop } = await startHere(at)
    for (const { site } of FAKES) {
      const { qrcId } = await register(at, site)
      if (site === 'tea') await at.tochka.pay(qrcId)
      await register(at, site)
    }
    await connector.settle()
    await stop()
    expect(await runCommand(at, 'reconcile', ...period())).toMatchObject({
      ...{ code: 0, lines: ['8 codes compared, 0 differences'], errors: '' },
    })
  })

  it('compares the codes that could be paid in the period, and no others', async () => {
    const at = await withDisk()
    const present = at.clock.now
    at.clock.now -= 72 * HOUR
    const running = await startHere(at)
    await register(at, 'tea')
    at.clock.now = present
    await register(at, 'tea')
    await register(at, 'tea')
    await running.stop()
    const compared = async (...days: string[]) => (await runCommand(at, 'reconcile', ...days)).lines.at(-1)
    expect(await compared(...period())).toBe('2 codes compared, 0 differences')
    const before = ['--from', day(present - 73 * HOUR), '--to', day(present - 72 * HOUR)]
    expect(await compared(...before)).toBe('1 codes compared, 0 differences')
  })

  /** A counter whose bank took the arming of a sale; `arm` asks for another. */
  async function withSale() {
    const at = await withDisk()
    const running = await startHere(at)
    const counter = { type: 'COUNTER', amount: undefined, ttl: undefined, expiresOn: undefined }
    const { qrcId, reference } = await register(at, 'tea', counter)
    const arm = (saleUid: string) => {
      const expiresOn = new Date(at.clock.now + 300_000).toISOString()
      const amount = { value: '5.00', currency: 'RUB' }
      const sale = { siteId: 'tea', qrcId, reference, saleUid, amount, ttl: 5, expiresOn }
      return at.service.instruct('sale.activate', sale, at.clock.now)
    }
    await arm('s1')
    return { at, ...running, qrcId, arm }
  }

  it('names a code whose end the bank does not state, as check does, and ends it when the bank answers', async () => {
    const at = await withDisk()
    const present = at.clock.now
    at.clock.now -= 5 * HOUR
    const running = await startHere(at)
    const { qrcId } = await register(at, 'farm')
    for (let i = 0; i < 72; i++) running.core.disk.lateAsks.add({ site: 'farm', qrcId, saleUid: '' })
    await running.stop()
    at.clock.now = present
    at.raiffeisen.fail('code', { status: 404 })
    const named = `farm ${qrcId}: the bank does not state whether it was paid`
    expect((await runCommand(at, 'check')).lines).toContain(`FAIL raif-farm: ${named}: see reconcile`)
    const day = new Date(present - 5 * HOUR).toISOString().slice(0, 10)
    const reconcile = () => runCommand(at, 'reconcile', '--from', day, '--to', '2100-01-01')
    expect((await reconcile()).lines).toContain(named)
    expect((await reconcile()).lines).not.toContain(named)
    expect((await runCommand(at, 'check')).lines.join('\n')).not.toContain(named)
  })

  it('compares sales by their own status', async () => {
    const { at, connector, stop, qrcId } = await withSale()
    await connector.settle()
    await stop()
    await at.tochka.pay(qrcId, { times: 0 })
    expect((await runCommand(at, 'reconcile', ...period())).lines).toEqual([
      `tea ${qrcId} sale s1: paid at the bank, was not reported: it is now`,
      '1 codes compared, 1 differences',
    ])
    expect((await runCommand(at, 'reconcile', ...period())).code).toBe(0)
  })

  it('a second payment of a code is a difference until it is recorded', async () => {
    const at = await withDisk()
    const first = await startHere(at)
    const { qrcId } = await register(at, 'tea')
    await at.tochka.pay(qrcId)
    await first.connector.settle()
    await first.stop()
    await at.tochka.pay(qrcId, { times: 0 })
    expect(await runCommand(at, 'reconcile', ...period())).toMatchObject({
      ...{ code: 1, lines: [expect.stringContaining('was not reported: it is now'), expect.anything()] },
    })
    // That of the command.
    at.clock.now = Date.now()
    const again = await startHere(at)
    await again.connector.settle()
    await again.stop()
    expect(at.service.site('tea').payments.size).toBe(2)
    expect(await runCommand(at, 'reconcile', ...period())).toMatchObject({
      ...{ code: 0, lines: ['1 codes compared, 0 differences'] },
    })
  })

  it('counts the payments of a counter, because an arming without an answer has no sale', async () => {
    const { at, stop, qrcId, arm } = await withSale()
    at.tochka.fail('arm', { broken: 'after' })
    await arm('s2')
    await at.tochka.pay(qrcId, { times: 0 })
    await stop()
    expect((await runCommand(at, 'reconcile', ...period())).lines).toEqual([
      `tea ${qrcId}: tochka-main has 1 payments, 0 were reported: find the others in its console`,
      '1 codes compared, 1 differences',
    ])
  })

  it('compares refunds: an excess is a difference, and what cannot be compared is none', async () => {
    const at = await withDisk()
    const { connector, stop } = await startHere(at)
    const link = await register(at, 'farm')
    const other = await register(at, 'tea')
    await at.raiffeisen.pay(link.qrcId)
    await at.tochka.pay(other.qrcId)
    await connector.settle()
    at.raiffeisen.refundStatus = 'DECLINED'
    const { refundUid } = await refund(at, 'farm', link, '30.00')
    const refusal = { code: '400', id: '1', message: 'нет', Errors: [] }
    at.tochka.fail('refund', { status: 400, body: refusal })
    const unnumbered = await refund(at, 'tea', other, '20.00')
    await connector.settle()
    await stop()
    const incomparable = `tea refund ${unnumbered.refundUid} of ${other.qrcId}, 20.00 RUB: the bank has given it no number: not comparable`
    expect(await runCommand(at, 'reconcile', ...period())).toMatchObject({
      ...{ code: 0, lines: [incomparable, '2 codes compared, 0 differences'] },
    })
    for (const id of at.raiffeisen.refunds.keys()) at.raiffeisen.settleRefund(id, 'COMPLETED')
    expect(await runCommand(at, 'reconcile', ...period())).toMatchObject({
      code: 1,
      lines: [
        `farm refund ${refundUid} of ${link.qrcId}, 30.00 RUB: reported as DECLINED, at the bank it is COMPLETED`,
        incomparable,
        '2 codes compared, 1 differences',
      ],
    })
  })

  it('names a bank and a service that do not answer, and prints the other differences', async () => {
    const at = await withDisk()
    const { stop } = await startHere(at)
    const lost = await register(at, 'cafe')
    await stop()
    await at.tbank.pay(lost.qrcId, { times: 0 })
    at.tochka.fail('payments', { status: 500 })
    at.service.deleted.add('farm')
    const { code, lines, errors } = await runCommand(at, 'reconcile', ...period())
    expect([code, errors]).toEqual([1, ''])
    expect(lines).toEqual([
      expect.stringContaining('was not reported: it is now'),
      'tochka-main: payments: the bank answers 500: fault, the bank has a fault',
      'farm: the service answers 410 to the list of qrCodes',
      '1 codes compared, 3 differences',
    ])
  })

  it.each([
    ['a payment of another amount', '50.00', 0, ', not applied: amount, the code is of 100.00 RUB'],
    ['a payment that its code could not take', '100.00', 0, ', not applied: the code could not take it'],
    [
      'a payment that the service refuses',
      '50.00',
      409,
      ', the service has it as CREATED, and has not taken the payment (409): see replay',
    ],
  ])(
    '%s: only what the service does not have is a difference, however often it is asked',
    async (_, value, refusal, text) => {
      const at = await withDisk()
      const { connector, stop } = await startHere(at)
      const { qrcId, reference } = await register(at, 'tea')
      await at.tochka.pay(qrcId, { amount: Number(value) * 100 })
      await connector.settle()
      await stop()
      const times = { createdOn: new Date(at.clock.now).toISOString() }
      const price = { amount: { value: '100.00', currency: 'RUB' } }
      at.service.qrCodes.push({
        siteId: 'tea',
        qrcId,
        reference,
        type: 'DYNAMIC',
        status: 'CREATED',
        ...times,
        ...price,
      })
      if (refusal > 0) at.service.answerTo(`qrCodes/${qrcId}`, { status: refusal, body: {} })
      for (const _ of ['first', 'again'])
        expect(await runCommand(at, 'reconcile', ...period())).toMatchObject({
          code: refusal > 0 ? 1 : 0,
          lines: [
            `tea ${qrcId}: paid, ${value} RUB${text}`,
            `1 codes compared, ${refusal > 0 ? 1 : 0} differences`,
          ],
        })
    },
  )

  it('prints every difference of bank, disk and service, and records what was paid', async () => {
    const at = await withDisk()
    const { connector, stop, core } = await startHere(at)
    const lost = await register(at, 'cafe')
    const forgotten = await register(at, 'tea')
    const unknown = await register(at, 'tea')
    await at.tochka.pay(forgotten.qrcId)
    await connector.settle()
    core.disk.codes.forget(core.disk.codes.ofLink(unknown.qrcId)[0]?.id ?? '')
    const code = {
      siteId: 'tea',
      qrcId: forgotten.qrcId,
      reference: forgotten.reference,
      type: 'DYNAMIC',
      status: 'CREATED',
    }
    at.service.qrCodes.push({ ...code, createdOn: new Date(at.clock.now).toISOString() })
    await stop()
    at.service.site('tea').payments.delete(forgotten.qrcId)
    await at.tbank.pay(lost.qrcId, { times: 0 })
    const number = await at.tochka.pay(unknown.qrcId, { times: 0 })
    const { code: exit, lines } = await runCommand(at, 'reconcile', ...period())
    expect(exit).toBe(1)
    expect(lines).toEqual([
      `cafe ${lost.qrcId}: paid at the bank (${lost.reference.slice(11)}, 100.00 RUB), was not reported: it is now`,
      `${unknown.qrcId}: paid at tochka-main (${number}), no site has this code`,
      `tea ${forgotten.qrcId}: paid, 100.00 RUB, the service did not have the payment: it has it now, see replay`,
      '2 codes compared, 3 differences',
    ])
    expect(at.service.site('tea').payments.get(forgotten.qrcId)?.status).toBe('COMPLETED')
    // That of the command.
    at.clock.now = Date.now()
    const again = await startHere(at)
    await again.connector.settle()
    expect(at.service.site('cafe').payments.get(lost.qrcId)?.status).toBe('COMPLETED')
  })
})

it('wrong use has the exit code 2, and says why', async () => {
  const at = await withDisk()
  const cases: [string[], string][] = [
    [['fly'], 'fly is not a command: see --help'],
    [['run', 'twice'], 'twice is not expected behind run'],
    [['settle', '--port', '1'], '--port is not an option of settle'],
    ...['run', 'check', 'reload', 'reconcile', 'replay'].map((name): [string[], string] => [
      [name, '--charge', 'x'],
      `--charge is not an option of ${name}`,
    ]),
    [
      ['reconcile', '--from', 'yesterday', '--to', '2026-11-20'],
      '--from is yesterday, must be a date such as 2026-11-20',
    ],
    [
      ['reconcile', '--from', '2026-11-20', '--to', '2026-11-19'],
      '--to is 2026-11-19, must not be before --from',
    ],
    [['run', '--port', '65536'], '--port is 65536, must be a number from 0 to 65535'],
    [['run', '--restored', '2026-11-20T10:00:00'], '--restored is 2026-11-20T10:00:00, must be a date'],
    [['replay'], '--from is not given, must be a date'],
    [
      ['reconcile', '--from', '2026-02-30', '--to', '2026-03-31'],
      '--from is 2026-02-30, must be a date such as 2026-11-20, or a time with its offset',
    ],
    [['reconcile', '--from', '2026-02-01', '--to', '2027-02-29'], '--to is 2027-02-29, must be a date'],
    [['replay', '--from', '2026-11-31'], '--from is 2026-11-31, must be a date'],
    [
      ['replay', '--from', '2026-11-31T10:00:00+03:00'],
      '--from is 2026-11-31T10:00:00+03:00, must be a date',
    ],
    ...['check', 'settle', 'replay --from 2026-11-20'].map((words): [string[], string] => [
      words.split(' '),
      'must be the directory of a connector that has run',
    ]),
    [['check', '--data', ''], '--data is not given, must be a directory'],
  ]
  const results = await Promise.all(cases.map(([args]) => runCommand(at, ...args)))
  for (const [i, [args, expected]] of cases.entries()) {
    const { code, errors } = results[i] ?? {}
    expect([args, code, errors]).toEqual([args, 2, expect.stringContaining(expected)])
  }
})

it.each([
  ['port', '3001'],
  ['host', '127.0.0.1'],
])('--%s is wrong use where systemd gives the socket', async (name, value) => {
  const at = await withDisk()
  const program = [process.execPath, bundled('connector'), 'run', ...argumentsOf(at), `--${name}`, value]
  // LISTEN_PID is the process itself.
  const { status, stderr } = spawnSync('sh', ['-c', 'export LISTEN_PID=$$; exec "$@"', 'sh', ...program], {
    env: { ...process.env, ...at.env, LISTEN_FDS: '1' },
    encoding: 'utf8',
  })
  const expected = '--host and --port are given with a socket of systemd, must be in its unit: ListenStream'
  expect([status, stderr]).toEqual([2, expect.stringContaining(expected)])
})

it('a running connector has metrics, health, and a log of JSON lines', async () => {
  const at = await surroundings({
    get now() {
      return Date.now()
    },
  })
  const { url, lines } = await startProcess(at)
  const { qrcId } = await register(at, 'cafe')
  await at.tbank.pay(qrcId)
  await until(() => at.service.site('cafe').payments.size === 1)
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' })
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toContain(
    'fps_connector_bank_calls_total{bank="tbank-cafe",operation="Init",outcome="ok"} 1',
  )
  expect(metrics).toContain('fps_connector_webhooks_total{bank="tbank-cafe",outcome="taken"} 1')
  expect(metrics).toContain('fps_connector_reports_total{status="200"} 1')
  expect(metrics).toContain('\nfps_connector_open_codes 0\n')
  expect(metrics).toMatch(/\nfps_connector_build_info\{version="\d+\.\d+\.\d+",commit="[0-9a-f]{40}"\} 1\n/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'starting', commit: expect.any(String) })
  expect(metrics).toContain('\nfps_connector_oldest_open_instruction_seconds 0\n')
  const entries = lines.map((line): Record<string, unknown> => JSON.parse(line))
  for (const { time, level, message } of entries) {
    expect(new Date(String(time)).toISOString()).toBe(time)
    expect(level).toBeOneOf(['info', 'warning', 'error'])
    expect(message).toBeTypeOf('string')
  }
  const messages = entries.map(({ message }) => message)
  expect(messages).toEqual(expect.arrayContaining(['listening', 'a payment was recorded']))
})

it('a configuration with faults prints all of them and does not start', async () => {
  const at = await withDisk()
  Object.assign(at.config, { publicUrl: 'ftp://x', sites: {} })
  const { code, errors } = await runCommand(at, 'check')
  expect([code, errors.split('\n').length]).toEqual([2, 1])
  expect(errors).toMatch(/^publicUrl: /)
})
