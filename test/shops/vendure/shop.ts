// The real shop, in a process of its own, with its notifications through a relay; a customer and an administrator of it.
import { join } from 'node:path'
import * as z from 'zod'
import { freePort } from '../../support/ports.ts'
import { type Server, startServer } from '../../support/processes.ts'
import { temporaryPostgres } from '../postgres.ts'
import { openService, type Relay, relayTo, type Service } from './service.ts'

const START = join(import.meta.dirname, '../../../shops/vendure/dist/demo/start.js')

const Answer = z.object({ data: z.unknown(), errors: z.array(z.object({ message: z.string() })).optional() })

/** It loads a thousand modules and makes a hundred tables. */
const START_MS = 200_000

/** A session of the shop: the customer's or the administrator's. */
export class Session {
  #cookie = ''
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** The value of the first field. @throws Error with the message of the shop's */
  async ask<T>(schema: z.ZodType<T>, query: string, variables: object = {}): Promise<T> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', cookie: this.#cookie },
      body: JSON.stringify({ query, variables }),
    })
    const set = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
    if (set.length > 0) this.#cookie = set.join('; ')
    const { data, errors } = Answer.parse(await response.json())
    if (errors?.[0]) throw new Error(errors[0].message)
    return schema.parse(Object.values(z.record(z.string(), z.unknown()).parse(data))[0])
  }
}

const Placed = z.object({ id: z.string(), code: z.string(), state: z.string() })
const Shown = z
  .object({
    state: z.enum(['open', 'paid', 'ended']),
    pageUrl: z.string().nullable(),
    link: z.string().nullable(),
    picture: z.string().nullable(),
  })
  .nullable()
const Details = z.object({
  state: z.string(),
  active: z.boolean(),
  totalWithTax: z.number(),
  payments: z.array(
    z.object({
      id: z.string(),
      state: z.string(),
      amount: z.number(),
      transactionId: z.string().nullable(),
      errorMessage: z.string().nullable(),
      refunds: z.array(
        z.object({
          id: z.string(),
          state: z.string(),
          total: z.number(),
          transactionId: z.string().nullable(),
        }),
      ),
    }),
  ),
  history: z.object({
    items: z.array(z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) })),
  }),
})

const ORDER = '... on Order { id code state } ... on ErrorResult { errorCode message }'
const DETAILS = `state active totalWithTax
  payments { id state amount transactionId errorMessage refunds { id state total transactionId } }
  history(options: { take: 100 }) { items { type data } }`

export type Shop = Awaited<ReturnType<typeof openShop>>

export async function openShop({ databaseUrl = '' }: { databaseUrl?: string } = {}) {
  const service: Service = await openService('tea')
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const relay: Relay = await relayTo(() => `${origin}/fps-qr/sbp`)
  const key = await service.notify(relay.url)
  let log = ''
  let server: Server | undefined
  const others: Server[] = []
  const started = async (at: number) => {
    const env = {
      ...{ PORT: `${at}`, READY_FD: '3', FPS_URL: service.proxy.url, FPS_SITE: 'tea' },
      ...{ FPS_TOKEN: service.token, FPS_KEY: key, ...(databaseUrl && { DATABASE_URL: databaseUrl }) },
    }
    const told = (text: string) => {
      log += text
    }
    return startServer(process.execPath, [START], env, told, START_MS)
  }
  const start = async () => {
    server = await started(port)
  }
  try {
    await start()
  } catch (error) {
    // No test has it yet, so none would end it.
    relay.close()
    await service.dispose()
    throw error
  }
  const admin = new Session(`${origin}/admin-api`)
  const login = () =>
    admin.ask(
      z.unknown(),
      'mutation { login(username: "superadmin", password: "superadmin") { __typename } }',
    )
  await login()
  return {
    origin,
    service,
    relay,
    key,
    admin,
    start,
    log: () => log,
    kill: async () => server?.kill(),
    /** Another process of the same shop, on the same database. @returns its endpoint for notifications */
    async startAnother(): Promise<string> {
      const other = await freePort()
      others.push(await started(other))
      return `http://127.0.0.1:${other}/fps-qr/sbp`
    },
    async order(id: string) {
      return admin.ask(Details, `query($id: ID!) { order(id: $id) { ${DETAILS} } }`, { id })
    },
    async dispose() {
      await Promise.all([server, ...others].map((each) => each?.stop()))
      relay.close()
      await service.dispose()
    },
    customer: () => customerAt(`${origin}/shop-api?languageCode=ru`),
  }
}

/** The same, on a PostgreSQL of its own: several processes of the shop, and a shop that is killed, need one. */
export async function openShopOnPostgres(): Promise<Shop> {
  const postgres = await temporaryPostgres()
  try {
    const shop = await openShop({ databaseUrl: postgres.database('vendure') })
    return {
      ...shop,
      async dispose() {
        await shop.dispose()
        await postgres.stop()
      },
    }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

function customerAt(url: string) {
  const session = new Session(url)
  const addPayment = (schema = Placed) =>
    session.ask(
      schema,
      `mutation { addPaymentToOrder(input: { method: "sbp", metadata: {} }) { ${ORDER}
        ... on PaymentFailedError { paymentErrorMessage } } }`,
    )
  const arrange = async (quantity: number) => {
    await session.ask(
      Placed,
      `mutation { addItemToOrder(productVariantId: 1, quantity: ${quantity}) { ${ORDER} } }`,
    )
    await session.ask(
      Placed,
      `mutation { setCustomerForOrder(input: { firstName: "Anna", lastName: "Ivanova", emailAddress: "anna@shop.example" }) { ${ORDER} } }`,
    )
    await session.ask(
      Placed,
      `mutation { setOrderShippingAddress(input: { streetLine1: "Tverskaya, 1", countryCode: "RU" }) { ${ORDER} } }`,
    )
    await session.ask(Placed, `mutation { setOrderShippingMethod(shippingMethodId: [1]) { ${ORDER} } }`)
    return session.ask(Placed, `mutation { transitionOrderToState(state: "ArrangingPayment") { ${ORDER} } }`)
  }
  return {
    session,
    arrange,
    addPayment,
    /** An order of 300.00 that waits for its payment. @returns it, and the `qrCodeUid` of its code */
    async order(quantity = 1) {
      await arrange(quantity)
      const placed = await addPayment()
      return { ...placed, qrCodeUid: `${placed.code}-1` }
    },
    shown: (code: string) =>
      session.ask(
        Shown,
        `query($code: String!) { fpsQrPayment(orderCode: $code) { state pageUrl link picture } }`,
        {
          code,
        },
      ),
  }
}
