// One HTTP request to a bank, and its answer as it came. What the answer means is decided in answers.ts.
import { messageOf } from '../log.ts'
import type { Fetched } from '../tls/fetch.ts'
import { UNVERIFIED } from '../tls/missing-issuer.ts'
import { Unavailable } from './bank-errors.ts'
import type { Network } from './network.ts'

const TIMEOUT_MS = 15_000
const MAX_BYTES = 4 * 1024 * 1024
/** No bank stops the work for longer. */
const MAX_RETRY_AFTER = 3_600

export interface BankRequest {
  /** For messages and metrics. */
  operation: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** JSON that is sent as it is, instead of `body`. */
  text?: string
  signal?: AbortSignal
  /** What the request says and nobody is to read: an answer that repeats it has a mark in its place. */
  secrets?: readonly string[]
}

export interface BankAnswer {
  status: number
  /** The parsed JSON; the text where it is not JSON. */
  body: unknown
  /** Whole seconds, at most an hour, where the bank states them. */
  retryAfter: number | undefined
}

/** Failures before a byte of the request was sent. */
const NEVER_SENT = new Set<unknown>([
  ...['ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'],
  // The certificate of the bank is verified before the request is sent.
  ...UNVERIFIED,
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID', 'INVALID_CA'],
  ...['INVALID_PURPOSE', 'PATH_LENGTH_EXCEEDED', 'CERT_SIGNATURE_FAILURE'],
])
/** The same, of `connect` alone: an open connection can break by them after the request was sent. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'])

/** @throws Unavailable where there is no answer: in doubt, unless the request was never sent */
export async function send(request: BankRequest, { fetch, whyUnverified }: Network): Promise<BankAnswer> {
  const { operation, method, url, headers, body, signal, secrets = [] } = request
  const text = request.text ?? (body === undefined ? undefined : JSON.stringify(body))
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        Accept: 'application/json',
        ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
      signal: signal ?? AbortSignal.timeout(TIMEOUT_MS),
    })
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    return {
      status: response.status,
      body: without(secrets, jsonOf(await textOf(response))),
      retryAfter: retryAfter > 0 ? Math.min(Math.ceil(retryAfter), MAX_RETRY_AFTER) : undefined,
    }
  } catch (error) {
    const isUnverified = hasCode(error, ({ code }) => UNVERIFIED.has(code))
    const reason = isUnverified ? await whyUnverified(url) : messageOf(error)
    throw new Unavailable(`${operation}: ${reason}`, { isInDoubt: !wasNeverSent(error), cause: error })
  }
}

async function textOf(response: Fetched): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`)
  }
  return text + decoder.decode()
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const SECRET_MARK = '(secret)'

/** Before anything is cut: a part of a secret would not be recognised. */
function without(secrets: readonly string[], value: unknown): unknown {
  if (typeof value === 'string')
    return secrets.reduce((text, secret) => text.replaceAll(secret, SECRET_MARK), value)
  if (Array.isArray(value)) return value.map((each) => without(secrets, each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, without(secrets, each)]))
}

const wasNeverSent = (error: unknown): boolean =>
  hasCode(error, (each) => {
    const isOfConnect = 'syscall' in each && each.syscall === 'connect'
    return NEVER_SENT.has(each.code) || (isOfConnect && NEVER_CONNECTED.has(each.code))
  })

/** Whether it is so of the first error with a code: of this one, or else of its causes. */
function hasCode(error: unknown, isSo: (error: Error & { code: string }) => boolean): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    // It has an error for each address that was tried.
    if (each instanceof AggregateError)
      return each.errors.length > 0 && each.errors.every((one) => hasCode(one, isSo))
    if (isCoded(each)) return isSo(each)
  }
  return false
}

const isCoded = (error: Error): error is Error & { code: string } =>
  'code' in error && typeof error.code === 'string'
