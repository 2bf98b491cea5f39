// What an answer may be, whatever was sent: the statuses of the document, the contract's error, and no secret in it.
import { ErrorAnswer } from '../../src/contract/error-answer.ts'
import { ERRORS } from '../../src/errors.ts'
import { strict } from '../support/strict.ts'
import type { Operation } from './document.ts'
import type { Request } from './request.ts'
import type { Answer } from './wire.ts'

const StrictError = strict(ErrorAnswer)
const STATUS_OF: Readonly<Record<string, { status: number }>> = ERRORS

/** What pages and addresses without an operation answer (contract, sections 1, 2, 6, 13 and 17). */
const OTHERS = new Set([
  200, 202, 204, 303, 304, 400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 421, 422, 429, 503,
])
/** What the runtime answers to what is no request (contract, section 1). */
const OF_RUNTIME = new Set([400, 413, 414, 431, 501])
const API = /^\/(?:partner\/)?(?:payin|network|operator|sandbox)\/v1\//
const TEST_SITE = /-test(?:[/?]|$)/
const TOKEN = /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{20,}/

export type Judge = ReturnType<typeof judgeOf>

/** @param secrets of the deployment */
export function judgeOf(
  find: (method: string, target: string) => Operation | undefined,
  secrets: readonly string[],
) {
  /** @returns what is wrong with the answer */
  return ({ method, target, headers: sent }: Omit<Request, 'body'>, answer: Answer): string | undefined => {
    const { status, headers, body } = answer
    const traceId = headers['x-trace-id']
    const path = pathOf(target)
    // Segments of dots are for clients to resolve; the service has no address with one (contract, section 1).
    const operation = path !== undefined && target.startsWith(path) ? find(method, path) : undefined
    if (!status) return 'it is no answer of HTTP'
    // A static file has no trace id (contract, section 1).
    const isFile = traceId === undefined && (status === 200 || status === 304) && !operation
    if (isFile) return undefined
    if (traceId === undefined)
      return OF_RUNTIME.has(status) && !/^application\/json/.test(headers['content-type'] ?? '')
        ? undefined
        : `${status} without a trace id`
    const allowed = operation?.statuses ?? OTHERS
    if (status === 500 || !allowed.has(status))
      return `${status} is not documented for ${operation?.id ?? 'other addresses'}`
    // The bank of a test site never fails, and nothing else here makes a service unavailable.
    if (status === 503 && TEST_SITE.test(target)) return 'a test site is unavailable'
    if (status < 400) return undefined
    const leaked =
      secrets.find((secret) => body.includes(secret)) ?? TOKEN.exec(body + JSON.stringify(headers))?.[0]
    if (leaked) return `the error tells a secret: ${leaked.slice(0, 12)}…`
    if (method === 'HEAD') return undefined
    return /^text\/html/.test(headers['content-type'] ?? '')
      ? pageProblem(isMoved(sent) ? undefined : path, status)
      : errorProblem(answer)
  }
}

/** If Host has a slash, the runtime puts a part of it before the path. */
const isMoved = (headers: Request['headers']): boolean =>
  headers.some(([name, value]) => /^host$/i.test(name) && value.includes('/'))

function pageProblem(path: string | undefined, status: number): string | undefined {
  if (path !== undefined && API.test(path)) return 'the API answers a page'
  return status === 500 ? 'the page of a defect' : undefined
}

function errorProblem({ status, headers, body }: Answer): string | undefined {
  const read = StrictError.safeParse(jsonIn(body))
  if (!read.success) return `the error has another shape: ${read.error.issues[0]?.message}`
  const { errorCode, traceId } = read.data
  if (traceId !== headers['x-trace-id']) return 'traceId is not that of the header'
  return STATUS_OF[errorCode]?.status === status ? undefined : `${errorCode} has another status`
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As the runtime reads it. */
function pathOf(target: string): string | undefined {
  return URL.parse(target.startsWith('/') ? `http://host${target}` : target)?.pathname
}
