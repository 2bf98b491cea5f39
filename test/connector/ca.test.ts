// A bank behind an authority of its own: with `ca` it works, and nothing is sent to a host whose certificate does not verify.
import { describe, expect, it } from 'vitest'
import type { Certified } from '../support/private-ca.ts'
import { behindTls, makeChains } from './behind-tls.ts'
import {
  fakeOf,
  HOUR,
  MINUTE,
  ofRefund,
  pay,
  type Running,
  refund,
  register,
  registerData,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

const { root, sub, leaf, wrongHost, expired, ofOther } = makeChains()
const GOOD = [leaf, sub]

/** Each adapter by its site and its credentials in the configuration. */
const ADAPTERS = [
  { site: 'tea', name: 'tochka-main' },
  { site: 'cafe', name: 'tbank-cafe' },
  { site: 'farm', name: 'raif-farm' },
  { site: 'club', name: 'pay-club' },
]

const registers = (at: Surroundings, site: string) =>
  at.service.instruct('qrCode.register', registerData(at, site), at.clock.now)

const errorsIn = ({ log }: Running) => log.map(({ fields }) => fields.error)

describe.each(ADAPTERS)('$name', ({ site, name }) => {
  const fake = fakeOf(site)

  it('works with `ca`: links, payments and refunds', async () => {
    const at = await surroundings()
    const { entry, front } = await behindTls(at, name, ...GOOD)
    entry.ca = root.file
    const { connector, later } = await start(at)
    const link = await register(at, site)
    await pay(at, site, link.qrcId)
    await connector.settle()
    const asked = await refund(at, site, link, '1.00')
    await later(MINUTE)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
    expect(front.received()).toBeGreaterThan(0)
  })

  it.each<[string, Certified[], string | undefined, string]>([
    ['its authority is not in a `ca`', GOOD, undefined, 'Корневой УЦ'],
    ['its authority is another than that of `ca`', [ofOther], root.file, 'Other Root'],
    ['it sends no intermediate certificate', [leaf], root.file, 'Sub CA'],
  ])('is sent nothing where %s: host, issuer and `ca` are named', async (_, chain, ca, issuer) => {
    const at = await surroundings()
    const { entry, front } = await behindTls(at, name, ...chain)
    if (ca !== undefined) entry.ca = ca
    const running = await start(at)
    expect(await registers(at, site)).toMatchObject({ status: 503 })
    const reason = `the certificate of 127.0.0.1 does not verify: that of its issuer, ${issuer}, is missing: see banks.${name}.ca`
    expect(errorsIn(running)).toContainEqual(expect.stringContaining(reason))
    expect([front.received(), fake.of(at).calls]).toEqual([0, []])
  })

  it.each<[string, Certified[], string | undefined, RegExp]>([
    ['of another host', [wrongHost, sub], root.file, /127\.0\.0\.1 is not in the cert's list/],
    ['that has expired', [expired, sub], root.file, /certificate has expired/],
    ['that does not verify', GOOD, undefined, /does not verify/],
    ['that does not verify, with a `ca`', [ofOther], root.file, /does not verify/],
  ])('a refund meets a certificate %s: it waits, and is sent once', async (_, chain, ca, expected) => {
    const at = await surroundings()
    const { entry, front } = await behindTls(at, name, ...GOOD)
    entry.ca = root.file
    const before = await start(at)
    const link = await register(at, site)
    await pay(at, site, link.qrcId)
    await before.connector.settle()
    await before.stop()
    front.show(...chain)
    if (ca === undefined) Reflect.deleteProperty(entry, 'ca')
    const during = await start(at)
    const received = front.received()
    const asked = await refund(at, site, link, '1.00')
    await during.later(MINUTE)
    expect(front.received()).toBe(received)
    expect(during.core.disk.refunds.get({ ...asked, site })).toMatchObject({
      ...{ reason: expect.stringMatching(expected) },
    })
    expect(during.core.disk.refunds.countHeld()).toBe(0)
    await during.stop()
    front.show(...GOOD)
    entry.ca = root.file
    const after = await start(at)
    await after.later(HOUR)
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
    expect(fake.of(at).callsOf(fake.refund)).toHaveLength(1)
  })
})
