// The ages by which alerts see a webhook that leads to no report, and a report that the service does not accept.
import { expect, it } from 'vitest'
import { DAY, HOUR, launched, pay, register } from './harness.ts'

/** A connector, and what its metric says now. */
async function watched() {
  const { at, running } = await launched()
  const seconds = async (what: 'webhook' | 'report') => {
    const page = await (await fetch(`${running.url}/metrics`)).text()
    return Number(new RegExp(`^fps_connector_oldest_${what}_seconds (\\S+)$`, 'm').exec(page)?.[1])
  }
  return { at, seconds, ...running }
}

it('a webhook has an age until it is reported', async () => {
  const { at, seconds, connector, later, core } = await watched()
  const { qrcId } = await register(at, 'farm')
  expect(await seconds('webhook')).toBe(0)
  at.raiffeisen.failAt(qrcId, { status: 500 })
  await at.raiffeisen.pay(qrcId)
  await connector.settle()
  at.clock.now += HOUR
  expect(await seconds('webhook')).toBe(3600)
  at.raiffeisen.heal()
  await later(HOUR)
  expect(core.disk.webhooks.countWaiting()).toBe(0)
  expect(await seconds('webhook')).toBe(0)
})

it('a webhook of a code that no site has is named for ever, and has an age for a week', async () => {
  const { at, seconds, connector, core } = await watched()
  const { qrcId } = await register(at, 'tea')
  core.disk.codes.forget(core.disk.codes.ofLink(qrcId)[0]?.id ?? '')
  await at.tochka.pay(qrcId)
  await connector.settle()
  at.clock.now += 7 * DAY
  expect(await seconds('webhook')).toBe(7 * 86_400)
  at.clock.now += 1000
  expect(await seconds('webhook')).toBe(0)
  expect(core.disk.webhooks.countWaiting()).toBe(1)
})

it.each([
  ['is accepted', undefined, 0],
  ['is of a site that is deleted since', { status: 410, body: { errorCode: 'site.deleted' } }, 1],
])('a report has an age until it %s', async (_, answer, open) => {
  const { at, seconds, connector, later, core } = await watched()
  const { qrcId } = await register(at, 'farm')
  expect(await seconds('report')).toBe(0)
  at.service.answerTo('/payments/', { status: 503, body: {} })
  await pay(at, 'farm', qrcId)
  await connector.settle()
  at.clock.now += HOUR
  expect(await seconds('report')).toBe(3600)
  at.service.answerTo('/payments/', answer)
  await later(HOUR)
  expect(core.disk.reports.countNotAccepted()).toBe(open)
  expect(await seconds('report')).toBe(0)
})

it('a report that is never accepted is sent for ever, and has an age for a week', async () => {
  const { at, seconds, connector, core } = await watched()
  const { qrcId } = await register(at, 'farm')
  at.service.answerTo('/payments/', { status: 404, body: {} })
  await pay(at, 'farm', qrcId)
  await connector.settle()
  at.clock.now += 7 * DAY
  expect(await seconds('report')).toBe(7 * 86_400)
  at.clock.now += 1000
  expect(await seconds('report')).toBe(0)
  expect(core.disk.reports.countNotAccepted()).toBe(1)
})
