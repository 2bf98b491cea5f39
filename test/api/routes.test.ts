// What every operation of the API owes, walked from its own OpenAPI document.
import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { NotificationsAnswer } from '../../src/contract/notifications/log.ts'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import type { Role } from '../../src/contract/role.ts'
import { REGISTRY } from '../../src/contract/site-id.ts'
import { ERRORS } from '../../src/errors.ts'
import { parseLink } from '../../src/fps/link.ts'
import { enqueueInstruction } from '../../src/site/outbox/outbox.ts'
import { notificationId as outboxId } from '../../src/site/outbox/rows.ts'
import { milliseconds, plus } from '../../src/site/time.ts'
import { type Call, qrCodeBody } from '../support/client.ts'
import { EARLIER_BUILD } from '../support/earlier-build.ts'
import { PICTURES } from '../support/pictures.ts'
import {
  auditThat,
  CONNECTOR,
  call,
  create,
  errorOf,
  ORIGIN,
  registryThat,
  serviceWith,
  siteThat,
  tokenOf,
} from '../support/service.ts'
import { encode } from '../support/settlement/files.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { strict } from '../support/strict.ts'

const CODES = Object.keys(ERRORS) as (keyof typeof ERRORS)[]

const Examples = z.object({ examples: z.record(z.string(), z.object({ value: z.unknown() })) })

const LOGO = new Uint8Array(PICTURES['image/png']?.(8, 8) ?? [])

let settlementFiles = 900_000_000
/** A settlement file that no other request has. @param amount of its operation, in roubles */
const settlementFile = (paymentId = `${settlementFiles++}`, amount = '100.00') =>
  encode(tbankText([tbankLine({ paymentId, amount, fee: '0.00', toBePaid: amount })]), 'windows-1251')

const SETTLEMENT = settlementFile()

/** A response with an error refers to the one that all operations share, and describes the operation's own codes. */
const ErrorReference = z.strictObject({
  $ref: z.string().startsWith('#/components/responses/'),
  description: z.string(),
})

/** A shared error response: the codes that it can have. */
const ErrorResponse = z.object({
  content: z.object({
    'application/json': z.object({
      schema: z.object({
        allOf: z.tuple([
          z.object({ $ref: z.literal('#/components/schemas/ErrorAnswer') }),
          z.object({ properties: z.object({ errorCode: z.object({ enum: z.array(z.enum(CODES)) }) }) }),
        ]),
      }),
    }),
  }),
})

const Operation = z.object({
  operationId: z.string(),
  security: z.array(z.object({ accessToken: z.array(z.string()) })),
  requestBody: z.object({ content: z.record(z.string(), Examples.partial()) }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), z.unknown()).optional() })),
})

const methods = { get: Operation, post: Operation, put: Operation, patch: Operation, delete: Operation }

const Document = z.object({
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(z.string(), z.strictObject(methods).partial()),
  components: z.object({ responses: z.record(z.string(), ErrorResponse) }),
})

const settings = { PAYMENT_NETWORK: 'sandbox' }

const service = serviceWith({ settings })

/** A service whose objects do the same at every call. */
const serviceThat = (does: () => Promise<never>) =>
  serviceWith({
    settings,
    site: () => siteThat(does),
    registry: () => registryThat(does),
    audit: () => auditThat(does),
  })

/** A service that no site answers: a request that asks one gets another answer than it should. */
const siteless = serviceThat(() => Promise.reject(new Error('a site was asked')))

const overloaded = serviceThat(() =>
  Promise.reject(Object.assign(new Error('too much'), { overloaded: true })),
)

/** The payment network is another one, and there is no connector to it. */
const unconnected = serviceWith({})

const withBank = (fetchConnector: (request: Request) => Promise<Response>) =>
  serviceWith({
    settings: { LINKS: 'connector', ...CONNECTOR },
    fetchConnector,
  })

/** Deployments whose bank refuses everything, and whose bank does not answer. */
const bankless = [422, 500].map((status) => withBank(async () => new Response(null, { status })))

/** One whose bank takes everything. */
const willing = withBank(async () =>
  Response.json({ payload: `https://bank.example/${crypto.randomUUID()}` }),
)
const limited = serviceWith({ settings, limiter: { limit: async () => ({ success: false }) } })

const document = Document.parse(await (await call('/openapi.json', { token: null }, service)).json())

/** The one of requests that change nothing; see also paidSample. */
const sample = await create(qrCodeBody({ amount: { value: 0.01 } }), {}, service)

/** A QR code of its own for every request that changes something, because some operations end its life. */
async function fill(
  path: string,
  method: string,
  paid = /\{paymentId\}|\/refunds/.test(path),
  pay: (qrCode: QrCodeAnswer) => Promise<Response> = payInSandbox,
): Promise<string> {
  if (path.endsWith('{siteId}/settings/notificationKeys')) await activeKey()
  if (path.includes('/notifications/')) await replaceSettings({ callbackUrl: 'https://shop.example/' })
  if (path.includes('{notificationId}'))
    return fill(path.replace('{notificationId}', await notificationId()), method)
  if (path.includes('{instructionId}'))
    return fill(path.replace('{instructionId}', await instructionId()), method)
  if (path.includes('/settlements') && method !== 'PUT') await importSettlement('known', SETTLEMENT)
  // The site is lost.
  if (path === '/operator/v1/sites/{siteId}' && method === 'DELETE')
    return path.replace('{siteId}', await otherSite())
  if (path.includes('{callbackId}')) return fill(await withCallback(path), method)
  if (path.includes('{keyId}/activate')) return fill(path.replace('{keyId}', await inactiveKey()), method)
  if (/\/(people|owners)/.test(path)) await setPeople()
  if (path.includes('/owners/{personId}')) return fill(path.replace('{personId}', 'last-owner'), method)
  if (path.endsWith('/cashRegister') && path.includes('{siteId}'))
    return path.replace('{siteId}', await otherSite())
  if (/\{(receiptUid|closingUid)\}/.test(path) || (path.endsWith('/receipts') && method === 'POST'))
    return fillReceipt(path, method, pay)
  if (/\/sbp\/qrCodes$|\{qrCodeUid\}$|\/sales\/|\/refunds\/|\/settings$/.test(path)) await setReceipts()
  if (path.includes('/sales')) return fillSale(path, method, paid)
  if (!/\{(qrCodeUid|qrcId|paymentUid|paymentId)\}/.test(path)) return fillWith(sample, path, method)
  if (method === 'GET' && pay === payInSandbox)
    return fillWith(paid ? await paidSample() : sample, path, method, 'known')
  const receipt = path.includes('/refunds/') ? RECEIPT : undefined
  const qrCode = await create(qrCodeBody({ amount: { value: 0.01 }, receipt }), {}, service)
  if (!paid) return fillWith(qrCode, path, method)
  const answer = strict(QrCodeAnswer).parse(await (await pay(qrCode)).json())
  if (path.endsWith('/decision') && pay === payInSandbox)
    return path.replace('{siteId}', 'demo').replace('{paymentId}', await secondPayment(answer))
  // A refund that is read or reported was requested before.
  const isKnown = method === 'GET' ? /\{refund(Id|Uid)\}$/.test(path) : path.startsWith('/network/')
  if (isKnown && path.includes('/refunds/')) await requestRefund(answer)
  return fillWith(answer, path, method, isKnown ? 'known' : crypto.randomUUID())
}

const importSettlement = async (uid: string, body: Uint8Array) =>
  call(
    `/payin/v1/sites/demo/settlements/${uid}?bank=tbank&format=registry`,
    {
      method: 'PUT',
      body,
      headers: { 'Content-Type': 'text/csv' },
      token: await tokenOf({ scope: 'merchant:accounting' }),
    },
    service,
  )

/** A receipt of a kopeck. */
const RECEIPT = {
  contact: { email: 'mary@shop.example' },
  items: [{ name: 'Tea', price: '0.01', vat: 'none' }],
}
const PREPAID = { ...RECEIPT, items: [{ ...RECEIPT.items[0], method: 'fullPrepayment' }] }
const NO_RECEIPT_UID = '0'.repeat(32)

/** What contradicts the first request, or the first report. */
const OTHER_RECEIPTS = [
  { receipt: { taxation: 'osn' } },
  { items: RECEIPT.items },
  { state: 'REGISTERED', fiscal: { fpd: '1' } },
  { state: 'REGISTERED', fiscal: { fpd: '2' } },
]

/** Leaves the site with a cash register, and with settings by which a payment can have a receipt. */
async function setReceipts(): Promise<void> {
  const register = { kind: 'sandbox', ffd: '1.2' }
  const operator = await operatorToken()
  await call(
    '/operator/v1/sites/demo/cashRegister',
    { method: 'PUT', token: operator, body: register },
    service,
  )
  const token = await tokenOf({ scope: 'merchant:admin' })
  const receipts = { taxation: 'usnIncome', vat: 'none', default: null, askContact: null }
  await call('/payin/v1/sites/demo/settings', { method: 'PATCH', token, body: { receipts } }, service)
}

/** A payment of its own: one without a receipt, which is requested; one with a prepayment, which is closed; or one with a document. */
async function fillReceipt(path: string, method: string, pay: typeof payInSandbox): Promise<string> {
  await setReceipts()
  const isRequested = path.endsWith('/receipts')
  const receipt = isRequested ? undefined : path.includes('{closingUid}') ? PREPAID : RECEIPT
  const code = await create(qrCodeBody({ amount: { value: 0.01 }, receipt }), {}, service)
  const paid = strict(QrCodeAnswer).parse(await (await pay(code)).json())
  const receiptUid = paid.payment?.receipt?.receiptUid ?? NO_RECEIPT_UID
  const failed = { state: 'FAILED', reason: 'test', canRetry: true }
  if (path.endsWith('/retry')) await reportReceipt(receiptUid, failed)
  return fillWith(paid, path.replace('{receiptUid}', receiptUid), method)
}

const reportReceipt = async (receiptUid: string, body: object) =>
  call(
    `/network/v1/sites/demo/receipts/${receiptUid}`,
    { method: 'PUT', token: await tokenOf({ scope: 'network' }), body },
    service,
  )

const makeCounter = (asked = service) => create(qrCodeBody({}, { type: 'COUNTER' }), {}, asked)

const armKnown = ({ qrCodeUid }: QrCodeAnswer, asked = service) =>
  call(
    `/payin/v1/sites/demo/sbp/qrCodes/${qrCodeUid}/sales/known`,
    { method: 'PUT', body: { amount: { value: 0.01 } } },
    asked,
  )

/** A COUNTER code of its own. @param isRefused whether its state refuses the request: another sale is ACTIVE, or it is paid */
async function fillSale(path: string, method: string, isRefused: boolean): Promise<string> {
  const counter = await makeCounter()
  if (method !== 'PUT' || isRefused) await armKnown(counter)
  if (method === 'DELETE' && isRefused) await payInSandbox(counter)
  const saleUid = method === 'PUT' ? crypto.randomUUID() : 'known'
  const filled = path.replace('{qrCodeUid}', counter.qrCodeUid).replace('{saleUid}', saleUid)
  return fillWith(counter, filled, method)
}

let paidOne: QrCodeAnswer | undefined

/** Paid, with the refund `known`. */
async function paidSample(): Promise<QrCodeAnswer> {
  if (paidOne) return paidOne
  const qrCode = await create(qrCodeBody({ amount: { value: 0.01 } }), {}, service)
  paidOne = strict(QrCodeAnswer).parse(await (await payInSandbox(qrCode)).json())
  await requestRefund(paidOne)
  return paidOne
}

const payInSandbox = ({ qrCodeUid }: QrCodeAnswer, body: object = {}) =>
  call(`/sandbox/v1/sites/demo/qrCodes/${qrCodeUid}/payments`, { body }, service)

/** A payment that the QR code, which is paid, does not take. */
async function secondPayment(qrCode: QrCodeAnswer): Promise<string> {
  await payInSandbox(qrCode)
  const list = `/payin/v1/sites/demo/payments?qrCodeUid=${qrCode.qrCodeUid}&limit=1`
  const { payments } = PaymentsAnswer.parse(await (await call(list, {}, service)).json())
  return payments[0]?.paymentId ?? ''
}

const declineInSandbox = (qrCode: QrCodeAnswer) => payInSandbox(qrCode, { status: 'DECLINED' })

/** A payment that an external network reports. */
const payOutside = async ({ qrCode }: QrCodeAnswer) =>
  call(
    `/network/v1/sites/demo/qrCodes/${parseLink(qrCode.payload)?.id}/payments/${crypto.randomUUID()}`,
    {
      method: 'PUT',
      token: await tokenOf({ scope: 'network' }),
      body: { status: 'COMPLETED', amount: { value: 0.01 } },
    },
    unconnected,
  )

const requestRefund = ({ payment }: QrCodeAnswer) =>
  call(
    `/payin/v1/sites/demo/payments/${payment?.paymentUid}/refunds/known`,
    { method: 'PUT', body: { amount: { value: 0.01 } } },
    service,
  )

function fillWith(
  { qrCodeUid, qrCode, payment }: QrCodeAnswer,
  path: string,
  method: string,
  refundUid: string = crypto.randomUUID(),
): string {
  const isNew = method === 'PUT' && !path.includes('/refunds/')
  const paymentUid = payment?.paymentUid ?? crypto.randomUUID()
  return path
    .replace('{siteId}', 'demo')
    .replace('{qrCodeUid}', isNew ? crypto.randomUUID() : qrCodeUid)
    .replace('{qrcId}', parseLink(qrCode.payload)?.id ?? '')
    .replace('{paymentUid}', isNew ? crypto.randomUUID() : paymentUid)
    .replace('{paymentId}', paymentUid)
    .replace(/\{refund(Id|Uid)\}/, refundUid)
    .replace('{keyId}', crypto.randomUUID())
    .replace('{saleUid}', crypto.randomUUID())
    .replace('{closingUid}', crypto.randomUUID())
    .replace('{receiptUid}', NO_RECEIPT_UID)
    .replace('{bindingUid}', crypto.randomUUID())
    .replace('{callbackId}', 'known')
    .replace('{personId}', 'known')
    .replace('{passkeyId}', 'passkey')
    .replace('{notificationId}', 'n')
    .replace('{instructionId}', 'i')
    .replace(/\{settlementUid\}(\?)?/, (_, query) =>
      isNew ? `${crypto.randomUUID()}?bank=tbank&format=registry${query ? '&' : ''}` : `known${query ?? ''}`,
    )
    .replace(
      /\/(settlements\/entries|reports\/settlement|operator\/v1\/settlements)(\?)?/,
      (found, _, query) => (query ? `${found}month=2026-11&` : `${found}?month=2026-11`),
    )
    .replace(
      /\/reports\/(?:payments|bankNumbers)(\?)?/,
      (found, query) => `${found}${query ? '' : '?'}${DAYS}`,
    )
    .replace(/\/search(\?)?/, (found, query) => `${found}${query ? '' : '?'}q=order&`)
}

/** The days of a report, before whatever else its query has. */
const DAYS = 'from=2026-11-01&to=2026-11-30&'

/** A site that exists, and has a setting. */
async function otherSite(): Promise<string> {
  const siteId = `site-${crypto.randomUUID()}`
  const token = await tokenOf({ sub: siteId, scope: 'merchant:admin' })
  const made = await call(`/payin/v1/sites/${siteId}/settings`, { method: 'PUT', token, body: {} }, service)
  expect(made.status).toBe(200)
  return siteId
}

/** A site whose database an earlier build made. */
async function outdatedSite(): Promise<string> {
  const siteId = `site-${crypto.randomUUID()}`
  const object = env.SITES.getByName(siteId)
  await runInDurableObject(object, (_, { storage }) => void storage.sql.exec(EARLIER_BUILD))
  await abortAllDurableObjects()
  return siteId
}

const operatorToken = () => tokenOf({ sub: '*', scope: 'operator' })

const removeSite = async (siteId: string) =>
  call(
    `/operator/v1/sites/${siteId}`,
    { method: 'DELETE', token: await operatorToken(), body: { siteId } },
    service,
  )

let instructions = 1_000_000

/** The id of an instruction of the site that waits for an hour. @param isLeased whether it is being sent */
const instructionId = (isLeased = false): Promise<string> =>
  runInDurableObject(env.SITES.getByName('demo'), (_, { storage: { sql } }) => {
    const event = ++instructions
    const now = milliseconds(Date.now())
    enqueueInstruction(
      sql,
      { event, qrCode: undefined, now: plus(now, milliseconds(3_600_000)) },
      'external',
      {
        type: 'token.delete',
        linkId: 'a',
        bindingUid: 'b',
      },
    )
    sql.exec('UPDATE outbox SET leased_until = ? WHERE event = ?', isLeased ? now + 30_000 : null, event)
    return outboxId(sql, { event, kind: 'instruction' })
  })

// Every endpoint of a merchant takes every notification.
vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response())

async function replaceSettings(body: object): Promise<void> {
  await activeKey()
  const token = await tokenOf({ scope: 'merchant:admin' })
  await call('/payin/v1/sites/demo/settings', { method: 'PUT', token, body }, service)
}

/** The id of a notification of the site. */
async function notificationId(): Promise<string> {
  await payInSandbox(await create(qrCodeBody({ amount: { value: 0.01 } }), {}, service))
  const response = await call('/payin/v1/sites/demo/notifications?limit=1&callback=default', {}, service)
  return NotificationsAnswer.parse(await response.json()).notifications[0]?.id ?? ''
}

const NOTIFICATION_KEYS = '/payin/v1/sites/demo/settings/notificationKeys'

async function makeKey(): Promise<string> {
  const token = await tokenOf({ scope: 'merchant:admin' })
  const response = await call(NOTIFICATION_KEYS, { method: 'POST', token }, service)
  return z.object({ id: z.string() }).parse(await response.json()).id
}

/** Leaves the site with an active notification key alone. */
async function activeKey(): Promise<void> {
  await runInDurableObject(env.SITES.getByName('demo'), (_, { storage }) => {
    storage.sql.exec('DELETE FROM notification_keys')
  })
  await makeKey()
}

/** Leaves the site with an active and an inactive notification key; returns the id of the latter. */
async function inactiveKey(): Promise<string> {
  await activeKey()
  return makeKey()
}

/** The people of the site: the cashier `known`, an owner with a passkey, and as many others; and such people of the deployment. */
const setPeople = async (others = 0) => {
  await runInDurableObject(env.SITES.getByName('demo'), fillPeople(others, 'owner', 'cashier'))
  await runInDurableObject(exports.Registry.getByName(REGISTRY), fillPeople(others, 'operator', 'support'))
}

const fillPeople =
  (others: number, head: Role, role: Role) =>
  (_: unknown, { storage: { sql } }: DurableObjectState) => {
    const ids = Array.from({ length: others }, (_, n) => `other-${n}`)
    sql.exec('DELETE FROM person_sessions; DELETE FROM passkeys; DELETE FROM people')
    for (const id of ['known', 'last-owner', ...ids])
      sql.exec(
        "INSERT INTO people (id, name, role, handle, created_at) VALUES (?, 'N', ?, ?, 1)",
        ...[id, id === 'last-owner' ? head : role, id],
      )
    sql.exec(
      "INSERT INTO passkeys (id, person, public_key, counter, label, created_at) VALUES ('passkey', 'last-owner', 'k', 0, 'L', 1)",
    )
  }

const CALLBACK = '/payin/v1/sites/demo/settings/callbacks/known'

/** Leaves the site with an address that has an active key alone; the path names it, and where it names a key, an inactive one. */
async function withCallback(path: string): Promise<string> {
  const token = await tokenOf({ scope: 'merchant:admin' })
  const ask = (below: string, more: Call) => call(CALLBACK + below, { token, ...more }, service)
  await ask('', { method: 'DELETE' })
  await ask('', { method: 'PUT', body: { url: 'https://known.example/', types: [] } })
  const isRotated = path.includes('{keyId}/activate')
  for (let keys = isRotated ? 2 : 1; keys > 1; keys--) await ask('/notificationKeys', { method: 'POST' })
  const made = await ask('/notificationKeys', { method: 'POST' })
  const { id } = z.object({ id: z.string() }).parse(await made.json())
  return path.replace('{callbackId}', 'known').replace('{keyId}', id)
}

/** Does something while the site has as many addresses as it can have. */
async function withAllCallbacks(work: () => Promise<void>): Promise<void> {
  const token = await tokenOf({ scope: 'merchant:admin' })
  const body = { url: 'https://known.example/', types: [] }
  const each = async (more: Call) => {
    for (let i = 0; i < 5; i++) await call(`${CALLBACK}-${i}`, { token, ...more }, service)
  }
  await each({ method: 'PUT', body })
  await work()
  await each({ method: 'DELETE' })
}

/** What an operation says that it may refuse, and when: in its description each code is in backticks. */
const refusalsOf = ({ responses }: z.infer<typeof Operation>) =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) => {
      const { $ref, description } = ErrorReference.parse(response)
      const shared = document.components.responses[$ref.replace('#/components/responses/', '')]
      const known = shared?.content['application/json'].schema.allOf[1].properties.errorCode.enum ?? []
      const quoted = Array.from(description.matchAll(/^`([^`]+)`: /gm), ([, code = '']) => code)
      return quoted.map((quotedCode) => {
        const code = known.find((one) => one === quotedCode)
        if (!code) throw new Error(`${$ref} has no ${quotedCode}`)
        return { refusal: `${status} ${code}`, code, description }
      })
    })

/** The operations of a path that are there. */
const entries = (operations: Record<string, z.infer<typeof Operation> | undefined>) =>
  Object.entries(operations).flatMap(([method, operation]) =>
    operation ? [[method, operation] as const] : [],
  )

const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
  entries(operations).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    operation,
    method: method.toUpperCase(),
    examples: Object.values(operation.requestBody?.content['application/json']?.examples ?? {}),
    /** The media types of the body; none where it has none. */
    takes: Object.keys(operation.requestBody?.content ?? {}),
    scopes: operation.security.flatMap(({ accessToken }) => accessToken),
    mediaType: Object.keys(operation.responses['200']?.content ?? {})[0] ?? 'application/json',
    ok: [201, 204, 200, 202].find((status) => `${status}` in operation.responses),
  })),
)

/** What the document shows under /payin exists under /partner too (contract, section 1). */
const twins = routes
  .filter(({ path }) => path.startsWith('/payin/'))
  .map((route) => ({ ...route, name: route.name.replace(' ', ' /partner'), path: `/partner${route.path}` }))

/** All operations, and each fifth one under its other path, numbered. */
const sampledRoutes = [...routes, ...twins.filter((_, index) => index % 5 === 0)].map((route, number) => ({
  ...route,
  number,
}))

/** At most two of many cases for each route, other ones for the next: every claim is tested for every route, every case for some. */
const sampled = <T>(cases: readonly T[], number: number): T[] =>
  cases.filter((_, index) => (index + number) % Math.ceil(cases.length / 2) === 0)

it('each operation of a merchant has the method of its twin under /partner', async () => {
  for (const { path, method } of twins) {
    const response = await call(fillWith(sample, path, method), { method: 'OPTIONS' }, siteless)
    expect([path, response.status]).toEqual([path, 405])
    expect(response.headers.get('Allow')?.split(', ')).toContain(method)
  }
})

it('the document has all operations, each with its absolute path under the one server', () => {
  expect(document.servers).toEqual([{ url: ORIGIN }])
  expect(routes.map(({ name }) => name).toSorted()).toEqual([
    'DELETE /operator/v1/keys/{keyId}',
    'DELETE /operator/v1/people/{personId}',
    'DELETE /operator/v1/people/{personId}/passkeys/{passkeyId}',
    'DELETE /operator/v1/people/{personId}/sessions',
    'DELETE /operator/v1/sites/{siteId}',
    'DELETE /operator/v1/sites/{siteId}/cashRegister',
    'DELETE /payin/v1/sites/{siteId}/apiKeys/{keyId}',
    'DELETE /payin/v1/sites/{siteId}/people/{personId}',
    'DELETE /payin/v1/sites/{siteId}/people/{personId}/passkeys/{passkeyId}',
    'DELETE /payin/v1/sites/{siteId}/people/{personId}/sessions',
    'DELETE /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}',
    'DELETE /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/sales/{saleUid}',
    'DELETE /payin/v1/sites/{siteId}/settings/callbacks/{callbackId}',
    'DELETE /payin/v1/sites/{siteId}/settings/logo',
    'DELETE /payin/v1/sites/{siteId}/settlements/{settlementUid}',
    'DELETE /payin/v1/sites/{siteId}/tokens',
    'GET /network/v1/sites/{siteId}/bindings',
    'GET /network/v1/sites/{siteId}/charges',
    'GET /network/v1/sites/{siteId}/qrCodes',
    'GET /network/v1/sites/{siteId}/receipts',
    'GET /network/v1/sites/{siteId}/refunds',
    'GET /operator/v1/audit',
    'GET /operator/v1/keys',
    'GET /operator/v1/people',
    'GET /operator/v1/settlements',
    'GET /operator/v1/sites',
    'GET /operator/v1/sites/{siteId}',
    'GET /operator/v1/sites/{siteId}/export',
    'GET /operator/v1/sites/{siteId}/owners',
    'GET /payin/v1/sites/{siteId}/apiKeys',
    'GET /payin/v1/sites/{siteId}/events',
    'GET /payin/v1/sites/{siteId}/notifications',
    'GET /payin/v1/sites/{siteId}/notifications/groups',
    'GET /payin/v1/sites/{siteId}/notifications/{notificationId}',
    'GET /payin/v1/sites/{siteId}/payments',
    'GET /payin/v1/sites/{siteId}/payments/{paymentId}',
    'GET /payin/v1/sites/{siteId}/payments/{paymentId}/receipts',
    'GET /payin/v1/sites/{siteId}/payments/{paymentId}/refunds',
    'GET /payin/v1/sites/{siteId}/payments/{paymentId}/refunds/{refundId}',
    'GET /payin/v1/sites/{siteId}/people',
    'GET /payin/v1/sites/{siteId}/receipts',
    'GET /payin/v1/sites/{siteId}/receipts/{receiptUid}',
    'GET /payin/v1/sites/{siteId}/reports/bankNumbers',
    'GET /payin/v1/sites/{siteId}/reports/day',
    'GET /payin/v1/sites/{siteId}/reports/payments',
    'GET /payin/v1/sites/{siteId}/reports/settlement',
    'GET /payin/v1/sites/{siteId}/sbp/qrCodes',
    'GET /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}',
    'GET /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/events',
    'GET /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/image',
    'GET /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/payments',
    'GET /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/refunds/{refundUid}',
    'GET /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/sales',
    'GET /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/sales/{saleUid}',
    'GET /payin/v1/sites/{siteId}/search',
    'GET /payin/v1/sites/{siteId}/settings',
    'GET /payin/v1/sites/{siteId}/settings/callbacks',
    'GET /payin/v1/sites/{siteId}/settings/callbacks/{callbackId}',
    'GET /payin/v1/sites/{siteId}/settings/callbacks/{callbackId}/notificationKeys',
    'GET /payin/v1/sites/{siteId}/settings/notificationKeys',
    'GET /payin/v1/sites/{siteId}/settlements',
    'GET /payin/v1/sites/{siteId}/settlements/entries',
    'GET /payin/v1/sites/{siteId}/settlements/{settlementUid}',
    'GET /payin/v1/sites/{siteId}/tokens',
    'PATCH /operator/v1/people/{personId}',
    'PATCH /payin/v1/sites/{siteId}/people/{personId}',
    'PATCH /payin/v1/sites/{siteId}/settings',
    'POST /operator/v1/people',
    'POST /operator/v1/people/{personId}/invitations',
    'POST /operator/v1/sites/{siteId}/instructions/{instructionId}/send',
    'POST /operator/v1/sites/{siteId}/owners',
    'POST /operator/v1/sites/{siteId}/owners/{personId}/invitations',
    'POST /operator/v1/sites/{siteId}/restore',
    'POST /operator/v1/sites/{siteId}/resume',
    'POST /payin/v1/sites/{siteId}/apiKeys',
    'POST /payin/v1/sites/{siteId}/notifications/test',
    'POST /payin/v1/sites/{siteId}/notifications/{notificationId}/redeliver',
    'POST /payin/v1/sites/{siteId}/payments/{paymentId}/receipts',
    'POST /payin/v1/sites/{siteId}/people',
    'POST /payin/v1/sites/{siteId}/people/{personId}/invitations',
    'POST /payin/v1/sites/{siteId}/receipts/{receiptUid}/retry',
    'POST /payin/v1/sites/{siteId}/sbp/qrCodes',
    'POST /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/payments',
    'POST /payin/v1/sites/{siteId}/settings/callbacks/{callbackId}/notificationKeys',
    'POST /payin/v1/sites/{siteId}/settings/callbacks/{callbackId}/notificationKeys/{keyId}/activate',
    'POST /payin/v1/sites/{siteId}/settings/notificationKeys',
    'POST /payin/v1/sites/{siteId}/settings/notificationKeys/{keyId}/activate',
    'POST /sandbox/v1/sites/{siteId}/qrCodes/{qrCodeUid}/bindings',
    'POST /sandbox/v1/sites/{siteId}/qrCodes/{qrCodeUid}/payments',
    'PUT /network/v1/sites/{siteId}/payments/{paymentUid}/refunds/{refundUid}',
    'PUT /network/v1/sites/{siteId}/qrCodes/{qrcId}/bindings/{bindingUid}',
    'PUT /network/v1/sites/{siteId}/qrCodes/{qrcId}/payments/{paymentUid}',
    'PUT /network/v1/sites/{siteId}/receipts/{receiptUid}',
    'PUT /operator/v1/sites/{siteId}/cashRegister',
    'PUT /operator/v1/sites/{siteId}/limits',
    'PUT /payin/v1/sites/{siteId}/payments/{paymentId}/decision',
    'PUT /payin/v1/sites/{siteId}/payments/{paymentId}/receipts/{closingUid}',
    'PUT /payin/v1/sites/{siteId}/payments/{paymentId}/refunds/{refundId}',
    'PUT /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}',
    'PUT /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/refunds/{refundUid}',
    'PUT /payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/sales/{saleUid}',
    'PUT /payin/v1/sites/{siteId}/settings',
    'PUT /payin/v1/sites/{siteId}/settings/callbacks/{callbackId}',
    'PUT /payin/v1/sites/{siteId}/settings/logo',
    'PUT /payin/v1/sites/{siteId}/settlements/{settlementUid}',
  ])
})

it('each error code is in one shared response, of its own status', () => {
  const responses = Object.values(document.components.responses)
  const codes = responses.map(
    ({ content }) => content['application/json'].schema.allOf[1].properties.errorCode.enum,
  )
  expect(codes.flat().toSorted()).toEqual(CODES.toSorted())
  for (const group of codes) expect(new Set(group.map((code) => ERRORS[code].status)).size).toBe(1)
})

/** A token that is refused, why, and how it is made. */
const BAD_TOKENS: [string, string, () => string | Promise<string>][] = [
  ['that is not a JWT', 'malformed', () => 'secret'],
  [
    'signed by another',
    'not signed by this deployment',
    () => tokenOf({}, 'another secret of at least 32 characters'),
  ],
  ['expired', 'expired', () => tokenOf({ exp: Math.floor(Date.now() / 1000) - 1 })],
  ['without expiry', 'malformed', () => tokenOf({ exp: undefined })],
  ['not yet valid', 'not valid yet', () => tokenOf({ nbf: Math.floor(Date.now() / 1000) + 60 })],
  ['without site', 'malformed', () => tokenOf({ sub: undefined })],
  ['without key id', 'malformed', () => tokenOf({ jti: undefined })],
  [
    'of no algorithm',
    'not signed by this deployment',
    async () =>
      `${btoa('{"alg":"none","typ":"JWT"}').replaceAll('=', '')}.${(await tokenOf()).split('.')[1]}.`,
  ],
  [
    'with a changed site',
    'not signed by this deployment',
    async () => {
      const [head, , signature] = (await tokenOf()).split('.')
      const [, other] = (await tokenOf({ sub: 'other' })).split('.')
      return `${head}.${other}.${signature}`
    },
  ],
]

describe.each(sampledRoutes)(
  '$name',
  ({ number, path, method, examples, takes, scopes, operation, mediaType, ok }) => {
    const scope = scopes[0] ?? ''
    /** It refuses a QR code that is paid, before it looks at the network. */
    const isCharge = operation.operationId === 'payByToken'
    /** The only body that can be JSON, too, but is a file. */
    const isSettlement = operation.operationId === 'importSettlement'
    const isJson = takes.includes('application/json') && !isSettlement
    /** A picture is the only other body. */
    const file = isSettlement ? SETTLEMENT : LOGO
    const body = takes.length > 0 && !isJson ? file : examples[0]?.value
    /** A token for the operation. */
    const ownToken = (siteId = 'demo') => tokenOf({ scope, sub: scope === 'operator' ? '*' : siteId })
    /** The body of a deletion repeats the site of the path. */
    const bodyAt = (at: string, given: unknown) =>
      operation.operationId === 'deleteSite' && Object(given).siteId === 'demo'
        ? { ...Object(given), siteId: at.split('/').at(-1) }
        : given
    const isOfSite = path.includes('{siteId}')
    /** Such as `404 http.url.not.found`. */
    const documented = refusalsOf(operation).map(({ refusal }) => refusal)
    /** A good request, but for what is given. */
    const request = async (more: Call = {}, at = path, asked = service) => {
      // Where no site is called, nothing changes.
      const filled = asked === siteless ? fillWith(sample, at, method) : await fill(at, method)
      const given = 'body' in more ? more.body : body && (asked === siteless ? body : await fresh(body))
      return call(
        filled,
        {
          method,
          ...(more.token === undefined && { token: await ownToken() }),
          ...more,
          headers: {
            ...(body === LOGO && { 'Content-Type': 'image/png' }),
            ...(isSettlement && { 'Content-Type': 'text/csv' }),
            ...more.headers,
          },
          ...(given !== undefined && { body: bodyAt(filled, given) }),
        },
        asked,
      )
    }
    /** It is refused as the document says, and no site is asked, unless the service is another one. */
    const refused = async (more: Call, status: number, code: string, at = path, asked = siteless) => {
      const response = await request(more, at, asked)
      const { errorCode, description } = await errorOf(response)
      expect([response.status, errorCode]).toEqual([status, code])
      expect(documented).toContain(`${status} ${code}`)
      return { headers: response.headers, description }
    }
    const site = (siteId: string) => path.replace('{siteId}', siteId)

    it('no token: 401, and the challenge is bare', async () => {
      const { headers, description } = await refused({ token: null }, 401, 'auth.unauthorized')
      expect(headers.get('WWW-Authenticate')).toBe('Bearer')
      expect(description).toBe('Authorization is missing, must be Bearer and an access token')
    })

    it('another scheme: 401, and the challenge is bare', async () => {
      const basic = { Authorization: 'Basic ZGVtbzpkZW1v' }
      const { headers, description } = await refused({ headers: basic }, 401, 'auth.unauthorized')
      expect(headers.get('WWW-Authenticate')).toBe('Bearer')
      expect(description).toBe('Authorization is of another form, must be Bearer and an access token')
    })

    it.each(sampled(BAD_TOKENS, number))(
      'a token %s: 401 invalid_token, the token is %s; on its own site or any other',
      async (_, why, make) => {
        const token = await make()
        for (const at of [path, site('other')]) {
          const { headers, description } = await refused({ token }, 401, 'auth.unauthorized', at)
          expect(headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
          expect(description).toBe(`the access token is ${why}`)
        }
      },
    )

    it('a token of another site: 403', async () => {
      const { headers } = await refused(
        { token: await tokenOf({ sub: 'other', scope }) },
        403,
        'auth.forbidden',
      )
      expect(headers.get('WWW-Authenticate')).toBe('Bearer error="insufficient_scope"')
    })

    it('a token without the scope: 403', async () => {
      for (const scope of [
        '',
        'merchants',
        ...['merchant', 'merchant:read', 'network'].filter((one) => !scopes.includes(one)),
      ]) {
        const { headers } = await refused({ token: await tokenOf({ scope }) }, 403, 'auth.forbidden')
        expect(headers.get('WWW-Authenticate')).toBe('Bearer error="insufficient_scope"')
      }
    })

    it('an unauthenticated caller learns nothing of the body or the media types', async () => {
      const bad = { body: '{', headers: { 'Content-Type': 'text/plain', Accept: 'text/plain' } }
      await refused({ ...(body !== undefined && bad), token: null }, 401, 'auth.unauthorized')
      await refused(
        { ...(body !== undefined && bad), token: await tokenOf({ sub: 'other' }) },
        403,
        'auth.forbidden',
      )
    })

    it.runIf(isOfSite).each(sampled(['a b', '..%2f', 'x'.repeat(65), 'demo%00', 'д'], number))(
      'no such site as %j: 404',
      async (siteId) => {
        const at = site(encodeURIComponent(decodeURIComponent(siteId)))
        await refused({}, 404, 'http.url.not.found', at)
        await refused({ token: null }, 401, 'auth.unauthorized', at)
      },
    )

    it('a method that the endpoint does not have: 405 with those it has', async () => {
      const { headers } = await refused({ method: 'OPTIONS' }, 405, 'http.method.not.supported')
      expect(headers.get('Allow')?.split(', ')).toContain(method)
    })

    it.each(sampled(['text/html', 'application/xml, audio/*;q=0.5', `${mediaType};q=0`, '*/*;q=0'], number))(
      'Accept: %s: 406',
      // Whether a picture is acceptable, its site knows.
      (Accept) =>
        refused({ headers: { Accept } }, 406, 'http.media.type.not.acceptable', path, service).then(() => {}),
    )

    const accepted = [
      ...[mediaType, mediaType.toUpperCase(), `${mediaType.split('/')[0]}/*`, '*/*'],
      ...[`text/html, ${mediaType};q=0.1`, ''],
    ]
    it.each(sampled(accepted, number))('Accept: %s is fine', async (Accept) =>
      expect((await request({ headers: { Accept } })).status).toBe(ok),
    )

    it('has the headers that every response has', async () => {
      for (const response of [await request(), await request({ token: null })]) {
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'x-trace-id': expect.stringMatching(/^[0-9a-f]{16}$/),
          'strict-transport-security': 'max-age=31536000',
          'x-content-type-options': 'nosniff',
          'cache-control': expect.stringMatching(/^(no-store|private, max-age=86400)$/),
        })
      }
    })

    it('an unknown query parameter: 400, by name', async () => {
      const { description } = await refused({}, 400, 'validation.error', `${path}?zzzzzz=1`)
      expect(description).toBe('zzzzzz is unknown')
    })

    if (takes.length > 0) {
      const foreign = [
        ...['text/html', 'application/x-www-form-urlencoded', 'application/jsonp'],
        ...['application/json-patch+json', ''],
      ]
      it.each(sampled(foreign, number))('Content-Type: %s: 415 with what is taken', async (type) => {
        const { headers } = await refused(
          { headers: { 'Content-Type': type } },
          415,
          'http.media.type.not.supported',
        )
        expect(headers.get(method === 'PATCH' ? 'Accept-Patch' : 'Accept-Post')).toBe(takes.join(', '))
        // It would say that the content coding is at fault (RFC 9110, section 12.5.3).
        expect(headers.get('Accept-Encoding')).toBe(null)
      })

      const codings = ['gzip', 'br', 'zstd', 'deflate, identity', 'identity, gzip', 'utf-8']
      it.each(sampled(codings, number))('Content-Encoding: %s: 415 with what is taken', async (coding) => {
        const { headers, description } = await refused(
          { headers: { 'Content-Encoding': coding } },
          415,
          'http.media.type.not.supported',
        )
        expect(description).toBe(`Content-Encoding is "${coding}", must be identity`)
        expect(headers.get('Accept-Encoding')).toBe('identity')
        expect(headers.get('Accept-Post')).toBe(null)
        await refused({ token: null, headers: { 'Content-Encoding': coding } }, 401, 'auth.unauthorized')
      })

      it.each(sampled(['identity', 'Identity', 'identity, identity'], number))(
        'Content-Encoding: %s is fine',
        async (coding) =>
          expect((await request({ headers: { 'Content-Encoding': coding } })).status).toBe(ok),
      )

      const tooLarge = isSettlement
        ? { body: 'x', headers: { 'Content-Length': `${32 * 1024 * 1024 + 1}` } }
        : { body: 'x'.repeat(isJson ? 65_537 : 262_145) }
      it('a body over the limit: 413, before it is parsed', () =>
        refused(tooLarge, 413, 'http.message.too.large').then(() => {}))
    }

    if (isJson) {
      it.each(
        sampled(
          ['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON'],
          number,
        ),
      )('Content-Type: %s is fine', async (type) =>
        expect((await request({ headers: { 'Content-Type': type } })).status).toBe(ok),
      )

      it('a body that is not a JSON object: 400', async () => {
        for (const body of ['', '[]', '{']) await refused({ body }, 400, 'http.message.conversion.failed')
      })

      it('a body with a broken field: 400', () =>
        refused({ body: { qrCode: {}, amount: {} } }, 400, 'validation.error').then(() => {}))

      it('takes its own examples', async () => {
        for (const { value } of examples)
          expect((await request({ body: await fresh(value) })).status).toBe(ok)
      })
    }

    it('documents every refusal that it gives, and gives every one that it documents', async () => {
      const given = new Set<string>()
      const record = async (response: Response) => {
        if (response.status >= 400) given.add(`${response.status} ${(await errorOf(response)).errorCode}`)
      }
      for (const more of [
        { headers: { Host: 'user@evil.example' } },
        { token: null },
        { token: await tokenOf({ sub: 'other', scope }) },
        { method: 'OPTIONS' },
        { headers: { Accept: 'text/html' } },
        { headers: { 'If-Match': '"other"' } },
        ...(body === undefined
          ? []
          : [
              { headers: { 'Content-Type': 'text/html' } },
              { body: '{' },
              { body: new ReadableStream({ start: (stream) => stream.error(new Error('cut')) }) },
              { body: {} },
              { body: { ...Object(body), token: 'unknown' } },
              { body: 'x'.repeat(262_145) },
              ...(isSettlement ? [{ headers: { 'Content-Length': '33554433' } }] : []),
            ]),
      ]) {
        await record(await request(more))
      }
      for (const at of [
        site('a%20b'),
        path.replace(
          /\{(qrCodeUid|qrcId|paymentId|callbackId|keyId|personId|notificationId|instructionId|settlementUid)\}/,
          crypto.randomUUID(),
        ),
        path.replace('{paymentUid}/refunds', `${crypto.randomUUID()}/refunds`),
        path.replace('{receiptUid}', NO_RECEIPT_UID),
        path.replace(
          /\{(qrCodeUid|paymentUid|paymentId|callbackId|keyId|personId|notificationId|instructionId|bindingUid|settlementUid)\}/,
          '%ff',
        ),
        `${path}?limit=0&width=0`,
        `${path}?after=0123456789abcdef-1`,
        `${path}?cursor=event-1-0123456789abcdef`,
      ]) {
        await record(await request({}, at))
      }
      for (const asked of [limited, siteless, overloaded, unconnected])
        await record(await request({}, path, asked))
      if (documented.includes('503 network.not.connected'))
        await record(
          await request(
            { body: await fresh(body, unconnected) },
            await fill(path, method, !isCharge, payOutside),
            unconnected,
          ),
        )
      if (documented.includes('409 network.refused') && (path.includes('/sales') || method === 'DELETE')) {
        for (const asked of bankless) {
          const counter = await makeCounter(willing)
          if (method === 'DELETE') await armKnown(counter, willing)
          const at = path.replace('{qrCodeUid}', counter.qrCodeUid).replace('{saleUid}', 'known')
          await record(await request({}, at, asked))
        }
      } else if (documented.includes('409 network.refused')) {
        for (const asked of bankless) {
          const body = qrCodeBody()
          const at = path.replace('{qrCodeUid}', body.qrCodeUid)
          await record(
            await request({ body: at === path ? body : { ...body, qrCodeUid: undefined } }, at, asked),
          )
        }
      }
      if (isOfSite) {
        const deleted = await otherSite()
        await removeSite(deleted)
        await record(await request({ token: await ownToken(deleted) }, site(deleted)))
        const outdated = await outdatedSite()
        await record(await request({ token: await ownToken(outdated) }, site(outdated)))
      }
      if (scope === 'operator' && isOfSite) {
        await record(await request({}, site('nobody')))
        await record(await request({}, site('demo')))
        if (path.includes('{instructionId}'))
          await record(await request({}, path.replace('{instructionId}', await instructionId(true))))
      }
      if (operation.operationId === 'putCallback')
        await withAllCallbacks(async () => record(await request({}, path.replace('{callbackId}', 'another'))))
      if (operation.operationId === 'putSettings' || operation.operationId === 'patchSettings') {
        await call(
          '/payin/v1/sites/demo/settings',
          { method: 'PUT', token: await ownToken(), body: {} },
          service,
        )
        const sixth = { body: { callbackUrl: 'https://known.example/' } }
        await withAllCallbacks(async () => record(await request(sixth)))
      }
      if (/\/(people|owners)$|\/people\//.test(path)) {
        const owner = path.replace('{personId}', 'last-owner')
        await record(
          await request(method === 'POST' ? { body: { ...Object(body), id: 'known' } } : {}, owner),
        )
        if (method === 'POST' && /\/(people|owners)$/.test(path)) {
          await setPeople(200)
          await record(
            await call(site('demo'), { method, token: await ownToken(), body: Object(body) }, service),
          )
        }
      }
      if (path.includes('/receipts') && body !== undefined) {
        // Again with another content, and of a payment that has none.
        const known = await fill(path, method)
        for (const more of [{}, ...OTHER_RECEIPTS])
          await record(await request({ body: { ...Object(body), ...more } }, known))
        await record(await request({}, fillWith(await paidSample(), path, method)))
      }
      if (isSettlement) {
        await importSettlement('first', settlementFile('800000001'))
        const other = path.replace('{settlementUid}', 'first?bank=tbank&format=registry')
        await record(await request({}, other))
        await record(await request({ body: settlementFile('800000001', '99.00') }))
      }
      if (documented.includes('409 settlement.in.progress')) {
        const at = await fill(path, method)
        const by = { actor: 'merchant', keyId: 'other', scopes: ['merchant:accounting'] } as const
        const begun = await env.SITES.getByName('demo').beginImport(by, {
          ...{ settlementUid: 'other', bank: 'tbank', format: 'registry' },
        })
        await record(await request({}, at))
        if (begun.ok) await env.SITES.getByName('demo').abandonImport(by, begun.value.token)
      }
      // The only key that is known to work.
      if (operation.operationId === 'revokeOperatorKey')
        await record(await request({}, path.replace('{keyId}', 'test')))
      if (path.includes('{qrCodeUid}/refunds/')) {
        // Many payments: a refund names its own.
        const { qrCodeUid } = await create(qrCodeBody({}, { type: 'STATIC' }), {}, service)
        await record(await request({}, path.replace('{qrCodeUid}', qrCodeUid)))
      }
      if (path.endsWith('/image'))
        await record(await request({}, path.replace('{qrCodeUid}', await charged())))
      if (documented.includes('409 site.limit.exceeded')) {
        const paid = await fill(path, method)
        const isRefund = path.includes('/refunds/')
        const above = isRefund ? body : { ...Object(await fresh(body)), amount: { value: 1 } }
        await setLimits({ maxPayment: { value: 0.01 }, maxRefundsPerDay: { value: 0.01 } })
        await record(await request({ body: above }, paid))
        await setLimits({})
      }
      if (documented.includes('409 site.restored')) {
        const paid = await fill(path, method, !isCharge, payOutside)
        await markRestored(1)
        await record(await request({}, paid))
        await markRestored(0)
      }

      await record(await request({}, await fill(path, method, true)))
      await record(await request({}, await fill(path, method, true, declineInSandbox)))
      const withoutEndpoint = await fill(path, method)
      await replaceSettings({})
      await record(
        await call(
          withoutEndpoint,
          { method, token: await ownToken(), ...(body !== undefined && { body: await fresh(body) }) },
          service,
        ),
      )
      // Twice, with other fields.
      const at = await fill(path, method)
      const same = await fresh(body)
      for (const fields of [
        { amount: { value: 0.01 } },
        { amount: { value: 0.02 } },
        { status: 'DECLINED' },
        { status: 'REJECTED' },
      ]) {
        await record(await request(body === undefined ? {} : { body: { ...same, ...fields } }, at))
      }
      expect([...given].toSorted()).toEqual(documented.toSorted())
    })

    it('says in words when it refuses, by the table of errors', () => {
      for (const { code, description } of refusalsOf(operation)) {
        expect(description).toContain(`\`${code}\`: ${ERRORS[code].when}`)
      }
    })
  },
)

/** Sets the mark of a restored site. */
const setLimits = async (body: object) =>
  call('/operator/v1/sites/demo/limits', { method: 'PUT', token: await operatorToken(), body }, service)

const markRestored = (restored: 0 | 1) =>
  runInDurableObject(env.SITES.getByName('demo'), (_, { storage }) => {
    storage.sql.exec('UPDATE site SET restored = ?', restored)
  })

/**
 * The same body for another QR code, where the body names one, and with another token, where it names one.
 * @param network the service to which the token is reported
 */
async function fresh(body: unknown, network = service) {
  if (body === LOGO) return LOGO
  if (body === SETTLEMENT) return settlementFile()
  return {
    ...Object(body),
    ...('qrCodeUid' in Object(body) && { qrCodeUid: crypto.randomUUID() }),
    ...('role' in Object(body) && 'id' in Object(body) && { id: crypto.randomUUID() }),
    ...('token' in Object(body) && { token: await tokenValue(network) }),
  }
}

/** A token of the account that the examples name. */
async function tokenValue(network = service): Promise<string> {
  const { qrCode } = await create(qrCodeBody({ tokenizationAccount: 'customer-7' }, { type: 'TOKEN' }))
  const response = await call(
    `/network/v1/sites/demo/qrCodes/${parseLink(qrCode.payload)?.id}/bindings/${crypto.randomUUID()}`,
    { method: 'PUT', token: await tokenOf({ scope: 'network merchant' }), body: { status: 'CREATED' } },
    network,
  )
  return strict(QrCodeAnswer).parse(await response.json()).token?.value ?? ''
}

/** A QR code that waits for its payment by token. */
async function charged(): Promise<string> {
  const { qrCodeUid } = await create(qrCodeBody({ amount: { value: 0.17 } }), {}, service)
  const body = { token: await tokenValue(), tokenizationAccount: 'customer-7' }
  await call(`/payin/v1/sites/demo/sbp/qrCodes/${qrCodeUid}/payments`, { body }, service)
  return qrCodeUid
}
