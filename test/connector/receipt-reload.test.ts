// A cash register in the configuration: it appears, goes, and is not pointed at another group while documents have no result.
import { expect, it } from 'vitest'
import { BANKS } from '../../connector/banks/banks.ts'
import { readConfig } from '../../connector/config/config.ts'
import { SOURCES } from '../../connector/config/fields.ts'
import { reload } from '../../connector/config/reload.ts'
import { HOUR, MINUTE, type Running } from './harness.ts'
import { type At, instruct, launchedWithRegister, REGISTER, receiptData, told } from './with-register.ts'

const reloadAt = (at: At, { core }: Running) =>
  reload(core, () => readConfig(JSON.stringify(at.config), BANKS, { ...SOURCES, env: at.env }))

/** The cash registers of the configuration, by name. */
const registersOf = (at: At): Record<string, object> => Object(at.config).cashRegisters

it('a document is taken once its site has a cash register', async () => {
  const { at, running } = await launchedWithRegister()
  const data = receiptData(at, { siteId: 'farm' })
  expect(await instruct(at, data)).toBe(503)
  at.config.sites.farm = { ...at.config.sites.farm, cashRegister: REGISTER }
  expect(reloadAt(at, running)).toEqual([])
  await running.later(1_000)
  expect(await instruct(at, data)).toBe(202)
  await running.later(1_000)
  await running.later(MINUTE)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
})

it('a document stays with its cash register, and waits for it where it has gone', async () => {
  const { at, running } = await launchedWithRegister()
  at.atol.failAt('/', { status: 503 })
  const data = receiptData(at)
  await instruct(at, data)
  await running.later(1_000)
  at.atol.heal()
  const registers = registersOf(at)
  Object.assign(at.config, { cashRegisters: { other: registers[REGISTER] } })
  at.config.sites.tea = { ...at.config.sites.tea, cashRegister: 'other' }
  expect(reloadAt(at, running)).toEqual([])
  expect(running.log.at(-1)).toMatchObject({
    ...{ level: 'warning', message: 'a cash register is gone, and documents of it have no result' },
    fields: { register: REGISTER },
  })
  await running.later(HOUR, 2)
  expect([told(at, data), at.atol.callsOf('sell')]).toEqual([undefined, []])
  Object.assign(at.config, { cashRegisters: registers })
  at.config.sites.tea = { ...at.config.sites.tea, cashRegister: REGISTER }
  reloadAt(at, running)
  await running.later(HOUR, 2)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
})

it('its name is not pointed at another group while a document has no result', async () => {
  const { at, running } = await launchedWithRegister()
  at.atol.waitMs = () => HOUR
  const data = receiptData(at)
  await instruct(at, data)
  await running.later(1_000)
  const registers = registersOf(at)
  const other = { [REGISTER]: { ...registers[REGISTER], group: 'another_group' } }
  Object.assign(at.config, { cashRegisters: other })
  expect(reloadAt(at, running)).toEqual([
    `cashRegisters.${REGISTER}: is atol:another_group, and was atol:shop_group_1, of which documents have no result: must be another name`,
  ])
  await running.later(HOUR)
  await running.later(MINUTE, 11)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
  expect(reloadAt(at, running)).toEqual([])
})

it('another company or address in the configuration changes no request that was sent', async () => {
  const { at, running } = await launchedWithRegister()
  at.atol.fail('sell', { broken: 'after' })
  const data = receiptData(at)
  await instruct(at, data)
  await running.later(1_000)
  const registers = registersOf(at)
  const other = { [REGISTER]: { ...registers[REGISTER], place: 'https://new.example', inn: '500100732259' } }
  Object.assign(at.config, { cashRegisters: other })
  expect(reloadAt(at, running)).toEqual([])
  await running.later(MINUTE, 3)
  expect(told(at, data)).toMatchObject({ state: 'REGISTERED' })
  expect(at.atol.violations).toEqual([])
})
