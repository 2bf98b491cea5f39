// One HTTP request to a bank, and its answer as it came. What the answer means is decided in answers.ts.
import { Unavailable } from './bank-errors.ts'
import { messageOf } from './log.ts'
import type { Platform } from './platform.ts'

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
  signal?: AbortSignal
}

export interface BankAnswer {
  status: number
  /** The parsed JSON; the text where it is not JSON. */
  body: unknown
  /** Whole seconds, at most an hour, where the bank states them. */
  retryAfter: number | undefined
}

/** Failures before a byte of the request was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** @throws Unavailable where there is no answer: in doubt, unless the request was never sent */
export async function send(request: BankRequest, { fetch }: Platform): Promise<BankAnswer> {
  const { operation, method, url, headers, body, signal } = request
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ?? AbortSignal.timeout(TIMEOUT_MS),
    })
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    return {
      status: response.status,
      body: jsonOf(await textOf(response)),
      retryAfter: retryAfter > 0 ? Math.min(Math.ceil(retryAfter), MAX_RETRY_AFTER) : undefined,
    }
  } catch (error) {
    const isInDoubt = !NEVER_SENT.has(codeOf(error))
    throw new Unavailable(`${operation}: ${messageOf(error)}`, { isInDoubt, cause: error })
  }
}

async function textOf(response: Response): Promise<string> {
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

function codeOf(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('code' in each && typeof each.code === 'string') return each.code
  }
  return ''
}
