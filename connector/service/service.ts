// The client of the service: sends reports, and reads its lists (contract, section 14).
import * as z from 'zod'
import { AmountField, kopecksOf } from '../amounts.ts'
import { ReceiptRegister } from '../cash-registers/instruction.ts'
import type { Core, OpenSite } from '../core.ts'

const TIMEOUT_MS = 10_000
const PAGE = 500

const Amount = AmountField.transform((amount, context) => {
  const kopecks = kopecksOf(String(amount.value))
  if (kopecks !== undefined) return { kopecks, currency: amount.currency }
  context.addIssue('must be an amount')
  return z.NEVER
})
const Moment = z
  .string()
  .transform((text) => Date.parse(text))
  .pipe(z.number())

const ListedSale = z.object({
  saleUid: z.string(),
  status: z.string(),
  amount: Amount,
  createdOn: Moment,
  expiresOn: Moment,
  reference: z.string().optional(),
})
export type ListedSale = z.output<typeof ListedSale>
const ListedCode = z.object({
  qrcId: z.string(),
  reference: z.string().optional(),
  type: z.string(),
  amount: Amount.optional(),
  createdOn: Moment,
  expiresOn: Moment.optional(),
  status: z.string(),
  sales: z.array(ListedSale).optional(),
})
export type ListedCode = z.output<typeof ListedCode>
const ListedRefund = z.object({
  refundUid: z.string(),
  paymentUid: z.string(),
  qrcId: z.string(),
  reference: z.string().optional(),
  networkUid: z.string().optional(),
  amount: Amount,
  createdOn: Moment,
})

/** The parts of the list of bindings. */
const BINDING_PARTS = ['WAITING', 'CREATED', 'ENDED'] as const
const ListedBinding = z.object({
  bindingUid: z.string().optional(),
  qrcId: z.string(),
  reference: z.string().optional(),
  bindingReference: z.string().optional(),
  status: z.string(),
  expiresOn: Moment.optional(),
})
export type ListedBinding = z.output<typeof ListedBinding>
const ListedCharge = z.object({
  paymentUid: z.string(),
  qrcId: z.string(),
  bindingUid: z.string(),
  reference: z.string().optional(),
  bindingReference: z.string().optional(),
  amount: z.object({ value: z.union([z.string(), z.number()]), currency: z.string() }),
  expiresOn: z.string(),
  createdOn: Moment,
})

/** The service's answer to a report it has on disk: the code, the payment, its refund or its document, or the token of a binding. */
const Taken = z.union([
  z.object({ qrCodeUid: z.string(), qrCode: z.object({ status: z.string() }).optional() }),
  z.object({ paymentId: z.string() }),
  z.object({ receiptUid: z.string() }),
  z.object({ status: z.enum(['WAITING', 'CREATED', 'REJECTED', 'EXPIRED', 'DELETED']) }),
])

/** The answer of the service to a report; status 0 where none came. */
export interface ReportAnswer {
  status: number
  text: string
  retryAfter: number
  /** Whether it is the service that has taken it: a page that something between answers with 200 is no receipt. */
  isTaken: boolean
  /** Whether the service had it before. */
  isReplayed?: boolean
  /** The status of the QR code after it, where the answer is the code. */
  codeStatus?: string | undefined
  /** The code of an error in the shape of the contract; a gateway may answer anything else. */
  errorCode?: string | undefined
}

/** @param path from `/network` on */
export async function sendReport(
  core: Core,
  site: OpenSite,
  path: string,
  body: string,
): Promise<ReportAnswer> {
  const response = await core.platform.fetch(core.service + path, {
    method: 'PUT',
    redirect: 'manual',
    headers: { Authorization: `Bearer ${site.token}`, 'Content-Type': 'application/json' },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const retryAfter = Number(response.headers.get('retry-after')) || 0
  const text = await response.text()
  const { status } = response
  const taken = status === 200 ? readAs(Taken, text) : undefined
  const isTaken = taken !== undefined
  const codeStatus = taken && 'qrCode' in taken ? taken.qrCode?.status : undefined
  const isReplayed = response.headers.get('idempotent-replayed') === 'true'
  return {
    ...{ status, text: text.slice(0, 300), retryAfter, isTaken, isReplayed, codeStatus },
    errorCode: errorCodeIn(text),
  }
}

const errorCodeIn = (text: string): string | undefined =>
  readAs(z.object({ errorCode: z.string() }), text)?.errorCode

/** @returns undefined for what is not JSON of this shape */
function readAs<T>(shape: z.ZodType<T>, text: string): T | undefined {
  try {
    return shape.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Codes that are payable, or ended since then without an applied payment. */
export function listCodes(core: Core, site: OpenSite, endedFrom: number): AsyncGenerator<ListedCode> {
  return pagesOf(core, site, 'qrCodes', ListedCode, { endedFrom: new Date(endedFrom).toISOString() })
}

/** Refunds without a result. */
export function listRefunds(core: Core, site: OpenSite): AsyncGenerator<z.output<typeof ListedRefund>> {
  return pagesOf(core, site, 'refunds', ListedRefund, { status: 'WAITING' })
}

/** Consents that are awaited, tokens that can be charged, and what ended since then. */
export async function* listBindings(
  core: Core,
  site: OpenSite,
  endedFrom: number,
): AsyncGenerator<ListedBinding> {
  for (const status of BINDING_PARTS) {
    const query = { status, endedFrom: new Date(endedFrom).toISOString() }
    yield* pagesOf(core, site, 'bindings', ListedBinding, query)
  }
}

/** Charges without a result. */
export function listCharges(core: Core, site: OpenSite): AsyncGenerator<z.output<typeof ListedCharge>> {
  return pagesOf(core, site, 'charges', ListedCharge, { status: 'WAITING' })
}

const ListedReceipt = z.looseObject(
  ReceiptRegister.pick({ receiptUid: true, kind: true, paymentUid: true, qrcId: true, dateTime: true }).shape,
)

/** Documents that were sent or are to be sent, without a result: the data of their instructions, but for the site. */
export async function* listReceipts(
  core: Core,
  site: OpenSite,
): AsyncGenerator<z.output<typeof ListedReceipt>> {
  for (const state of ['WAITING', 'SENT']) yield* pagesOf(core, site, 'receipts', ListedReceipt, { state })
}

/** All pages of a list. @param name also of the field that has the items */
async function* pagesOf<T>(
  core: Core,
  site: OpenSite,
  name: 'qrCodes' | 'refunds' | 'bindings' | 'charges' | 'receipts',
  item: z.ZodType<T>,
  query: Record<string, string>,
): AsyncGenerator<T> {
  const Page = z.object({ nextCursor: z.string().optional() }).catchall(z.unknown())
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: z.output<typeof Page> = Page.parse(
      await list(core, site, name, { ...query, limit: String(PAGE), cursor }),
    )
    yield* z.array(item).parse(page[name])
    cursor = page.nextCursor
  }
}

/** @throws Error naming the status of another answer than 200 */
async function list(
  core: Core,
  site: OpenSite,
  name: string,
  query: Record<string, string>,
): Promise<unknown> {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''))
  const url = `${core.service}/network/v1/sites/${encodeURIComponent(site.siteId)}/${name}?${parameters}`
  const response = await core.platform.fetch(url, {
    redirect: 'manual',
    headers: { Authorization: `Bearer ${site.token}`, Accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (response.status !== 200) {
    const isDeleted = response.status === 410 && errorCodeIn(await response.text()) === 'site.deleted'
    if (response.status !== 410) await response.body?.cancel()
    throw new ListFailed(`the service answers ${response.status} to the list of ${name}`, {
      status: response.status,
      isDeleted,
    })
  }
  return response.json()
}

/** The service does not give a list. */
export class ListFailed extends Error {
  readonly status: number
  /** Whether the service has deleted the site and its data. */
  readonly isDeleted: boolean

  constructor(message: string, { status, isDeleted }: { status: number; isDeleted: boolean }) {
    super(message)
    this.status = status
    this.isDeleted = isDeleted
  }
}
