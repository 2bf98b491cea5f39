// Makes the HTTP response of an operation from its content: JSON, a file, a stream, 204 or 304.
import type { Context } from 'hono'
import { faultOf, logLine } from '../contract/log-line.ts'
import type { Service } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'
import { entityTags, isKnown } from './conditional.ts'
import type { Operation, ResponseContent } from './operation.ts'
import { jsonText, type ResponseHeaders, respond } from './response.ts'
import { type Chunk, streamOf } from './stream.ts'

/** What is reported to a deleted site has happened, and nobody else keeps it: the log does. */
export function logLateReport(
  c: Context<AppEnv>,
  { log, now }: Pick<Service, 'log' | 'now'>,
  { path, body }: { path: object; body: unknown },
): void {
  const { traceId, siteId: site } = c.var
  const { status, amount }: { status?: unknown; amount?: unknown } = Object(body)
  const more = { traceId, site, ...path, status, amount }
  log(logLine(now(), 'warning', 'a report for a deleted site was refused', more))
}

/** The response to a request of the operation. */
export async function responseOf(
  c: Context<AppEnv>,
  service: Pick<Service, 'log' | 'now'>,
  { method }: Operation,
  content: ResponseContent<unknown>,
): Promise<Response> {
  const { headers } = content
  if ('status' in content) return respond(c, null, content.status, headers)
  const etag = method === 'get' ? headers?.ETag : undefined
  if (etag && isKnown(entityTags(c.req.header('If-None-Match')), etag)) return respond(c, null, 304, headers)
  if ('value' in content) {
    const { value, text = JSON.stringify(value) } = content
    return jsonText(c, text, headers, successOf(content))
  }
  const { file } = content
  if (typeof file === 'string' || file instanceof Uint8Array) return respond(c, file, 200, headers)
  return streamed(c, service, file, headers)
}

const successOf = ({ isAccepted, isCreated }: { isAccepted?: boolean; isCreated?: boolean }): number => {
  if (isCreated) return 201
  return isAccepted ? 202 : 200
}

/** The parts as a response. One that fails after the first breaks it off, and is logged. @throws what the first fails with */
export async function streamed(
  c: Context<AppEnv>,
  { log, now }: Pick<Service, 'log' | 'now'>,
  parts: AsyncGenerator<Chunk, void>,
  headers?: ResponseHeaders,
): Promise<Response> {
  const { traceId, siteId: site } = c.var
  const failed = (error: unknown) => {
    const more = { traceId, site, fault: faultOf(error) }
    log(logLine(now(), 'error', 'an answer was broken off', more))
  }
  return respond(c, await streamOf(parts, failed), 200, headers)
}
