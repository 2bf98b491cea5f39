// One HTTP call to a bank: its limit of time, its measurement, and whether a failure leaves the outcome in doubt.
import { Unavailable } from './bank.ts'
import { messageOf } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Platform } from './platform.ts'

const TIMEOUT_MS = 15_000
const MAX_BYTES = 4 * 1024 * 1024

export interface BankRequest {
  /** For the metrics. */
  operation: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  signal?: AbortSignal
}

interface BankAnswer {
  status: number
  /** The parsed JSON; the text where it is not JSON. */
  body: unknown
}

/**
 * @returns an answer of the bank: 2xx, or a 4xx but 401, 403, 408 and 429
 * @throws Unavailable
 */
export type Call = (request: BankRequest) => Promise<BankAnswer>

/** Failures before a byte of the request was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** @param bank the name of the credentials */
export function callsOf(bank: string, platform: Platform, metrics: Metrics): Call {
  return async (request) => {
    const started = platform.now()
    const finish = (outcome: string) =>
      metrics.observeCall({
        bank,
        operation: request.operation,
        outcome,
        seconds: (platform.now() - started) / 1000,
      })
    try {
      const answer = await send(request, platform)
      finish(answer.status < 400 ? 'ok' : 'refused')
      return answer
    } catch (error) {
      finish(error instanceof Unavailable && !error.isInDoubt ? 'not_executed' : 'failed')
      throw error
    }
  }
}

async function send(request: BankRequest, { fetch }: Platform): Promise<BankAnswer> {
  const { operation, method, url, headers, body, signal } = request
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
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
    text = await textOf(response)
  } catch (error) {
    const isInDoubt = !NEVER_SENT.has(codeOf(error))
    throw new Unavailable(`${operation}: ${messageOf(error)}`, { isInDoubt, cause: error })
  }
  const { status } = response
  if (status === 401 || status === 403) {
    throw new Unavailable(`${operation}: the bank answers ${status} to the credentials`, { isInDoubt: false })
  }
  if (status === 429) {
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    throw new Unavailable(`${operation}: the bank answers 429`, {
      isInDoubt: false,
      ...(retryAfter > 0 ? { retryAfter } : {}),
    })
  }
  if (status < 200 || (status >= 300 && status < 400) || status === 408 || status >= 500) {
    throw new Unavailable(`${operation}: the bank answers ${status}`, { isInDoubt: true })
  }
  return { status, body: jsonOf(text) }
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
