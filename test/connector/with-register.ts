// A connector whose site tea has the cash register ATOL, and instructions for it as the service gives them.
import { FakeAtol } from '../support/cash-registers/atol.ts'
import {
  afterwards,
  type Clock,
  MINUTE,
  type Running,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

export const REGISTER = 'atol-main'

export type At = Surroundings & { atol: FakeAtol }

/** The configuration's part of the fake, and its secrets. */
export const registerConfig = (url: string, { group, inn }: FakeAtol) => ({
  [REGISTER]: {
    ...{ kind: 'atol', baseUrl: `${url}/possystem/v5`, group, inn },
    ...{ email: 'shop@shop.example', place: 'https://shop.example' },
    ...{ login: { env: 'ATOL_LOGIN' }, password: { env: 'ATOL_PASSWORD' } },
  },
})

export async function withRegister(clock?: Clock): Promise<At> {
  const at = await surroundings(clock)
  const atol = new FakeAtol(() => at.clock.now)
  afterwards(() => atol.close())
  const url = await atol.listen()
  const cashRegisters = registerConfig(url, atol)
  at.config.sites.tea = { ...at.config.sites.tea, cashRegister: REGISTER }
  Object.assign(at.config, { cashRegisters })
  Object.assign(at.env, { ATOL_LOGIN: atol.login, ATOL_PASSWORD: atol.password })
  return { ...at, atol }
}

/** Starts the connector; callbacks of the register go to it. */
export async function startWithRegister(at: At, options: Parameters<typeof start>[1] = {}): Promise<Running> {
  const running = await start(at, options)
  at.atol.callbackUrl = `${running.url}/webhooks/receipts/${REGISTER}`
  return running
}

export async function launchedWithRegister() {
  const at = await withRegister()
  const running = await startWithRegister(at)
  // What is given from now on is newer than the disk.
  await running.later(10 * MINUTE)
  return { at, running, ...running }
}

let documents = 0

/** An item as an instruction has it. */
export const TEA = {
  ...{ name: 'Чай', price: '21.99', quantity: '47.8', amount: '1051.12' },
  ...{ vat: '22', method: 'fullPayment', object: 'commodity', unit: 11 },
}

/** The data of a `receipt.register`. */
export function receiptData(at: Pick<At, 'clock'>, changes: Record<string, unknown> = {}) {
  documents++
  const receiptUid = `R${String(documents).padStart(31, '0')}`
  return {
    ...{ siteId: 'tea', receiptUid, kind: 'sale', paymentUid: `PAY${documents}`, qrcId: `QR${documents}` },
    reference: 'tochka-main:QR',
    register: { kind: 'atol', ffd: '1.2' },
    amount: { value: '1051.12', currency: 'RUB' },
    dateTime: new Date(at.clock.now).toISOString(),
    items: [TEA],
    taxation: 'osn',
    contact: { email: 'payer@mail.example' },
    ...changes,
  }
}
export type ReceiptData = ReturnType<typeof receiptData>

/** The service gives the instruction; it lists the document until it has its result. @returns the status */
export async function instruct(at: At, data: ReceiptData): Promise<number> {
  if (!at.service.receipts.some(({ receiptUid }) => receiptUid === data.receiptUid))
    at.service.receipts.push(data)
  const { status } = await at.service.instruct('receipt.register', data, at.clock.now)
  return status
}

/** What the service was told of a document: its result, or that it is held. */
export const told = (at: At, { receiptUid, siteId }: ReceiptData) => {
  const site = at.service.site(siteId)
  return site.receipts.get(receiptUid) ?? site.heldReceipts.get(receiptUid)
}
