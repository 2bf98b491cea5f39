// ATOL Online v5: documents of FFD 1.2 by a key of ours; the same request again is answered with the first document.
import * as z from 'zod'
import { Refused, Unavailable } from '../../banks/bank-errors.ts'
import type { CheckResult, WebhookRequest } from '../../partner.ts'
import type {
  CashRegister,
  DocumentId,
  DocumentState,
  NewDocument,
  RegisterWebhook,
} from '../cash-register.ts'
import type { RegisterContext, RegisterKind } from '../register-kind.ts'
import { REGISTER, REPORT, stateOf } from './answers.ts'
import { bodyOf, type Company } from './body.ts'
import { AtolClient, type Login } from './client.ts'

interface Settings extends Login, Company {
  group: string
}

export const atol: RegisterKind = {
  kind: 'atol',
  baseUrl: 'https://online.atol.ru/possystem/v5',
  credentials: (secret) =>
    z
      .strictObject({
        login: secret,
        password: secret,
        group: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the code of the group of cash registers'),
        inn: z.string().regex(/^(\d{10}|\d{12})$/, 'must be 10 or 12 digits'),
        email: z.email('must be an e-mail').max(64),
        place: z.string().min(1).max(256),
      })
      .transform((settings) => (context) => new Atol(settings, context)),
}

const Callback = z.object({
  uuid: z.string().max(128).optional().catch(undefined),
  external_id: z.string().max(128).optional().catch(undefined),
})
const Client = z.object({ receipt: z.object({ client: z.record(z.string(), z.string()) }) })

class Atol implements CashRegister {
  readonly title = 'ATOL Online'
  readonly identity: string
  readonly asks = 'REPEAT'
  readonly rides = []
  readonly webhookAnswer = 'ok'
  readonly lacks = [
    'make receipts of correction: its own console does',
    'take marked goods, suppliers and agents',
    'be asked by the number of a receipt: the same request is sent again, which is answered with the first document',
  ]

  readonly #settings: Settings
  readonly #context: RegisterContext
  readonly #client: AtolClient

  constructor(settings: Settings, context: RegisterContext) {
    this.identity = `atol:${settings.group}`
    this.#settings = settings
    this.#context = context
    this.#client = new AtolClient(settings, context)
  }

  requestOf(document: NewDocument): string {
    return bodyOf(document, this.#settings, this.#context.webhookUrl)
  }

  async register(request: string, { kind }: DocumentId): Promise<DocumentState> {
    const operation = kind === 'refund' ? 'sell_refund' : 'sell'
    const { client } = Client.parse(JSON.parse(request)).receipt
    const url = `/${this.#settings.group}/${operation}`
    const secrets = Object.values(client)
    const note = await this.#client.call({ operation, method: 'POST', url, text: request, secrets }, REGISTER)
    // The error beside it, and the status, are of this request, and not of the document.
    return { status: 'PENDING', note }
  }

  async state(document: DocumentId, note: string): Promise<DocumentState> {
    const url = `/${this.#settings.group}/report/${encodeURIComponent(note)}`
    const report = await this.#client.call({ operation: 'report', method: 'GET', url }, REPORT)
    if (report.uuid === note) return stateOf(report, document)
    throw new Unavailable('report: the answer is of another document', { isInDoubt: true })
  }

  verify({ body }: WebhookRequest): RegisterWebhook | undefined {
    try {
      const { uuid, external_id: key } = Callback.parse(JSON.parse(body))
      return uuid === undefined && key === undefined
        ? undefined
        : { ...(uuid === undefined ? {} : { note: uuid }), ...(key === undefined ? {} : { key }) }
    } catch {
      return undefined
    }
  }

  async checkCredentials(): Promise<CheckResult[]> {
    try {
      await this.#client.token()
      return [{ isGood: true, text: `the login works; documents go to the group ${this.#settings.group}` }]
    } catch (error) {
      if (!(error instanceof Unavailable || error instanceof Refused)) throw error
      return [{ isGood: false, text: error.message }]
    }
  }
}
