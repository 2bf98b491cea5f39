// Reports of what the service does not have: what moved nothing ends by name, what moved money is reported until it is taken.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { boundBy, charge, PRICE, registerToken } from './bound.ts'
import { DAY, MINUTE, pay, register, start, surroundings } from './harness.ts'
import { runCommand } from './process.ts'

const NOT_FOUND = { status: 404, body: { errorCode: 'payin.resource.not.found' } }
const HTML = '<html><h1>Not Found</h1></html>'

/** A connector, and a service that answers so to reports whose path has the text. */
async function answering(text: string, answer: { status: number; body: unknown } | undefined) {
  const at = await surroundings()
  // Where commands find it.
  const data = join(at.directory, 'data')
  mkdirSync(data)
  const running = await start({ ...at, directory: data })
  at.clock.now += 1_000
  const refuse = (to: typeof answer) => at.service.answerTo(text, to)
  refuse(answer)
  const settleLater = async () => {
    at.clock.now += DAY
    await running.connector.settle()
  }
  const sent = () => at.service.reports.filter(({ path }) => path.includes(text)).length
  return { at, running, refuse, settleLater, sent }
}

async function consented(at: Awaited<ReturnType<typeof surroundings>>) {
  const { qrcId } = await registerToken(at, 'cafe')
  await at.tbank.consent(qrcId, true)
  return qrcId
}

describe('a binding that the service does not have', () => {
  it('ends by name, in the log and for check, and is not sent again', async () => {
    const { at, running, settleLater, sent } = await answering('/bindings/', NOT_FOUND)
    await consented(at)
    await running.connector.settle()
    await settleLater()
    expect(sent()).toBe(1)
    expect(running.log).toContainEqual({
      level: 'warning',
      message: 'the service does not have what a report is about',
      fields: expect.objectContaining({ site: 'cafe', path: expect.stringContaining('/bindings/') }),
    })
    expect(running.core.disk.reports.countNotAccepted()).toBe(0)
    await running.stop()
    const { lines } = await runCommand(at, 'check')
    expect(lines.join('\n')).toMatch(/ok {3}cafe: not needed by the service: .*\/bindings\/.*: 404 /)
  })

  it.each([
    ['a gateway answers 404', { status: 404, body: HTML }],
    ['a gateway answers 410', { status: 410, body: HTML }],
    ['it has no such operation yet', { status: 404, body: { errorCode: 'http.url.not.found' } }],
  ])('is reported until it is taken where %s', async (_, answer) => {
    const { at, running, refuse, settleLater, sent } = await answering('/bindings/', answer)
    const qrcId = await consented(at)
    await running.connector.settle()
    expect(sent()).toBe(1)
    expect(running.core.disk.reports.countNotAccepted()).toBe(1)
    refuse(undefined)
    await settleLater()
    expect(at.service.site('cafe').bindings.size).toBe(1)
    expect(boundBy(at, 'cafe', qrcId).qrcId).toBe(qrcId)
  })
})

describe('a charge that the service does not have', () => {
  it.each([
    ['declined: it ends', 'REJECTED', 0],
    ['completed: it is reported until somebody takes it', 'CONFIRMED', 1],
  ])('%s', async (_, result, open) => {
    const { at, running, refuse, settleLater } = await answering('/payments/', undefined)
    const qrcId = await consented(at)
    await running.connector.settle()
    const link = await register(at, 'cafe', { amount: PRICE })
    refuse(NOT_FOUND)
    at.tbank.chargeResult = result
    const asked = await charge(at, boundBy(at, 'cafe', qrcId), link)
    await running.connector.settle()
    at.clock.now += MINUTE
    expect(running.core.disk.reports.countNotAccepted()).toBe(open)
    refuse(undefined)
    await settleLater()
    expect(asked.result()?.status).toBe(open === 1 ? 'COMPLETED' : undefined)
  })
})

describe('a report that something between answers with success', () => {
  it.each([
    ['a page of a gateway', { status: 200, body: HTML }],
    ['its own JSON', { status: 200, body: { status: 'ok' } }],
    ['nothing', { status: 204, body: undefined }],
    ['that it has accepted it', { status: 202, body: { qrCodeUid: 'order-1' } }],
  ])('is repeated until the service has the payment: %s', async (_, answer) => {
    const { at, running, refuse, settleLater } = await answering('/payments/', answer)
    const { qrcId } = await register(at, 'cafe', { amount: PRICE })
    await pay(at, 'cafe', qrcId)
    await running.connector.settle()
    expect(running.core.disk.reports.countNotAccepted()).toBe(1)
    refuse(undefined)
    await settleLater()
    expect(at.service.site('cafe').payments.get(qrcId)?.status).toBe('COMPLETED')
  })
})

it('replay reports bindings first: a charge is known by its own', async () => {
  const { at, running } = await answering('', undefined)
  const qrcId = await consented(at)
  await running.connector.settle()
  const asked = await charge(at, boundBy(at, 'cafe', qrcId), await register(at, 'cafe', { amount: PRICE }))
  await running.connector.settle()
  // Its end replaces the report of the consent.
  at.clock.now += MINUTE
  await at.tbank.consent(qrcId, false)
  await running.connector.settle()
  await running.stop()
  at.service.reports.length = 0
  const from = new Date(at.clock.now - DAY).toISOString()
  expect((await runCommand(at, 'replay', '--from', from)).lines).toEqual(['2 reported, 0 not accepted'])
  expect(at.service.reports.map(({ path }) => path)).toEqual([
    expect.stringContaining('/bindings/'),
    expect.stringContaining(asked.paymentUid),
  ])
})
