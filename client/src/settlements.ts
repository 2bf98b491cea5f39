// The settlement files of a site: what the bank paid out, matched to payments and refunds.
import { type Http, segment } from './http.ts'
import { pages } from './pages.ts'
import type {
  Settlement,
  SettlementEntry,
  SettlementEntryPage,
  SettlementMonth,
  SettlementPage,
} from './schema.ts'

interface Options {
  /** Ends the operation. It may have been carried out. */
  signal?: AbortSignal
}

/** A file as the bank gives it. */
export interface SettlementFile {
  bank: Settlement['bank']
  format: Settlement['format']
  /** The bytes of the file, at most 32 MiB. */
  content: Uint8Array<ArrayBuffer> | Blob
  mediaType?: 'text/csv' | 'text/plain' | 'application/json' | 'application/zip'
}

export interface EntriesOptions extends Options {
  /** Only entries of this state. */
  state?: NonNullable<SettlementEntry['state']>
  /** Only entries of this kind. */
  kind?: SettlementEntry['kind']
}

/** So long a file can take besides the time of an attempt: five minutes to arrive, and one to be stored. */
const FILE_SECONDS = 360

/** The settlement files of one site. The token needs the scope `merchant:accounting`; reads also `merchant:read`. */
export class Settlements {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /**
   * Imports a file, whole or not at all; the same again changes nothing.
   * @param file `mediaType` is by default text/csv
   * @throws InvalidRequestError whose `cause` names the lines and columns that are not as the bank describes; ConflictError if
   * the file was imported under another `settlementUid`, contradicts an earlier one, or another import goes on
   */
  async import(
    settlementUid: string,
    { bank, format, content, mediaType = 'text/csv' }: SettlementFile,
    { signal }: Options = {},
  ): Promise<Settlement> {
    const request = {
      method: 'PUT' as const,
      path: pathOf(settlementUid),
      query: new URLSearchParams({ bank, format }),
      file: { mediaType, content },
      moreSeconds: FILE_SECONDS,
      signal,
    }
    return (await this.#http.request<Settlement>(request)).body
  }

  /** Every file, newest first. */
  async *list({ signal }: Options = {}): AsyncGenerator<Settlement> {
    for await (const page of pages<SettlementPage>(this.#http, SETTLEMENTS, {}, signal))
      yield* page.settlements
  }

  async get(settlementUid: string, { signal }: Options = {}): Promise<Settlement> {
    return (await this.#http.request<Settlement>({ path: pathOf(settlementUid), signal })).body
  }

  /** Deletes a file, with the entries that no other file has. One that does not exist is deleted already. */
  async delete(settlementUid: string, { signal }: Options = {}): Promise<void> {
    await this.#http.request({
      method: 'DELETE',
      path: pathOf(settlementUid),
      moreSeconds: FILE_SECONDS,
      signal,
    })
  }

  /** Every entry of a month such as `2026-11`, and what no file has (`EXPECTED`), oldest first. */
  async *entries(
    month: string,
    { state, kind, signal }: EntriesOptions = {},
  ): AsyncGenerator<SettlementEntry> {
    const query = { month, ...(state && { state }), ...(kind && { kind }) }
    for await (const page of pages<SettlementEntryPage>(this.#http, `${SETTLEMENTS}/entries`, query, signal))
      yield* page.entries
  }

  /** The figures of a month such as `2026-11`. */
  async month(month: string, { signal }: Options = {}): Promise<SettlementMonth> {
    const query = new URLSearchParams({ month })
    return (await this.#http.request<SettlementMonth>({ path: '/reports/settlement', query, signal })).body
  }
}

const SETTLEMENTS = '/settlements'
const pathOf = (settlementUid: string) => `${SETTLEMENTS}/${segment('settlementUid', settlementUid)}`
