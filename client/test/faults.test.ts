// The client and the real service, with faults between them.
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FAULTS, type Fault } from '../../test/support/fault-proxy.ts'
import { ConnectionError, FpsQrError, RateLimitError, type Retry, UnavailableError } from '../src/index.ts'
import { openShop, type Shop } from './shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const order = (qrCodeUid: string) => ({
  qrCodeUid,
  qrCode: { type: 'DYNAMIC' as const },
  amount: { value: '10.00' },
})

/** A paid QR code of 10.00; its paymentUid. */
async function paid(qrCodeUid: string): Promise<string> {
  const { fps } = await shop.client()
  await fps.createQrCode(order(qrCodeUid))
  await shop.pay(qrCodeUid)
  return (await fps.getQrCode(qrCodeUid)).payment?.paymentUid ?? ''
}

const REAL = FAULTS.filter((fault) => fault !== 'none')

describe.each(REAL)('%s, twice in a row', (fault) => {
  /** The client, its faults from now on, and the class of what it is told of each. */
  async function faulty() {
    const retries: Retry[] = []
    const made = await shop.client({
      attemptTimeoutMs: fault === 'silent' ? 500 : 15_000,
      onRetry: (retry) => retries.push(retry),
    })
    return { ...made, retries }
  }

  it('creates one QR code, and tells of each repeat', async () => {
    const { fps, proxy, retries } = await faulty()
    proxy.faults = [fault, fault]
    const uid = `create-${fault}`
    expect(await fps.createQrCode(order(uid))).toMatchObject({ qrCodeUid: uid, amount: { value: '10.00' } })
    expect(await shop.eventsOf(uid)).toEqual(['qrCode.created'])
    expect(retries.slice(0, 2).map(({ attempt }) => attempt)).toEqual([1, 2])
    const expected = { '429': RateLimitError, '503': UnavailableError, '503-after': UnavailableError }
    const { error } = retries[0] ?? {}
    expect(error).toBeInstanceOf(
      Object.entries(expected).find(([name]) => name === fault)?.[1] ?? ConnectionError,
    )
  })

  it('cancels', async () => {
    const { fps, proxy } = await faulty()
    const uid = `cancel-${fault}`
    await fps.createQrCode(order(uid))
    proxy.faults = [fault, fault]
    expect((await fps.cancel(uid)).qrCode.status).toBe('CANCELLED')
    expect(await shop.eventsOf(uid)).toEqual(['qrCode.created', 'qrCode.cancelled'])
  })

  it('refunds once', async () => {
    const paymentId = await paid(`refund-${fault}`)
    const { fps, proxy } = await faulty()
    proxy.faults = [fault, fault]
    await fps.refund(paymentId, 'half', { amount: { value: '5.00' } })
    proxy.faults = [fault, fault]
    expect((await fps.waitForRefund(paymentId, 'half')).status.value).toBe('COMPLETED')
    expect((await shop.refunds(paymentId)).map(({ refundId }) => refundId)).toEqual(['half'])
  })

  it('charges once', async () => {
    const { fps, proxy } = await faulty()
    const [bind, charge] = [`bind-${fault}`, `charge-${fault}`]
    await fps.createQrCode({ qrCodeUid: bind, qrCode: { type: 'TOKEN' } })
    await shop.bind(bind)
    const { token } = await fps.waitForPayment(bind)
    await fps.createQrCode(order(charge))
    proxy.faults = [fault, fault]
    await fps.chargeToken(charge, { token: token?.value ?? '' })
    expect((await fps.waitForPayment(charge, { returnDeclined: true })).qrCode.status).toBe('PAYED')
    expect(await shop.eventsOf(charge)).toEqual(['qrCode.created', 'payment.waiting', 'payment.completed'])
  })

  it('a wait ends with the payment', async () => {
    const { fps, proxy } = await shop.client({ attemptTimeoutMs: 500 })
    const uid = `wait-${fault}`
    await fps.createQrCode(order(uid))
    const isLongPoll = ({ prefer }: { prefer: string | undefined }) => prefer !== undefined
    // The first read is not a long poll; a `silent` one would have to be given up after 30 seconds.
    proxy.faults = fault === 'silent' ? [fault, fault] : [fault, 'none', fault]
    const waiting = fps.waitForPayment(uid)
    await proxy.until(isLongPoll)
    await shop.pay(uid)
    expect((await waiting).payment?.paymentStatus).toBe('COMPLETED')
  })

  it('lists and reads', async () => {
    const { fps, proxy } = await faulty()
    proxy.faults = [fault, fault]
    for await (const { qrCodeUid } of fps.qrCodes()) {
      proxy.faults = [fault, fault]
      expect((await fps.getQrCode(qrCodeUid)).qrCodeUid).toBe(qrCodeUid)
      break
    }
  })
})

it('whatever faults happen, and even if the merchant then repeats it, a refund is carried out once', async () => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom<Fault[]>(...FAULTS), { maxLength: 8 }),
      fc.constantFrom(0, 60_000),
      async (faults, timeLimitMs) => {
        const uid = `property-${++runs}`
        const paymentId = await paid(uid)
        const { fps, proxy } = await shop.client({ attemptTimeoutMs: 400, timeLimitMs })
        proxy.faults = [...faults]
        const refund = () => fps.refund(paymentId, 'half', { amount: { value: '5.00' } })
        for (let isDone = false; !isDone; ) {
          isDone = await refund().then(
            () => true,
            (error: unknown) => {
              // Without repeats of its own the client gives up, by an error of its own.
              expect(error).toBeInstanceOf(FpsQrError)
              expect(timeLimitMs).toBe(0)
              return false
            },
          )
        }
        expect((await fps.waitForRefund(paymentId, 'half')).status.value).toBe('COMPLETED')
        // Twice 5.00 would be all of the 10.00: the service would not refuse it.
        const direct = await shop.client()
        expect((await direct.fps.getPayment(paymentId)).refundedAmount.value).toBe('5.00')
        expect(await shop.eventsOf(uid)).toEqual([
          ...['qrCode.created', 'payment.completed', 'refund.waiting', 'refund.completed'],
        ])
      },
    ),
    { numRuns: 25, endOnFailure: true },
  )
  expect(runs).toBe(25)
})

it('after its time the last error is thrown, and the request is not sent again', async () => {
  const { fps, proxy } = await shop.client({ timeLimitMs: 0 })
  proxy.faults = ['503', '503']
  await expect(fps.getQrCode('any')).rejects.toBeInstanceOf(UnavailableError)
  proxy.faults = ['reset']
  await expect(fps.getQrCode('any')).rejects.toBeInstanceOf(ConnectionError)
  expect(proxy.requests.map(({ fault }) => fault)).toEqual(['503', 'reset'])
})

it('a wait and the feed survive a kill of the service', async () => {
  const { fps, proxy } = await shop.client({ timeLimitMs: 0 })
  await fps.createQrCode(order('killed'))
  const stop = new AbortController()
  const waiting = fps.waitForPayment('killed')
  const feed = (async () => {
    for await (const { events } of fps.events({ signal: stop.signal }))
      if (events.some(({ qrCodeUid, type }) => qrCodeUid === 'killed' && type === 'payment.completed')) return
  })()
  await proxy.until(({ prefer, path }) => prefer !== undefined && path.endsWith('/killed'))
  await proxy.until(({ prefer, path }) => prefer !== undefined && path.includes('after='))
  const seen = proxy.requests.length
  await shop.kill()
  // Both have found out: they ask again.
  await proxy.until(() => proxy.requests.length >= seen + 4)
  await shop.start()
  await shop.pay('killed')
  expect((await waiting).qrCode.status).toBe('PAYED')
  await feed
})
