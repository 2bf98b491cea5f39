// The closed table of errors (contract, section 6): the OpenAPI document is made from it, contract and guides have its words.

export interface ErrorRow {
  status: 400 | 401 | 403 | 404 | 405 | 406 | 409 | 410 | 412 | 413 | 415 | 421 | 429 | 500 | 503
  /** When it is answered, for the merchant's developer: the words of the contract too. */
  when: string
  /** The text for the payer; it never leaks a detail. */
  userMessage: { ru: string; en: string }
  /** Seconds after which the same request can succeed. */
  retryAfter?: number
  /** Headers of the response, in addition to those that all responses have. */
  headers?: readonly ErrorHeader[]
}

export type ErrorHeader = 'WWW-Authenticate' | 'Allow' | 'Accept-Post' | 'Accept-Patch' | 'Accept-Encoding'

const NOT_DONE = {
  ru: 'Не удалось выполнить запрос. Обратитесь в магазин',
  en: 'The request could not be carried out. Please contact the shop',
}
const NOT_AVAILABLE = {
  ru: 'Операция недоступна. Обратитесь в магазин',
  en: 'The operation is not available. Please contact the shop',
}
const TRY_LATER = {
  ru: 'Сервис временно недоступен. Повторите попытку позже',
  en: 'The service is temporarily unavailable. Please try again later',
}

/** In the order of the statuses. */
const TABLE = {
  'http.message.conversion.failed': {
    status: 400,
    when: 'The body is not a JSON object in UTF-8, or did not arrive within 10 seconds, a settlement file within five minutes; `description` says what is wrong',
    userMessage: NOT_DONE,
  },
  'validation.error': {
    status: 400,
    when: 'A field or a parameter breaks its rule, or is unknown; `cause` names each of them',
    userMessage: NOT_DONE,
  },
  'settlement.unreadable': {
    status: 400,
    when: 'A settlement file is not as its bank describes it; `cause` names the first lines and columns, and nothing changes',
    userMessage: NOT_DONE,
  },
  'auth.unauthorized': {
    status: 401,
    when: 'The access token is missing, malformed, expired, not valid yet, revoked, or not signed by this deployment; `description` says which',
    userMessage: NOT_AVAILABLE,
    headers: ['WWW-Authenticate'],
  },
  'auth.forbidden': {
    status: 403,
    when: 'The access token is for another site, or lacks the scope; or the request creates or revokes an API key with the scope `network`; or a page of another origin sent the form',
    userMessage: NOT_AVAILABLE,
    headers: ['WWW-Authenticate'],
  },
  'confirmation.required': {
    status: 403,
    when: 'A person changes people, keys or settings, or refunds more than `confirmRefundsAbove` allows, without a passkey’s confirmation of this form: the console asks for it. An access token never gets this answer',
    userMessage: NOT_AVAILABLE,
  },
  'http.url.not.found': {
    status: 404,
    when: 'There is no such endpoint; or the `siteId` is malformed, or that of a test site where there are none',
    userMessage: NOT_AVAILABLE,
  },
  'payin.resource.not.found': {
    status: 404,
    when: 'There is no such QR code, sale, payment, refund, receipt, token, notification, instruction, key, logo, settlement file or site',
    userMessage: {
      ru: 'Такой операции нет. Обратитесь в магазин',
      en: 'There is no such operation. Please contact the shop',
    },
  },
  'http.method.not.supported': {
    status: 405,
    when: 'The endpoint does not have the method; `Allow` lists its methods',
    userMessage: NOT_AVAILABLE,
    headers: ['Allow'],
  },
  'http.media.type.not.acceptable': {
    status: 406,
    when: '`Accept` admits no media type of the endpoint',
    userMessage: NOT_AVAILABLE,
  },
  'payin.resource.already.exists': {
    status: 409,
    when: 'An earlier request or report has the same `qrCodeUid`, `saleUid`, `paymentUid`, `bindingUid`, `refundId`, `closingUid`, `receiptUid`, `settlementUid` or `id` of a person, and other fields, or a settlement file under another `settlementUid`; `cause` names them, and nothing changes',
    userMessage: NOT_DONE,
  },
  'payin.incorrect-method-invocation': {
    status: 409,
    when: 'The state of the QR code, sale, payment, receipt, notification, instruction, key, person or site does not allow the operation',
    userMessage: NOT_AVAILABLE,
  },
  'network.changed': {
    status: 409,
    when: 'The payment or the token belongs to another payment network than the deployment uses now, such as the sandbox',
    userMessage: NOT_AVAILABLE,
  },
  'network.refused': {
    status: 409,
    when: 'The bank refuses this QR code or this sale; `description` says why, and nothing was created',
    userMessage: NOT_AVAILABLE,
  },
  'site.restored': {
    status: 409,
    when: 'The site was restored from a backup; refunds, charges and deletions of tokens are refused until the operator resumes the site',
    userMessage: NOT_AVAILABLE,
  },
  'site.limit.exceeded': {
    status: 409,
    when: 'The amount is above a limit that the operator has set for the site: of a payment, or of the refunds of a day; `cause` names the limit',
    userMessage: NOT_AVAILABLE,
  },
  'settlement.in.progress': {
    status: 409,
    when: 'Another settlement file of the site is imported or deleted; send the request again when it is done, or a minute after its last part',
    userMessage: NOT_AVAILABLE,
  },
  'settlement.contradicts': {
    status: 409,
    when: 'A settlement file has another gross, fee, VAT, net or day of payout of an operation than an earlier file, which `description` names; `cause` names the lines, and nothing changes',
    userMessage: NOT_AVAILABLE,
  },
  'events.cursor.gone': {
    status: 410,
    when: 'The cursor is not of this feed, such as one from before the site was restored from a backup; start again without it',
    userMessage: NOT_DONE,
  },
  'site.deleted': {
    status: 410,
    when: 'The operator has deleted the site; its siteId is never used again',
    userMessage: NOT_AVAILABLE,
  },
  'http.precondition.failed': {
    status: 412,
    when: 'Somebody changed the resource after you read it: `If-Match` names another version; read it again',
    userMessage: NOT_DONE,
  },
  'http.message.too.large': {
    status: 413,
    when: 'The body is larger than the operation takes: 64 KiB of JSON, 256 KiB of a logo, 4 KiB of a payer’s form, 32 MiB or 100,000 lines of a settlement file',
    userMessage: NOT_DONE,
  },
  'http.media.type.not.supported': {
    status: 415,
    when: 'The body’s media type or content coding is not one of the operation’s; `Accept-Post`, `Accept-Patch` or `Accept-Encoding` names what is',
    userMessage: NOT_AVAILABLE,
    headers: ['Accept-Post', 'Accept-Patch', 'Accept-Encoding'],
  },
  'http.misdirected.request': {
    status: 421,
    when: '`Host` is not valid, or the deployment does not accept it',
    userMessage: NOT_AVAILABLE,
  },
  'http.too.many.requests': {
    status: 429,
    when: 'More requests of an API key, of a site, or of the payers of a link, than the deployment allows, or more than 20 declined payments or bindings of one QR code a minute in the sandbox; send the request again after `Retry-After` seconds',
    userMessage: TRY_LATER,
    retryAfter: 10,
  },
  'internal.error': { status: 500, when: 'A defect of the service', userMessage: TRY_LATER },
  'network.not.connected': {
    status: 503,
    when: 'The operation needs the payment network, and the deployment has no connector to it',
    userMessage: TRY_LATER,
  },
  'network.unavailable': {
    status: 503,
    when: 'The bank, or the connector to it, gave no link, or did not answer about a sale; nothing was created, send the request again after `Retry-After` seconds',
    userMessage: TRY_LATER,
    retryAfter: 5,
  },
  'site.outdated': {
    status: 503,
    when: 'The database of the site was made by an earlier build of the service, which this build cannot read; the operator reads it with that build',
    userMessage: NOT_AVAILABLE,
  },
  'service.unavailable': {
    status: 503,
    when: 'The site is overloaded, restarting, or does not answer, or a setting of the deployment is wrong; the request may have been carried out; send it again after `Retry-After` seconds',
    userMessage: TRY_LATER,
    retryAfter: 1,
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof TABLE
export const ERRORS: Readonly<Record<ErrorCode, ErrorRow>> = TABLE

/** The description of every internal error: what failed is in the log only. */
export const DEFECT = 'the service failed, quote traceId when you report it'

/** Field path → its broken rules, such as `qrCode.ttl` → `is 0, must be whole minutes from 1 to 129600`. */
export type FieldErrors = Record<string, string[]>

/** A refusal: thrown where it is found, turned into a response in one place. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly fields: FieldErrors | undefined
  /** The settlement file that a refusal is about, of those that the site has. */
  readonly settlementUid: string | undefined
  readonly headers: Partial<Record<ErrorHeader, string>>
  /** Seconds after which the same request can succeed. */
  readonly retryAfter: number | undefined

  /**
   * @param description precise, English, for the merchant's developer; no full stop
   * @param more the broken `fields`, `headers` of the response, `retryAfter` in seconds where
   * it is not the code's own, and the `fault` behind it, for the log alone
   */
  constructor(
    code: ErrorCode,
    description: string,
    more: {
      fields?: FieldErrors | undefined
      settlementUid?: string | undefined
      headers?: Partial<Record<ErrorHeader, string>>
      retryAfter?: number | undefined
      fault?: unknown
    } = {},
  ) {
    super(description, { cause: more.fault })
    this.code = code
    this.fields = more.fields
    this.settlementUid = more.settlementUid
    this.headers = more.headers ?? {}
    this.retryAfter = more.retryAfter ?? ERRORS[code].retryAfter
  }
}

/** What a site's object returns: refusals cross RPC as values, because a thrown error loses its class there. */
export type Outcome<T> = { ok: true; value: T } | Refusal
export interface Refusal {
  ok: false
  code: ErrorCode
  description: string
  fields?: FieldErrors
  settlementUid?: string
  headers?: Partial<Record<ErrorHeader, string>>
  /** Seconds, if they differ from the default of the code. */
  retryAfter?: number
  /** The stack of an internal error: for the log alone. */
  fault?: string
}
