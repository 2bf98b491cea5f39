// A fake of ATOL Online v5: its answers as its table gives them, and a check of every document that it gets.
import { randomUUID } from 'node:crypto'
import { rawFieldsOf } from '../../../connector/banks/raw-json.ts'
import { type BankCall, type BankReply, FakeBank } from '../banks/fake-bank.ts'
import { faultsOfBody, Sell } from './atol-body.ts'

interface AtolError {
  error_id: string
  code: number
  text: string
  type: string
}

export interface AtolDocument {
  uuid: string
  operation: string
  key: string
  /** The request, byte for byte. */
  text: string
  receipt: Sell['receipt']
  callbackUrl: string | undefined
  /** When it is done, by the clock. */
  doneAt: number
  /** What it states instead of the sum that it was sent. */
  total: number
  error: AtolError | undefined
  number: number
}

const atolError = (code: number, text: string, type = 'system'): AtolError => ({
  ...{ error_id: randomUUID(), code, text, type },
})

/** `20.11.2026 13:00:00` in Moscow. */
const momentOf = (time: number): string => {
  const [date = '', clock = ''] = new Date(time + 3 * 3_600_000).toISOString().split(/[T.]/)
  return `${date.split('-').reverse().join('.')} ${clock}`
}

/**
 * A body without the time that the payment has in the service: one that was restored has the payment at a later time, and a
 * connector that has lost its disk sends that.
 */
const withoutTime = (text: string): string => text.replace(/"timestamp":"[^"]*"/, '')

export class FakeAtol extends FakeBank {
  readonly login = 'shop-login'
  readonly password = 'shop-password'
  readonly group = 'shop_group_1'
  readonly inn = '7707083893'
  /** By the external_id. */
  readonly documents = new Map<string, AtolDocument>()
  /** What a document or a request broke: a test expects none. */
  readonly violations: string[] = []
  /** How long a document waits, in milliseconds. */
  waitMs: () => number = () => 0
  /** What is refused before there is a document, and what fails as one. */
  refuses: (key: string) => { text: string; type?: string } | undefined = () => undefined
  fails: (key: string) => { text: string; type?: string } | undefined = () => undefined
  /** What is added to the sum that it states, in kopecks. */
  otherSum: (key: string) => number = () => 0
  /** Where callbacks go, instead of where the document says. */
  callbackUrl: string | undefined
  readonly #tokens = new Set<string>()

  /** The tokens of now are good no more. */
  endTokens(): void {
    this.#tokens.clear()
  }

  /** The state as a report says it. */
  reportOf(document: AtolDocument): Record<string, unknown> {
    const common = { uuid: document.uuid, external_id: document.key, timestamp: momentOf(this.now()) }
    if (this.now() < document.doneAt) return { ...common, status: 'wait', error: null, payload: null }
    if (document.error) return { ...common, status: 'fail', error: document.error, payload: null }
    const payload = {
      fiscal_receipt_number: document.number,
      shift_number: 23,
      receipt_datetime: momentOf(document.doneAt),
      total: document.total / 100,
      fn_number: '9999078900003063',
      ecr_registration_number: '0000000400054952',
      fiscal_document_number: 1_000 + document.number,
      fiscal_document_attribute: 3_449_555_941 + document.number,
      fns_site: 'www.nalog.gov.ru',
      ofd_receipt_url: `https://ofd.example/${document.number}`,
    }
    return { ...common, status: 'done', error: null, payload }
  }

  /** The documents that are registered. */
  registered(): AtolDocument[] {
    return Array.from(this.documents.values()).filter(
      (document) => !document.error && this.now() >= document.doneAt,
    )
  }

  /** The callback about a document, as often as it is asked for. */
  async notify(key: string, times = 1): Promise<void> {
    const document = this.documents.get(key)
    if (document) await this.callBack(this.reportOf(document), document.callbackUrl, times)
  }

  /** Anybody's callback. */
  async callBack(body: object | string, url = this.callbackUrl, times = 1): Promise<void> {
    const post = {
      code: '',
      url: this.callbackUrl ?? url ?? '',
      headers: { 'content-type': 'application/json' },
    }
    await this.post({ ...post, body: typeof body === 'string' ? body : JSON.stringify(body) }, { times })
  }

  protected operationOf({ path }: Omit<BankCall, 'operation'>): string {
    if (path.endsWith('/getToken')) return 'getToken'
    return path.includes('/report/') ? 'report' : (path.split('/').at(-1) ?? '')
  }

  protected override isRead({ operation }: BankCall): boolean {
    return operation === 'report' || operation === 'getToken'
  }

  protected failureOf({ operation }: BankCall): BankReply {
    const error = atolError(1, `the operation ${operation} has a fault`, 'unknown')
    return { status: 500, body: { uuid: null, status: 'fail', error, timestamp: momentOf(this.now()) } }
  }

  protected execute(call: BankCall): BankReply {
    if (call.operation === 'getToken') return this.#token(call)
    const token = call.headers.token ?? ''
    if (!this.#tokens.has(token)) return this.#failed(401, atolError(11, 'the token has ended'))
    if (!call.path.startsWith(`/possystem/v5/${this.group}/`))
      return this.#failed(403, atolError(20, 'another group'))
    if (call.operation === 'report') return this.#report(call.path.split('/').at(-1) ?? '')
    if (call.operation === 'sell' || call.operation === 'sell_refund') return this.#sell(call)
    return { status: 404 }
  }

  #token({ body }: BankCall): BankReply {
    const { login, pass } = Object(body)
    if (login !== this.login || pass !== this.password)
      return {
        status: 401,
        body: { error: atolError(12, 'the login or the password is wrong'), token: null },
      }
    const token = randomUUID()
    this.#tokens.add(token)
    return { status: 200, body: { error: null, token, timestamp: momentOf(this.now()) } }
  }

  #report(uuid: string): BankReply {
    const document = Array.from(this.documents.values()).find((each) => each.uuid === uuid)
    if (document) return { status: 200, body: this.reportOf(document) }
    return this.#failed(404, atolError(34, 'there is no such document'))
  }

  #sell({ operation, body, text }: BankCall): BankReply {
    const faults = faultsOfBody(rawFieldsOf(text) ?? {})
    const parsed = Sell.safeParse(body)
    if (!parsed.success || faults.length > 0) {
      this.violations.push(`${operation} ${text}: ${faults.join(', ')} ${parsed.error?.message ?? ''}`)
      return this.#failed(400, atolError(32, 'the body breaks a rule'))
    }
    const { external_id: key, receipt, service } = parsed.data
    const before = this.documents.get(key)
    if (before) {
      const [first, again] = [before.text, text].map(withoutTime)
      if (first !== again || before.operation !== operation)
        this.violations.push(`${key} was sent again with other bytes: ${first} and ${again}`)
      const error = atolError(33, 'there is a document with this external_id')
      return {
        status: 200,
        body: { uuid: before.uuid, status: 'fail', error, timestamp: momentOf(this.now()) },
      }
    }
    const refusal = this.refuses(key)
    if (refusal) return this.#failed(400, atolError(50, refusal.text, refusal.type))
    const failure = this.fails(key)
    const document = {
      ...{ uuid: randomUUID(), operation, key, text, receipt, callbackUrl: service?.callback_url },
      doneAt: this.now() + this.waitMs(),
      total: Math.round(receipt.total * 100) + this.otherSum(key),
      error: failure && atolError(60, failure.text, failure.type),
      number: this.documents.size + 1,
    }
    this.documents.set(key, document)
    return {
      status: 200,
      body: { uuid: document.uuid, status: 'wait', error: null, timestamp: momentOf(this.now()) },
    }
  }

  #failed(status: number, error: AtolError): BankReply {
    return { status, body: { uuid: null, status: 'fail', error, timestamp: momentOf(this.now()) } }
  }
}
