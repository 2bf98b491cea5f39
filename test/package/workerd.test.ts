// The client inside workerd: a merchant's Worker that calls the service and receives its notifications.
import { exports } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { FpsQr, verifyNotification } from '../../client/src/index.ts'
import { notificationSignature, webhookHeaders } from '../../src/gateway/signatures.ts'
import { linkIdOf } from '../support/client.ts'
import { call, ORIGIN, tokenOf } from '../support/service.ts'

const siteId = 'client-in-workerd'
const token = await tokenOf({ sub: siteId })
const fps = new FpsQr({
  ...{ baseUrl: ORIGIN, siteId, token },
  fetch: (url, init) => exports.default.fetch(new Request(url, init)),
})

it('creates a QR code, waits for its payment, and reads the feed', async () => {
  const { qrCode } = await fps.createQrCode({
    qrCodeUid: 'order-1',
    qrCode: { type: 'DYNAMIC' },
    amount: { value: '10.50' },
  })
  const waiting = fps.waitForPayment('order-1')
  const path = `/network/v1/sites/${siteId}/qrCodes/${linkIdOf(qrCode.payload)}/payments/payment-1`
  const network = await tokenOf({ sub: siteId, scope: 'network' })
  const body = { status: 'COMPLETED', amount: { value: 10.5 } }
  expect((await call(path, { method: 'PUT', token: network, body })).status).toBe(200)
  expect((await waiting).qrCode.status).toBe('PAYED')
  for await (const { events } of fps.events()) {
    expect(events.map(({ type }) => type)).toEqual(['qrCode.created', 'payment.completed'])
    break
  }
})

it('a redirect is refused, because a Worker’s fetch can only follow it or return it', async () => {
  const redirecting = new FpsQr({
    ...{ baseUrl: ORIGIN, siteId, token },
    fetch: async (url, init) => {
      // What the runtime does not support, it refuses here.
      expect(new Request(url, init).redirect).toBe('manual')
      return new Response(null, { status: 302, headers: { Location: 'https://elsewhere.example/' } })
    },
  })
  await expect(redirecting.getQrCode('order-1')).rejects.toThrow('redirect')
})

it('verifies a notification by the runtime’s Web Crypto', async () => {
  const key = `whsec_${btoa('a key of 32 bytes for this test.')}`
  const qrCode = {
    qrCodeUid: 'order-1',
    status: { value: 'EXPIRED', changedDateTime: '2026-11-20T20:11:40+03:00' },
  }
  const body = JSON.stringify({
    qrCode: { ...qrCode, merchantSiteUid: siteId },
    type: 'QR_CODE',
    version: '1',
  })
  const values = [siteId, 'order-1', 'EXPIRED', '2026-11-20T20:11:40+03:00']
  const headers = new Headers({
    Signature: notificationSignature(key, values),
    ...webhookHeaders([key], 'id-1', Math.floor(Date.now() / 1000), body),
  })
  expect(await verifyNotification({ body, headers, keys: key })).toMatchObject({
    id: 'id-1',
    type: 'QR_CODE',
  })
  headers.set('webhook-id', 'id-2')
  await expect(verifyNotification({ body, headers, keys: key })).rejects.toThrow('altered')
})
