// The cash register of Raiffeisenbank: a document is created, registered and asked about by our key (its fiscal API, October 2021).
import * as z from 'zod'
import type { Answers } from '../../banks/answers.ts'
import { NotKnown, Refused, Unavailable } from '../../banks/bank-errors.ts'
import type { BankRequest } from '../../banks/http.ts'
import { BASE_URL, credentialsOf, type Settings } from '../../banks/raiffeisen/credentials.ts'
import type { CheckResult } from '../../partner.ts'
import type { CashRegister, DocumentId, DocumentState, NewDocument } from '../cash-register.ts'
import type { RegisterContext, RegisterKind } from '../register-kind.ts'
import * as answers from './answers.ts'
import { receiptOf, TITLE } from './body.ts'

export const raiffeisen: RegisterKind = {
  kind: 'raiffeisen',
  baseUrl: BASE_URL,
  credentials: (secret) =>
    credentialsOf(secret).transform((settings) => (context) => new Raiffeisen(settings, context)),
}

/** The bank's names of the kinds: in its paths, and in its answers. */
const KINDS = { sale: { path: 'sell', type: 'SELL' }, refund: { path: 'refund', type: 'REFUND' } } as const

/** A request as it is on disk: all of it is sent. */
const Stored = z.looseObject({ client: z.object({ email: z.string() }) })

class Raiffeisen implements CashRegister {
  readonly title = TITLE
  readonly identity: string
  readonly asks = 'KEY'
  readonly rides = []
  readonly webhookAnswer = ''
  readonly lacks = [
    'send a receipt to a phone: a payer gives an e-mail',
    'make receipts of prepayments, and closing ones',
    'make receipts with VAT at 5, 7 or 22, unless you state that it does: its document of 2021 lacks these rates',
    'state a system of taxation, the shop’s address and e-mail: the bank’s contract has them',
    'tell the numbers of a receipt, its link, or why a registration failed',
  ]

  readonly #settings: Settings
  readonly #context: RegisterContext

  constructor(settings: Settings, context: RegisterContext) {
    this.identity = `raiffeisen:${settings.sbpMerchantId}`
    this.#settings = settings
    this.#context = context
  }

  requestOf(document: NewDocument): string {
    pathOf(document)
    return JSON.stringify(receiptOf(document))
  }

  /**
   * Creates the document, which changes one that is still NEW, and registers it: a repeat goes on from where the first one came.
   * @throws NotKnown where an earlier request has registered it: it is asked about
   */
  async register(request: string, document: DocumentId): Promise<DocumentState> {
    const body = Stored.parse(JSON.parse(request))
    const url = pathOf(document)
    // It can quote the e-mail that it refuses.
    const secrets = [body.client.email]
    const create = { operation: 'fiscal_create', method: 'POST' as const, url, body, secrets }
    const created = await this.#call(answers.CREATE, create)
    if (created.status !== 'NEW' || !isOf(created, document)) return stateOf(created, document)
    const put = { operation: 'fiscal_register', method: 'PUT' as const, url: `${url}/${document.key}` }
    return stateOf(await this.#call(answers.REGISTER, { ...put, secrets }), document)
  }

  /** @throws NotKnown also where the document is NEW: it was created, and not registered */
  async state(document: DocumentId): Promise<DocumentState> {
    const url = `${pathOf(document)}/${document.key}`
    const stated = await this.#call(answers.STATUS, { operation: 'fiscal_status', method: 'GET', url })
    return stateOf(stated, document)
  }

  async checkCredentials(): Promise<CheckResult[]> {
    const good = { isGood: true, text: 'the credentials of the cash register work' }
    try {
      // A document that does not exist is refused only with good credentials.
      const key = `check-${this.#context.now()}`
      await this.#call(answers.STATUS, {
        operation: 'fiscal_status',
        method: 'GET',
        url: `/fiscal/v1/receipts/sell/${key}`,
      })
      return [good]
    } catch (error) {
      if (error instanceof NotKnown) return [good]
      if (!(error instanceof Unavailable)) throw error
      return [{ isGood: false, text: error.message }]
    }
  }

  #call<T>(answersOf: Answers<T>, request: BankRequest): Promise<T> {
    const { baseUrl, call } = this.#context
    const headers = { Authorization: `Bearer ${this.#settings.secretKey}` }
    return call({ ...request, url: baseUrl + request.url, headers }, answersOf)
  }
}

/** @throws Refused for a closing receipt, which the bank's document does not have */
function pathOf({ kind }: DocumentId): string {
  if (kind === 'closing') throw new Refused(`${TITLE}: its cash register makes no closing receipts`)
  return `/fiscal/v1/receipts/${KINDS[kind].path}`
}

/** Whether it is the document of this key, kind and sum. */
const isOf = (
  { receiptNumber, receiptType, total }: answers.Receipt,
  { key, kind, amount }: DocumentId,
): boolean =>
  receiptNumber === key && kind !== 'closing' && receiptType === KINDS[kind].type && total === amount

/** @throws NotKnown where it was not registered */
function stateOf(stated: answers.Receipt, document: DocumentId): DocumentState {
  if (!isOf(stated, document)) {
    return { status: 'IN_DOUBT', reason: 'the bank states another document under this number' }
  }
  switch (stated.status) {
    case 'NEW':
      throw new NotKnown('the bank has the document, and has not registered it')
    case 'DONE':
      return { status: 'REGISTERED', fiscal: {} }
    case 'FAILED':
      return {
        status: 'FAILED',
        reason: `${TITLE}: the registration failed; it gives no reason`,
        canRetry: true,
      }
    default:
      return { status: 'PENDING', note: '' }
  }
}
