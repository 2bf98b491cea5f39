// Imports a settlement file into a site: reads it as it arrives, and hands its entries over in batches (contract, section 19).
import { createHash } from 'node:crypto'
import type { ImportStep, Settlement, SettlementSpec } from '../contract/settlement.ts'
import { ApiError, type Outcome } from '../errors.ts'
import { faultLines, masked } from '../settlement/faults.ts'
import { type Bytes, type Entry, type Summary, TooLarge, Unreadable } from '../settlement/formats/entry.ts'
import { parserOf } from '../settlement/formats/formats.ts'
import { unzipped } from '../settlement/formats/zip.ts'
import type { SiteContext, SiteStub } from './context.ts'
import { EntryBatches } from './settlement-batches.ts'
import { callSite } from './site-client.ts'
import { toEnd } from './to-end.ts'
import { turn } from './turn.ts'

type ImportingSite = Pick<SiteContext, 'service' | 'siteId' | 'caller'>

/** What is imported: the body of a request. */
export interface SettlementFile {
  mediaType: string
  bytes: Bytes
}

/**
 * Imports a file. Whatever fails, the site is as before.
 * @throws ApiError settlement.unreadable with its first faults, http.message.too.large, what the body breaks, and the site's refusals
 */
export const importSettlement = (
  site: ImportingSite,
  spec: SettlementSpec,
  file: SettlementFile,
): Promise<{ settlement: Settlement; isReplayed: boolean }> => toEnd(site.service, counted(site, spec, file))

/** Counts the import by what became of it. */
async function counted(site: ImportingSite, spec: SettlementSpec, file: SettlementFile) {
  const count = (outcome: string) =>
    site.service.metrics?.add('settlement_imports', { bank: spec.bank, outcome })
  try {
    const done = await imported(site, spec, file)
    count(done.isReplayed ? 'replayed' : 'imported')
    return done
  } catch (error) {
    count(error instanceof ApiError ? error.code : 'broken')
    throw error
  }
}

async function imported(site: ImportingSite, spec: SettlementSpec, { mediaType, bytes }: SettlementFile) {
  const { caller } = site
  const call = <T>(work: (object: SiteStub) => Promise<Outcome<T>>) => callSite(site, work, once)
  const { token, payoutAccounts } = await call((object) => object.beginImport(caller, spec))
  const batches = new EntryBatches(site.service.now, async (entries) => {
    await call((object) => object.appendEntries(caller, token, entries))
    await turn(site.service)
  })
  const body = new HashedBody(bytes, () => batches.keepAlive())
  try {
    const content = mediaType === 'application/zip' ? unzipped(body.read()) : body.read()
    const entries = parserOf(spec.bank, spec.format, { payoutAccounts })(content)
    const summary = await handOver(entries, batches)
    const file = { sha256: body.sha256(), summary }
    let step: ImportStep = await call((object) => object.completeImport(caller, token, file))
    while (!step.isDone) {
      await turn(site.service)
      step = await call((object) => object.continueImport(caller, token))
    }
    return { settlement: step.settlement, isReplayed: step.isReplayed }
  } catch (error) {
    // The import ends by itself in a minute where the site is not reached.
    await call((object) => object.abandonImport(caller, token)).catch(() => {})
    throw refusalOf(body.failure ?? error)
  }
}

/** A batch that is sent twice would be stored twice, and an import that was begun twice would be in its own way. */
const once = () => false

async function handOver(parsed: AsyncGenerator<Entry[], Summary>, batches: EntryBatches): Promise<Summary> {
  let next = await parsed.next()
  for (; !next.done; next = await parsed.next()) await batches.add(next.value)
  await batches.flush()
  return next.value
}

/** The bytes of a body, whose hash is known when they have been read. */
class HashedBody {
  readonly #hash = createHash('sha256')
  readonly #bytes: Bytes
  readonly #received: () => Promise<void>
  /** Why the body could not be read to its end: a zip that is cut off looks damaged, too. */
  failure: unknown

  /** @param received is called with each piece */
  constructor(bytes: Bytes, received: () => Promise<void>) {
    this.#bytes = bytes
    this.#received = received
  }

  async *read(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of this.#bytes) {
        this.#hash.update(piece)
        yield piece
        await this.#received()
      }
    } catch (error) {
      this.failure = error
      throw error
    }
  }

  sha256(): string {
    return this.#hash.digest('hex')
  }
}

/** What is wrong with a file, as a refusal; any other error is as it was. */
function refusalOf(error: unknown): unknown {
  if (error instanceof TooLarge) return new ApiError('http.message.too.large', error.message)
  if (!(error instanceof Unreadable)) return error
  return new ApiError('settlement.unreadable', faultLines(error.faults).join('; '), {
    fields: masked(error.faults),
  })
}
