// A refund that was made after the backup is not made twice: the network's reports are replayed before refunds go on.
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { succeeds } from '../support/command.ts'
import { exampleConnector, forwarder, instructionRelay } from '../support/connector.ts'
import { SECRET } from '../support/secret.ts'
import { EXTERNAL, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { errorCodeOf, type Site } from '../support/site-at.ts'

/** Backs up the directory `data`; what it returns restores that into `restored`. */
function backUp(directory: string): () => string {
  const [backup, restored] = [join(directory, 'backup'), join(directory, 'restored')]
  succeeds('backup', '--data', join(directory, 'data'), '--to', backup)
  return () => {
    succeeds('restore', '--from', backup, '--data', restored, '--audit-of-backup')
    return restored
  }
}

const FACT = { status: 'COMPLETED', amount: { value: 5 } }

it.each(['before', 'after'])(
  'a refund of everything, reported again %s resume, leaves nothing to refund',
  async (when) => {
    const directory = temporaryDirectory()
    const settings = EXTERNAL
    let served = await started(join(directory, 'data'), { settings })
    let site = siteOf(served)
    expect(await site.pay('order')).toBe(200)
    const restore = backUp(directory)
    expect((await site.refund('pay-order', 'r-1', 5)).status).toBe(200)
    expect((await site.reportRefund('pay-order', 'r-1', FACT)).status).toBe(200)
    await served.stop()

    const data = restore()
    served = await started(data, { settings })
    site = siteOf(served)
    expect((await site.ask('/payments/pay-order/refunds')).text).toBe('[]')
    expect((await site.reportRefund('pay-order', 'r-1', { status: 'COMPLETED' })).status).toBe(404)
    if (when === 'before') expect((await site.reportRefund('pay-order', 'r-1', FACT)).status).toBe(200)
    await served.stop()
    succeeds('resume', '--data', data)
    served = await started(data, { settings })
    site = siteOf(served)
    if (when === 'after') expect((await site.reportRefund('pay-order', 'r-1', FACT)).status).toBe(200)

    const second = await site.refund('pay-order', 'r-2', 5)
    expect([second.status, second.text]).toEqual([
      400,
      expect.stringContaining('nothing is left of the payment'),
    ])
    // The merchant repeats the request whose effect the backup does not have.
    const repeated = await site.refund('pay-order', 'r-1', 5)
    expect([repeated.status, repeated.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect((await site.ask('/payments/pay-order')).text).toContain('"refundedAmount":{"value":"5.00"')
    expect((await site.ask('/events')).text).toContain('refund.completed')
    await served.stop()
    expect(succeeds('verify', '--data', data)).toBe('sites: 1, with problems: 0\n')
  },
)

/** A service with the example of a connector between it and the network, and a paid QR code `order`. */
async function connected() {
  const directory = temporaryDirectory()
  const [relay, front] = [await instructionRelay(EXTERNAL.NETWORK_SECRET), await forwarder()]
  const connector = exampleConnector({
    serviceUrl: `http://127.0.0.1:${front.port}`,
    secret: EXTERNAL.NETWORK_SECRET,
    token: await mintToken(SECRET, { siteId: 'demo', scope: 'network', days: 1 }),
  })
  onTestFinished(async () => {
    await connector.dispose()
    front.close()
    relay.close()
  })
  const settings = { ...EXTERNAL, NETWORK_URL: relay.url }
  const start = async (data: string) => {
    const served = await started(data, { settings })
    front.target = Number(new URL(served.address).port)
    return { served, site: siteOf(served) }
  }
  const startConnector = async (more: Record<string, string> = {}) => {
    await connector.kill()
    relay.target = await connector.start(more)
  }
  const { served, site } = await start(join(directory, 'data'))
  await startConnector()
  expect(await site.pay('order')).toBe(200)
  return { directory, connector, start, startConnector, served, site }
}
const WAITING = { timeout: 60_000, interval: 100 }
const completed = (site: Site, payment = 'pay-order') =>
  vi.waitFor(
    async () => expect((await site.ask(`/payments/${payment}/refunds/r-1`)).text).toContain('COMPLETED'),
    WAITING,
  )
const keyOf = (payment: string) => JSON.stringify(['refund.create', 'demo', payment, 'r-1'])

it('the example of a connector reports everything again, and executes nothing again', async () => {
  const { directory, connector, start, startConnector, ...first } = await connected()
  let { served, site } = first
  const restore = backUp(directory)
  expect((await site.refund('pay-order', 'r-1', 5)).status).toBe(200)
  await completed(site)
  await served.stop()
  await connector.kill()

  const data = restore()
  ;({ served, site } = await start(data))
  expect((await site.ask('/payments/pay-order/refunds')).text).toBe('[]')
  await startConnector({ REPORT_AGAIN: '1' })
  await completed(site)
  const resting = await site.refund('pay-order', 'r-2', 5)
  expect([resting.status, errorCodeOf(resting)]).toEqual([409, 'site.restored'])
  await served.stop()
  succeeds('resume', '--data', data)

  ;({ served, site } = await start(data))
  expect((await site.refund('pay-order', 'r-2', 5)).status).toBe(400)
  expect(connector.executions()).toEqual([keyOf('pay-order')])
  await served.stop()
  expect(succeeds('verify', '--data', data)).toBe('sites: 1, with problems: 0\n')
})

it('a refund that the bank worked on at the loss counts in what the connector has not reported yet', async () => {
  const { directory, connector, start, startConnector, ...first } = await connected()
  let { served, site } = first
  expect(await site.pay('other')).toBe(200)
  const restore = backUp(directory)
  expect((await site.refund('pay-other', 'r-1', 5)).status).toBe(200)
  await completed(site, 'pay-other')
  const bankIsSlow = { NETWORK_MS: '600000' }
  await startConnector(bankIsSlow)
  expect((await site.refund('pay-order', 'r-1', 5)).status).toBe(200)
  await vi.waitFor(() => expect(connector.executions()).toHaveLength(2), WAITING)
  expect((await site.ask('/payments/pay-order/refunds/r-1')).text).toContain('WAITING')
  await served.stop()

  const data = restore()
  ;({ served, site } = await start(data))
  await startConnector({ REPORT_AGAIN: '1', ...bankIsSlow })
  await completed(site, 'pay-other')
  await vi.waitFor(() => expect(connector.unreported).toEqual([2, 1]), WAITING)
  expect((await site.ask('/payments/pay-order/refunds')).text).toBe('[]')
  await startConnector({ REPORT_AGAIN: '1' })
  await vi.waitFor(() => expect(connector.unreported).toEqual([2, 1, 0]), WAITING)
  // No result is left that the service could learn later.
  for (const payment of ['pay-order', 'pay-other'])
    expect((await site.ask(`/payments/${payment}/refunds/r-1`)).text).toContain('COMPLETED')
  await served.stop()
  succeeds('resume', '--data', data)

  ;({ served, site } = await start(data))
  for (const payment of ['pay-order', 'pay-other'])
    expect((await site.refund(payment, 'r-2', 5)).status).toBe(400)
  expect(connector.executions()).toEqual([keyOf('pay-other'), keyOf('pay-order')])
  await served.stop()
  expect(succeeds('verify', '--data', data)).toBe('sites: 1, with problems: 0\n')
})
