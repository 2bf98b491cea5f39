// Calls of the service for one site: reads the numbers of its payments, and imports a file.
import * as z from 'zod'
import { type BankNumbers, BankNumbersJson } from '../../../src/contract/bank-numbers.ts'
import { EntriesAnswer, type EntryAnswer } from '../../../src/contract/settlements/entries.ts'
import type { SettlementBank, SettlementFormat } from '../../../src/settlement/sources.ts'
import { mintToken } from '../../mint-token.ts'
import { reasonOf } from '../../system-error.ts'

/** An import may take five minutes. */
const TIMEOUT_MS = 330_000

/** What the service says of an import. */
const Imported = z.object({
  ...{ entries: z.int(), repeated: z.int(), matched: z.int(), mismatched: z.int(), unknown: z.int() },
  skipped: z.int(),
  /** The days that the file is about. */
  ...{ from: z.iso.date().optional(), to: z.iso.date().optional() },
})
export type Imported = z.infer<typeof Imported> & { isReplayed: boolean }

const Refusal = z.object({
  errorCode: z.string(),
  description: z.string().optional(),
  cause: z.record(z.string(), z.array(z.string())).optional(),
})

/** A file of a bank, and by which id a site has it. */
export interface ImportedFile {
  settlementUid: string
  bank: SettlementBank
  format: SettlementFormat
  bytes: Uint8Array<ArrayBuffer>
  /** A part says nothing of whole payouts. */
  isPart: boolean
}

export class SiteClient {
  readonly siteId: string
  readonly #base: string
  readonly #token: string
  readonly #pages: string

  /** @param secret TOKEN_SECRET, by which the command signs a token of the site for a day */
  static async of(service: string, siteId: string, secret: string): Promise<SiteClient> {
    const scope = 'merchant:accounting'
    const token = await mintToken(secret, { siteId, scope, days: 1, label: 'settlement' })
    return new SiteClient(service, siteId, token)
  }

  private constructor(service: string, siteId: string, token: string) {
    const id = encodeURIComponent(siteId)
    this.siteId = siteId
    this.#base = `${service}/payin/v1/sites/${id}`
    this.#pages = `${service}/console/sites/${id}`
    this.#token = token
  }

  /** The numbers of the payments of some days, such as `2026-11-20`. @throws Error naming the site and the reason */
  async numbers(from: string, to: string): Promise<BankNumbers[]> {
    const response = await this.#call(`/reports/bankNumbers?from=${from}&to=${to}`, {
      headers: { Accept: 'application/x-ndjson' },
    })
    if (response.status !== 200) throw this.#refused(response.status, await response.text())
    const text = await this.#whole(response)
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => BankNumbersJson.parse(JSON.parse(line)))
  }

  /** @throws Error naming the site, the refusal and its causes */
  async import({ settlementUid, bank, format, bytes, isPart }: ImportedFile): Promise<Imported> {
    const response = await this.#call(
      `/settlements/${encodeURIComponent(settlementUid)}?bank=${bank}&format=${format}${isPart ? '&part=true' : ''}`,
      { method: 'PUT', headers: { 'Content-Type': typeOf(bank, format) }, body: bytes },
    )
    const text = await this.#whole(response)
    if (response.status !== 200 && response.status !== 201) throw this.#refused(response.status, text)
    const isReplayed = response.headers.get('Idempotent-Replayed') === 'true'
    return { ...Imported.parse(JSON.parse(text)), isReplayed }
  }

  /** A page of the entries of a month in a state. @throws Error naming the site and the reason */
  async entries(
    query: Record<'month' | 'state', string> & { cursor?: string },
  ): Promise<{ entries: EntryAnswer[]; nextCursor?: string | undefined }> {
    const response = await this.#call(`/settlements/entries?${new URLSearchParams(query)}`, {})
    const text = await this.#whole(response)
    if (response.status !== 200) throw this.#refused(response.status, text)
    return EntriesAnswer.parse(JSON.parse(text))
  }

  /** The console's page of a file. */
  pageOf(settlementUid: string): string {
    return `${this.#pages}/settlement/files/${encodeURIComponent(settlementUid)}`
  }

  async #call(path: string, { headers, ...request }: RequestInit): Promise<Response> {
    const authorization = { Authorization: `Bearer ${this.#token}` }
    try {
      return await fetch(`${this.#base}${path}`, {
        ...{ ...request, headers: { ...headers, ...authorization }, redirect: 'error' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
    } catch (error) {
      throw this.#unreachable(error)
    }
  }

  async #whole(response: Response): Promise<string> {
    try {
      return await response.text()
    } catch (error) {
      throw this.#unreachable(error)
    }
  }

  #unreachable(error: unknown): Error {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    return new Error(`${this.siteId}: the service does not answer: ${reasonOf(cause)}`)
  }

  #refused(status: number, text: string): Error {
    const { data } = Refusal.safeParse(jsonOf(text))
    const causes = Object.entries(data?.cause ?? {})
      .flatMap(([field, texts]) => texts.map((each) => `${field} ${each}`))
      // A description can have them already.
      .flatMap((cause) => (data?.description?.includes(cause) ? [] : [`  ${cause}`]))
    const reason = [data?.errorCode, data?.description].filter((each) => each !== undefined).join(': ')
    return new Error([`${this.siteId}: ${status} ${reason}`.trimEnd(), ...causes].join('\n'))
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function typeOf(bank: SettlementBank, format: SettlementFormat): string {
  if (format === 'statement') return 'text/plain'
  return bank === 'tochka' ? 'application/json' : 'text/csv'
}
