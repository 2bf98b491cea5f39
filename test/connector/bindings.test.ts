// Bound accounts: what every bank owes, and what is refused by name.
import { expect, it } from 'vitest'
import { HOUR, registerData, start, surroundings } from './harness.ts'

const amount = { value: '50.00', currency: 'RUB' }

it.each([
  ['tea', { type: 'TOKEN', amount: undefined }, /^Tochka: .*TOKEN/],
  ['tea', { flags: ['CREATE_TOKEN'] }, /^Tochka: accounts cannot be bound \(DYNAMIC, CREATE_TOKEN\)/],
  ['farm', { type: 'STATIC', flags: ['CREATE_TOKEN'] }, /^Raiffeisenbank: accounts cannot be bound/],
])('%s: a code %j is refused by the name of its bank', async (site, changes, text) => {
  const at = await surroundings()
  await start(at)
  const answer = await at.service.instruct('qrCode.register', registerData(at, site, changes), at.clock.now)
  expect(answer).toEqual({ status: 422, body: { description: expect.stringMatching(text) } })
})

it.each([
  ['nobody', undefined, 'no bank has bound this account'],
  [
    'a bank that is not configured',
    'tbank-old:#77',
    'the connector has no bank tbank-old, which has bound this account',
  ],
  ['a bank that has no charges', 'tochka-main:#77', 'Tochka: accounts cannot be charged'],
])('a charge of an account that %s has bound is declined by name', async (_, bindingReference, reason) => {
  const at = await surroundings()
  const { connector } = await start(at)
  await connector.settle()
  const charge = {
    ...{ siteId: 'tea', qrcId: 'AD1', paymentUid: 'CHARGE1', bindingUid: 'B1', amount, bindingReference },
    expiresOn: new Date(at.clock.now + HOUR).toISOString(),
  }
  expect((await at.service.instruct('payment.charge', charge, at.clock.now)).status).toBe(202)
  await connector.settle()
  expect(at.service.site('tea').payments.get('CHARGE1')).toEqual({
    ...{ qrcId: 'AD1', bindingUid: 'B1', status: 'DECLINED', amount, reason },
  })
})

it('a token.delete of an unknown binding is confirmed, and its end kept: no later charge of it is made', async () => {
  const at = await surroundings()
  const { connector, core } = await start(at)
  await connector.settle()
  const binding = { siteId: 'tea', qrcId: 'AD1', bindingUid: 'B1' }
  expect((await at.service.instruct('token.delete', binding, at.clock.now)).status).toBe(202)
  const charge = { ...binding, paymentUid: 'CHARGE1', amount, bindingReference: 'tbank-cafe:#77' }
  const expiresOn = new Date(at.clock.now + HOUR).toISOString()
  await at.service.instruct('payment.charge', { ...charge, expiresOn }, at.clock.now)
  await connector.settle()
  expect(at.service.site('tea').bindings.get('B1')).toEqual({ status: 'DELETED' })
  expect(at.service.site('tea').payments.get('CHARGE1')).toMatchObject({ reason: 'TOKEN_DELETED' })
  expect(core.disk.bindings.get({ site: 'tea', bindingUid: 'B1' })?.state).toBe('DELETED')
})
