// Runs the handler of an operation: refuses an operator's revoked key before it, and records an operator's act in the audit.
import { isOfOperator } from '../contract/access-token.ts'
import { type RecordedAct, recordIntent } from '../gateway/audit.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callRegistry, unwrap } from '../gateway/site-client.ts'
import { toEnd } from '../gateway/to-end.ts'
import type { Operation } from './operation.ts'
import type { Chunk } from './stream.ts'

type Input = Parameters<Operation['handle']>[1]

/**
 * What the operation gives.
 * @param method of the request: HEAD sends no data, so it is not recorded as an act
 * @throws ApiError its refusal; 401 for a revoked key of an operator; 503 without the audit
 */
export async function execute(
  site: SiteContext,
  operation: Operation,
  input: Input,
  method: string,
): Promise<unknown> {
  if (isOfOperator(operation.scopes))
    unwrap(
      await callRegistry(site.service, (registry) =>
        registry.admitOperator(site.caller, operation.method !== 'get'),
      ),
    )
  const { act } = operation
  if (!act || method === 'HEAD') return operation.handle(site, input)
  return toEnd(site.service, perform(site, operation, act, input))
}

/** Records an act and what became of it, which a client that disconnects does not change. */
async function perform(
  site: SiteContext,
  operation: Operation,
  act: NonNullable<Operation['act']>,
  input: Input,
): Promise<unknown> {
  const recorded = await recordIntent(site, act.name, act.details?.(input) ?? {})
  try {
    const value = await operation.handle(site, input)
    if (isFile(value)) return { ...value, file: recordedParts(value.file, recorded) }
    await recorded.done(act.outcome?.(value))
    return value
  } catch (error) {
    await recorded.failed(error)
    throw error
  }
}

interface File {
  file: AsyncGenerator<Chunk, void>
}

const isFile = (value: unknown): value is File => {
  const file: unknown = Object(value).file
  return typeof file === 'object' && file !== null && Symbol.asyncIterator in file
}

/** A file is streamed: its act is done when all of it was sent, and failed if the client disconnects before. */
async function* recordedParts(parts: File['file'], recorded: RecordedAct): AsyncGenerator<Chunk, void> {
  let record = () => recorded.failed(new Error('the client disconnected before the end of the file'))
  try {
    yield* parts
    record = () => recorded.done()
  } catch (error) {
    record = () => recorded.failed(error)
    throw error
  } finally {
    await record()
  }
}
