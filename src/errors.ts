// The closed table of errors (contract, section 6): every refusal is one of these, and everything else derives from it.

export interface ErrorRow {
  status: 400 | 401 | 403 | 404 | 405 | 406 | 409 | 413 | 415 | 421 | 429 | 500 | 503
  /** When it is given, for the merchant's developer. */
  when: string
  /** What the payer is told; it never leaks a detail. */
  userMessage: { ru: string; en: string }
  /** Seconds after which it is worth sending the same again. */
  retryAfter?: number
  /** The headers that the answer carries besides. */
  headers?: readonly ErrorHeader[]
}

export type ErrorHeader = 'WWW-Authenticate' | 'Allow' | 'Accept-Post'

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

const TABLE = {
  'http.message.conversion.failed': {
    status: 400,
    when: 'The body is not a JSON object, or did not arrive whole within 10 seconds',
    userMessage: NOT_DONE,
  },
  'validation.error': {
    status: 400,
    when: 'A field or a parameter breaks its rule; cause names all that do',
    userMessage: NOT_DONE,
  },
  'auth.unauthorized': {
    status: 401,
    when: 'No access token, or one that is forged, malformed or expired',
    userMessage: NOT_AVAILABLE,
    headers: ['WWW-Authenticate'],
  },
  'auth.forbidden': {
    status: 403,
    when: 'The access token is for another site or lacks the scope; or a page of another site sent the form',
    userMessage: NOT_AVAILABLE,
    headers: ['WWW-Authenticate'],
  },
  'http.url.not.found': { status: 404, when: 'No such address', userMessage: NOT_AVAILABLE },
  'payin.resource.not.found': {
    status: 404,
    when: 'No such QR code',
    userMessage: { ru: 'QR-код не найден', en: 'The QR code was not found' },
  },
  'http.method.not.supported': {
    status: 405,
    when: 'The address does not know the method; Allow lists those it knows',
    userMessage: NOT_AVAILABLE,
    headers: ['Allow'],
  },
  'http.media.type.not.acceptable': {
    status: 406,
    when: 'Accept admits no media type that the address answers in',
    userMessage: NOT_AVAILABLE,
  },
  'payin.resource.already.exists': {
    status: 409,
    when: 'The qrCodeUid, or the paymentUid, was used with another meaning; what was first stays as it is',
    userMessage: NOT_DONE,
  },
  'payin.incorrect-method-invocation': {
    status: 409,
    when: 'The state of the QR code does not allow it',
    userMessage: NOT_AVAILABLE,
  },
  'http.message.too.large': { status: 413, when: 'The body is over 64 KiB', userMessage: NOT_DONE },
  'http.media.type.not.supported': {
    status: 415,
    when: 'The body is not application/json; Accept-Post names what is',
    userMessage: NOT_AVAILABLE,
    headers: ['Accept-Post'],
  },
  'http.misdirected.request': {
    status: 421,
    when: 'Host is not valid, or not one that the deployment accepts',
    userMessage: NOT_AVAILABLE,
  },
  'http.too.many.requests': {
    status: 429,
    when: 'The site asks more often than the deployment allows, or the sandbox made up 20 declined payments of a QR code within a minute; send it again after Retry-After seconds',
    userMessage: TRY_LATER,
    retryAfter: 10,
  },
  'internal.error': { status: 500, when: 'A fault of the service', userMessage: TRY_LATER },
  'service.unavailable': {
    status: 503,
    when: 'The site is overloaded or restarting; nothing was lost, send it again after Retry-After seconds',
    userMessage: TRY_LATER,
    retryAfter: 1,
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof TABLE
export const ERRORS: Readonly<Record<ErrorCode, ErrorRow>> = TABLE

/** Field path → what is wrong with it, such as `qrCode.ttl` → `is 0, must be whole minutes from 1 to 129600`. */
export type Cause = Record<string, string[]>

/** A refusal: thrown where it is found, turned into an answer in one place. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly fields: Cause | undefined
  readonly headers: Partial<Record<ErrorHeader, string>>
  /** Seconds after which it is worth sending the same again. */
  readonly retryAfter: number | undefined

  /**
   * @param description precise, English, for the merchant's developer; no full stop
   * @param more `fields` at fault, `headers` that the answer must carry, `retryAfter` in seconds where it is not the
   * table's, and the `fault` behind it, for the log alone
   */
  constructor(
    code: ErrorCode,
    description: string,
    more: {
      fields?: Cause | undefined
      headers?: Partial<Record<ErrorHeader, string>>
      retryAfter?: number | undefined
      fault?: unknown
    } = {},
  ) {
    super(description, { cause: more.fault })
    this.code = code
    this.fields = more.fields
    this.headers = more.headers ?? {}
    this.retryAfter = more.retryAfter ?? ERRORS[code].retryAfter
  }
}

/** What a site answers: refusals cross the RPC boundary as values, because a thrown error loses its class there. */
export type Outcome<T> =
  | { ok: true; value: T }
  | { ok: false; code: ErrorCode; description: string; fields?: Cause; retryAfter?: number }
