// A client that is generated from the document of a running service, used against that service.
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, expectTypeOf, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import type * as Sdk from '../../dist/client/openapi-ts/index.ts'
import type { components, paths } from '../../dist/client/openapi-typescript.ts'
import { parseLink } from '../../src/fps/link.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'

const root = join(import.meta.dirname, '../..')
const service = bareWorkerd({ PAYMENT_NETWORK: 'sandbox' })
const path = { siteId: 'demo' }
let sdk: typeof Sdk
let merchant: { auth: string }
let network: { auth: string }

beforeAll(async () => {
  const address = `http://127.0.0.1:${await service.start()}`
  const document = await (await fetch(`${address}/openapi.json`)).text()
  rmSync(join(root, 'dist/client'), { recursive: true, force: true })
  mkdirSync(join(root, 'dist'), { recursive: true })
  // The service is told its PUBLIC_URL before its port is known.
  writeFileSync(join(root, 'dist/openapi.json'), document.replace('http://qr.example', address))
  await promisify(execFile)('npm', ['run', '--silent', '--workspace', 'test/client', 'generate'], {
    cwd: root,
  })
  sdk = await import('../../dist/client/openapi-ts/index.ts')
  const authOf = async (scope: 'merchant' | 'network') => ({
    auth: await mintToken(service.secret, { siteId: 'demo', scope, days: 1 }),
  })
  merchant = await authOf('merchant')
  network = await authOf('network')
})
afterAll(() => service.dispose())

const create = async (qrCodeUid: string): Promise<Sdk.QrCode> => {
  const { data } = await sdk.createQrCode({
    ...merchant,
    path,
    body: { qrCodeUid, qrCode: { type: 'DYNAMIC', ttl: 60 }, amount: { value: '10.50' } },
    throwOnError: true,
  })
  return data
}

it('creates, reads and lists QR codes', async () => {
  const created = await create('order-1')
  expect(created).toMatchObject({ qrCodeUid: 'order-1', amount: { value: '10.50', currency: 'RUB' } })

  const put = await sdk.putQrCode({
    ...merchant,
    path: { ...path, qrCodeUid: 'a/b ? ü' },
    body: { qrCode: { type: 'TOKEN', image: { mediaType: 'image/svg+xml' } } },
  })
  expect(put.data?.qrCodeUid).toBe('a/b ? ü')
  expect(put.data?.qrCode.image?.mediaType).toBe('image/svg+xml')

  const read = await sdk.getQrCode({ ...merchant, path: { ...path, qrCodeUid: 'order-1' } })
  expect(read.data).toEqual(created)

  const list = await sdk.listQrCodes({
    ...merchant,
    path,
    query: { status: ['CREATED', 'DECLINED'], limit: 1 },
  })
  expect(list.data?.qrCodes.map(({ qrCodeUid }) => qrCodeUid)).toEqual(['a/b ? ü'])
  const rest = await sdk.listQrCodes({ ...merchant, path, query: { cursor: list.data?.nextCursor ?? '' } })
  expect(rest.data?.qrCodes).toEqual([created])
})

it('cancels a QR code', async () => {
  await create('order-to-cancel')
  const { data } = await sdk.cancelQrCode({ ...merchant, path: { ...path, qrCodeUid: 'order-to-cancel' } })
  expect(data?.qrCode.status).toBe('CANCELLED')
})

it('reads a picture as a file', async () => {
  await create('order-with-picture')
  const { data } = await sdk.getQrCodeImage({
    ...merchant,
    path: { ...path, qrCodeUid: 'order-with-picture' },
    query: { width: 400 },
  })
  expect(data).toBeInstanceOf(Blob)
  expect(data?.type).toBe('image/png')
})

it('pays in the sandbox, and a long poll hears of it', async () => {
  await create('order-2')
  const item = { path: { ...path, qrCodeUid: 'order-2' } }
  const { response } = await sdk.getQrCode({ ...merchant, ...item })
  const ETag = response?.headers.get('ETag') ?? ''
  const known = await sdk.getQrCode({ ...merchant, ...item, headers: { 'If-None-Match': ETag } })
  expect(known.response?.status).toBe(304)

  const poll = sdk.getQrCode({
    ...merchant,
    ...item,
    headers: { 'If-None-Match': ETag, Prefer: 'wait=30' },
  })
  const paid = await sdk.paySandbox({ ...merchant, ...item, body: {} })
  expect(paid.data?.payment).toMatchObject({ paymentStatus: 'COMPLETED', amount: { value: '10.50' } })
  expect((await poll).data).toEqual(paid.data)
})

it('reports payments, and reads them and the feed', async () => {
  const { qrCode } = await create('order-3')
  const report = (paymentUid: string) =>
    sdk.reportPayment({
      ...network,
      path: { ...path, qrcId: parseLink(qrCode.payload)?.id ?? '', paymentUid },
      body: { status: 'COMPLETED', amount: { value: 10.5 } },
    })
  expect((await report('first')).data).toMatchObject({ qrCode: { status: 'PAYED' } })
  await report('second')

  const item = { path: { ...path, qrCodeUid: 'order-3' } }
  const { data: page } = await sdk.listQrCodePayments({ ...merchant, ...item })
  expect(page?.payments.map(({ paymentId, applied }) => [paymentId, applied])).toEqual([
    ['first', true],
    ['second', false],
  ])
  const { data: payment } = await sdk.getPayment({ ...merchant, path: { ...path, paymentId: 'second' } })
  expect(payment).toEqual(page?.payments[1])
  expect(payment?.notAppliedReason).toBe('ALREADY_PAYED')

  const { data: events } = await sdk.listQrCodeEvents({ ...merchant, ...item })
  const { data: feed } = await sdk.listEvents({ ...merchant, path })
  expect(events?.events.map(({ type }) => type)).toEqual([
    'qrCode.created',
    'payment.completed',
    'payment.completed',
  ])
  expect(feed?.events.filter(({ qrCodeUid }) => qrCodeUid === 'order-3')).toEqual(events?.events)
  const { data: next } = await sdk.listEvents({ ...merchant, path, query: { after: feed?.nextCursor ?? '' } })
  expect(next).toEqual({ events: [], nextCursor: feed?.nextCursor })
})

it('has errors by their type', async () => {
  const { data, error, response } = await sdk.getPayment({
    ...merchant,
    path: { ...path, paymentId: 'none' },
  })
  expect([data, response?.status, error?.errorCode]).toEqual([undefined, 404, 'payin.resource.not.found'])

  const invalid = await sdk.putQrCode({
    ...merchant,
    path: { ...path, qrCodeUid: 'order-4' },
    body: { qrCode: { type: 'DYNAMIC', ttl: 0 } },
  })
  expect(invalid.error?.cause?.['qrCode.ttl']).toEqual(['is 0, must be whole minutes from 1 to 129600'])
  expectTypeOf(invalid.error?.cause).toEqualTypeOf<Record<string, string[]> | undefined>()
})

it('both generators agree on the shapes', () => {
  expectTypeOf<components['schemas']['QrCode']>().toEqualTypeOf<Sdk.QrCode>()
  expectTypeOf<components['schemas']['Event']>().toEqualTypeOf<Sdk.Event>()
  expectTypeOf<paths>().toHaveProperty('/payin/v1/sites/{siteId}/sbp/qrCodes')
})

it('the bodies of the README compile with the types of both generators, which their options do not change', () => {
  type Schemas = components['schemas']
  const bodies = {
    create: {
      qrCodeUid: 'order-1',
      qrCode: { type: 'DYNAMIC', image: { mediaType: 'image/svg+xml' } },
      amount: { value: 1 },
    } satisfies Schemas['QrCodeRequest'] & Sdk.QrCodeRequest,
    save: {
      qrCodeUid: 'save-1',
      qrCode: { type: 'TOKEN' },
      tokenizationPurpose: 'Tea club',
      tokenizationAccount: 'customer-7',
    } satisfies Schemas['QrCodeRequest'] & Sdk.QrCodeRequest,
    refund: { amount: { value: 0.5 } } satisfies Schemas['RefundRequest'] & Sdk.RefundRequest,
    charge: { token: 'a token' } satisfies Schemas['ChargeRequest'] & Sdk.ChargeRequest,
    pay: {} satisfies Schemas['SandboxPayment'] & Sdk.SandboxPayment,
    bind: {} satisfies Schemas['SandboxBinding'] & Sdk.SandboxBinding,
  }
  expect(Object.keys(bodies)).toHaveLength(6)
})
