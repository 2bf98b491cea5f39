// The production build through one story, which has a step for every operation of its OpenAPI document.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { requestOf } from '../support/client.ts'
import { PICTURES } from '../support/pictures.ts'
import { portOf } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import { EXTERNAL, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { type Answered, answerTo, errorCodeOf, linkIdIn, qrCodeOf, valueIn } from '../support/site-at.ts'

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
})
const Key = z.object({ id: z.string() })
const statusOf = (answered: Answered) => qrCodeOf(answered).qrCode.status

/** The operations whose answer has no body. */
const EMPTY = [
  ...['revokeApiKey', 'revokeOperatorKey', 'deleteToken', 'deleteSite', 'deleteCallback'],
  ...['removePerson', 'removePasskey', 'endPersonSessions', 'deleteSettlement'],
  ...['removeOperator', 'removeOperatorPasskey', 'endOperatorSessions'],
]

/** What is yet to be made, and what is made. */
const MAKING: Record<string, number> = { retryReceipt: 202, importSettlement: 201 }

/** The status of a success. */
const successOf = (operationId: string): number =>
  EMPTY.includes(operationId) ? 204 : (MAKING[operationId] ?? 200)

/** A server on 127.0.0.1 that takes everything. */
async function taking(): Promise<{ url: string; bodies: unknown[] }> {
  const bodies: unknown[] = []
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(await text(request)))
    response.writeHead(204).end()
  })
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${await portOf(server)}/`, bodies }
}

it('every operation of the production build does its work', async () => {
  const served = await started(temporaryDirectory(), { settings: { CALLBACK_HOSTS: 'any' } })
  const site = siteOf(served)
  const operator = await mintToken(SECRET, { siteId: '*', scope: 'operator', days: 1 })
  const { paths } = Document.parse(await (await fetch(`${served.address}/openapi.json`)).json())
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
  )
  const done = new Set<string>()

  /** Calls an operation, which must succeed. */
  async function step(
    operationId: string,
    parameters: Record<string, string> = {},
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered> {
    const operation = operations.find((each) => each.operationId === operationId)
    if (!operation) throw new Error(`the document has no ${operationId}`)
    const { path, method } = operation
    const filled = path
      .replace('{siteId}', site.siteId)
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''))
      .replace(`/payin/v1/sites/${site.siteId}`, '')
      .concat(parameters.query ?? '')
    const call = { method: method.toUpperCase(), body, headers }
    const answered = path.startsWith('/operator/')
      ? await answerTo(fetch(requestOf(served.address + filled, { ...call, token: operator })))
      : await site.ask(filled, call)
    expect([operationId, answered.status, answered.status < 300 ? '' : answered.text]).toEqual([
      operationId,
      successOf(operationId),
      '',
    ])
    done.add(operationId)
    return answered
  }
  const qrCode = (qrCodeUid: string, value: number) => ({
    qrCodeUid,
    qrCode: { type: 'DYNAMIC' },
    amount: { value },
  })
  const report = { status: 'COMPLETED', amount: { value: 5 } }

  // The merchant's own settings and keys.
  const receiver = await taking()
  await step('putSettings', {}, { name: 'The tea shop', callbackUrl: receiver.url })
  expect((await step('getSettings')).text).toContain('The tea shop')
  expect((await step('patchSettings', {}, { color: '#0f6b3c' })).text).toContain('The tea shop')
  const picture = new Uint8Array(PICTURES['image/png']?.(8, 8) ?? [])
  await step('putLogo', {}, picture, { 'Content-Type': 'image/png' })
  await step('deleteLogo')
  await step('createNotificationKey')
  const second = Key.parse(valueIn(await step('createNotificationKey')))
  await step('activateNotificationKey', { keyId: second.id })
  expect((await step('listNotificationKeys')).text).toContain(second.id)
  const made = await step('createApiKey', {}, { label: 'shop', scope: 'merchant', days: 1 })
  const apiKey = Key.parse(valueIn(made))
  expect((await step('listApiKeys')).text).toContain(apiKey.id)
  await step('revokeApiKey', { keyId: apiKey.id })
  const anna = { personId: 'anna', passkeyId: 'phone' }
  expect((await step('addPerson', {}, { id: 'anna', name: 'Anna', role: 'cashier' })).text).toContain('code=')
  expect((await step('invitePerson', anna)).text).toContain('/console/join?code=')
  expect((await step('changePerson', anna, { role: 'manager' })).text).toContain('manager')
  await step('removePasskey', anna)
  await step('endPersonSessions', anna)
  await step('removePerson', anna)
  expect((await step('listPeople')).text).toContain('removedOn')

  // A QR code, paid while the merchant waits.
  const created = await step('createQrCode', {}, qrCode('tea-1', 5))
  const image = await step('getQrCodeImage', { qrCodeUid: 'tea-1' }, undefined, { Accept: 'image/svg+xml' })
  expect(image.text).toContain('<svg')
  const waiting = step('getQrCode', { qrCodeUid: 'tea-1' }, undefined, { Prefer: 'wait=20' })
  await step('reportPayment', { qrcId: linkIdIn(created), paymentUid: 'pay-1' }, report)
  expect(statusOf(await waiting)).toBe('PAYED')
  expect((await step('getPayment', { paymentId: 'pay-1' })).text).toContain('"applied":true')
  expect((await step('listQrCodePayments', { qrCodeUid: 'tea-1' })).text).toContain('pay-1')

  // Refunds: the sandbox bank executes one, and leaves one of .17 to wait for the network's report.
  await step('refundPayment', { paymentId: 'pay-1', refundId: 'r-1' }, { amount: { value: 1 } })
  await step('refundQrCode', { qrCodeUid: 'tea-1', refundUid: 'r-2' }, { amount: { value: 0.17 } })
  await step('reportRefund', { paymentUid: 'pay-1', refundUid: 'r-2' }, { status: 'COMPLETED' })
  while (!(await step('getRefund', { paymentId: 'pay-1', refundId: 'r-1' })).text.includes('"COMPLETED"'))
    await new Promise((resolve) => setTimeout(resolve, 100))
  const byQrCode = await step('getQrCodeRefund', { qrCodeUid: 'tea-1', refundUid: 'r-1' })
  expect(byQrCode.text).toContain('"COMPLETED"')
  expect((await step('listRefunds', { paymentId: 'pay-1' })).text.match(/"COMPLETED"/g)).toHaveLength(2)

  // Two accounts are bound, by the network's report and by the sandbox bank; one is charged without its customer.
  const binding = (qrCodeUid: string) => ({
    qrCodeUid,
    qrCode: { type: 'TOKEN' },
    tokenizationAccount: 'customer-7',
  })
  const bound = await step('createQrCode', {}, binding('bind-1'))
  await step('reportBinding', { qrcId: linkIdIn(bound), bindingUid: 'binding-1' }, { status: 'CREATED' })
  await step('createQrCode', {}, binding('bind-2'))
  expect(statusOf(await step('bindSandbox', { qrCodeUid: 'bind-2' }, {}))).toBe('ACCEPTED')
  const { tokens } = z
    .object({ tokens: z.array(z.object({ value: z.string() })).length(2) })
    .parse(valueIn(await step('listTokens', { query: '?tokenizationAccount=customer-7' })))
  const [token = '', other = ''] = tokens.map(({ value }) => value)
  await step('createQrCode', {}, qrCode('tea-4', 2))
  const charged = await step(
    'payByToken',
    { qrCodeUid: 'tea-4' },
    { token, tokenizationAccount: 'customer-7' },
  )
  expect(statusOf(charged)).toBe('INIT_PAYMENT_BY_TOKEN')
  while (statusOf(await step('getQrCode', { qrCodeUid: 'tea-4' })) !== 'PAYED')
    await new Promise((resolve) => setTimeout(resolve, 100))
  await step('deleteToken', {}, { tokenizationAccount: 'customer-7', token: other })

  // One by PUT that is cancelled, and one that the sandbox pays.
  await step('putQrCode', { qrCodeUid: 'tea-2' }, { qrCode: { type: 'DYNAMIC' } })
  expect(statusOf(await step('cancelQrCode', { qrCodeUid: 'tea-2' }))).toBe('CANCELLED')
  await step('createQrCode', {}, qrCode('tea-3', 3))
  expect(statusOf(await step('paySandbox', { qrCodeUid: 'tea-3' }, {}))).toBe('PAYED')
  expect((await step('listQrCodes')).text).toContain('tea-3')
  expect((await step('listQrCodeEvents', { qrCodeUid: 'tea-3' })).text).toContain('payment.completed')
  expect((await step('listEvents')).text).toContain('qrCode.cancelled')

  // The merchant's server is on this machine: the runtime refuses to call it, whatever CALLBACK_HOSTS says.
  expect((await step('testNotification')).text).toContain('no connection')
  const log = z
    .object({ notifications: z.array(z.object({ id: z.string() })) })
    .parse(valueIn(await step('listNotifications')))
  const notificationId = log.notifications[0]?.id ?? ''
  expect((await step('groupNotifications')).text).toContain('no connection')
  expect((await step('getNotification', { notificationId })).text).toContain('"PENDING"')
  expect((await step('redeliverNotification', { notificationId })).text).toContain('no connection')
  expect(receiver.bodies).toEqual([])

  // A second shop has an address and keys of its own.
  const shop = { callbackId: 'shop-2' }
  await step('putCallback', shop, { url: 'https://shop-2.example/', types: ['PAYMENT'] })
  expect((await step('listCallbacks')).text).toContain('shop-2')
  expect((await step('getCallback', shop)).text).toContain('https://shop-2.example/')
  await step('createCallbackKey', shop)
  const { id: shopKey } = Key.parse(valueIn(await step('createCallbackKey', shop)))
  await step('activateCallbackKey', { ...shop, keyId: shopKey })
  expect((await step('listCallbackKeys', shop)).text).toContain(shopKey)
  await step('deleteCallback', shop)

  // A second payment of a code is marked as delivered.
  await step('reportPayment', { qrcId: linkIdIn(created), paymentUid: 'pay-again' }, report)
  await step('decidePayment', { paymentId: 'pay-again' }, { value: 'DELIVERED', note: 'receipt 118' })

  // A printed code is armed for one sale after the other.
  await step('createQrCode', {}, { qrCodeUid: 'till', qrCode: { type: 'COUNTER' } })
  const sale = { qrCodeUid: 'till', saleUid: 'sale-1' }
  await step('putSale', sale, { amount: { value: 2.5 } })
  expect((await step('getSale', sale)).text).toContain('"ACTIVE"')
  expect((await step('cancelSale', sale)).text).toContain('"CANCELLED"')
  expect((await step('listSales', sale)).text).toContain('sale-1')

  // A prepayment whose receipt fails is corrected, and closed when the goods are delivered; a receipt is asked for later.
  await step('setCashRegister', {}, { kind: 'sandbox', ffd: '1.2' })
  const receiptOf = (name: string) => ({
    contact: { email: 'customer@shop.example' },
    taxation: 'osn',
    items: [{ name, price: '5.00', vat: '10', method: 'fullPrepayment' }],
  })
  const prepaid = await step('createQrCode', {}, { ...qrCode('tea-6', 5), receipt: receiptOf('fail-retry') })
  await step('reportPayment', { qrcId: linkIdIn(prepaid), paymentUid: 'pay-6' }, report)
  const latest = async (state: string) => {
    const { receipts } = z
      .object({ receipts: z.array(z.object({ receiptUid: z.string(), state: z.string() })) })
      .parse(valueIn(await step('listPaymentReceipts', { paymentId: 'pay-6' })))
    return receipts.findLast((each) => each.state === state)?.receiptUid
  }
  await expect.poll(() => latest('FAILED'), { timeout: 30_000 }).toBeDefined()
  const failed = { receiptUid: (await latest('FAILED')) ?? '' }
  expect((await step('getReceipt', failed)).text).toContain('"canRetry":true')
  await step('retryReceipt', failed, { receipt: receiptOf('Tea') })
  await expect.poll(() => latest('REGISTERED'), { timeout: 30_000 }).toBeDefined()
  expect((await step('listReceipts', { query: '?state=REGISTERED' })).text).toContain('pay-6')
  const closing = await step('closeReceipt', { paymentId: 'pay-6', closingUid: 'c-1' }, { kind: 'closing' })
  expect(closing.text).toContain('"fullPayment"')
  const asked = z
    .object({ receiptUid: z.string() })
    .parse(valueIn(await step('requestReceipt', { paymentId: 'pay-1' }, { receipt: receiptOf('Cup') })))
  expect((await step('listNetworkReceipts')).text).toContain('"receipts"')
  await step('reportReceipt', asked, { state: 'REGISTERED' })
  await step('removeCashRegister')

  // What a connector asks its bank about, and what an accountant gets.
  expect((await step('listNetworkQrCodes')).text).toContain('"CREATED"')
  const slow = { qrCodeUid: 'tea-3', refundUid: 'r-3' }
  await step('refundQrCode', slow, { amount: { value: 0.17 } })
  expect((await step('listWaitingRefunds')).text).toContain('r-3')
  expect((await step('listNetworkBindings', { query: '?status=ENDED' })).text).toContain('binding-1')
  await step('createQrCode', {}, qrCode('tea-5', 2.17))
  await step('payByToken', { qrCodeUid: 'tea-5' }, { token, tokenizationAccount: 'customer-7' })
  expect((await step('listWaitingCharges')).text).toContain('2.17')
  const today = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10)
  expect((await step('getPaymentsReport', { query: `?from=${today}&to=${today}` })).text).toContain('pay-1')
  expect((await step('getDayReport', { query: `?date=${today}` })).text).toMatch(/"payments":[1-9]/)
  expect((await step('listPayments')).text).toContain('pay-1')
  expect((await step('getBankNumbers', { query: `?from=${today}&to=${today}` })).text).toContain('pay-1')

  // The accountant imports a file of the bank.
  const registry = new Uint8Array(readFileSync('examples/settlement/registry.csv'))
  const settlement = { settlementUid: 'november' }
  const file = { ...settlement, query: '?bank=tbank&format=registry' }
  await step('importSettlement', file, registry, { 'Content-Type': 'text/csv' })
  expect((await step('listSettlements')).text).toContain('november')
  expect((await step('getSettlement', settlement)).text).toContain('"unknown":3')
  const month = { query: '?month=2026-11' }
  expect((await step('listSettlementEntries', month)).text).toContain('by-hand')
  expect((await step('getSettlementMonth', month)).text).toContain('"unknown":3')
  await step('deleteSettlement', settlement)
  expect((await step('listSettlementsOfSites', month)).text).toContain('"total"')
  expect((await step('search', { query: '?q=tea-1' })).text).toContain('"uid"')

  // The operator finds the site and what waits in it, sends that again, and deletes the site for good.
  expect((await step('listSites')).text).toContain(site.siteId)
  expect((await step('getSite')).text).toContain('"instructions"')
  const feed = z
    .object({ events: z.array(z.object({ id: z.int(), type: z.string() })), nextCursor: z.string() })
    .parse(valueIn(await step('listEvents', { query: '?limit=1000' })))
  const requested = feed.events.findLast(({ type }) => type === 'refund.waiting')
  const instructionId = feed.nextCursor.replace(/-\d+$/, `-${requested?.id}`)
  expect((await step('sendInstruction', { instructionId })).text).toContain('httpStatus')
  await step('putLimits', {}, { maxPayment: { value: 100 } })
  await step('resumeSite')
  expect((await step('inviteOwner', {}, { id: 'boris', name: 'Boris' })).text).toContain(
    '/console/join?code=',
  )
  expect((await step('inviteOwnerAgain', { personId: 'boris' })).text).toContain('/console/join?code=')
  expect((await step('listOwners')).text).toContain('boris')
  const olga = { personId: 'olga', passkeyId: 'unknown' }
  expect((await step('addOperator', {}, { id: 'olga', name: 'Olga', role: 'operator' })).text).toContain(
    'code=',
  )
  expect((await step('inviteOperator', olga)).text).toContain('code=')
  await step('changeOperator', olga, { role: 'support' })
  await step('removeOperatorPasskey', olga)
  await step('endOperatorSessions', olga)
  await step('removeOperator', olga)
  expect((await step('listOperators')).text).toContain('removedOn')
  await step('revokeOperatorKey', { keyId: 'lost' })
  expect((await step('listOperatorKeys')).text).toContain('lost')
  expect((await step('exportSite')).text).toContain('"end"')
  // Of a site that is not deleted it changes nothing.
  await step('restoreSite')
  await step('deleteSite', {}, { siteId: site.siteId, force: true })
  expect((await step('listAudit')).text).toContain('site.delete')

  expect([...done].toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted())
})

it('the connector is called at a private address, and a refund without one is refused', async () => {
  const connector = await taking()
  const data = temporaryDirectory()
  const connected = await started(data, { settings: { ...EXTERNAL, NETWORK_URL: connector.url } })
  const site = siteOf(connected)
  expect(await site.pay('tea')).toBe(200)
  expect((await site.refund('pay-tea', 'r-1', 1)).status).toBe(200)
  while (connector.bodies.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(connector.bodies[0]).toMatchObject({
    type: 'refund.create',
    data: { siteId: 'demo', refundUid: 'r-1' },
  })

  await connected.stop()
  const alone = await started(data, { settings: { PAYMENT_NETWORK: 'external' } })
  const refused = await siteOf(alone).refund('pay-tea', 'r-2', 1)
  expect([refused.status, errorCodeOf(refused)]).toEqual([503, 'network.not.connected'])
})
