// The logo of a shop: fetched once, when it is set, and served from this service's own origin (contract, section 12).
import { createHash } from 'node:crypto'
import type { Logo } from '../contract/settings.ts'
import { ApiError } from '../errors.ts'
import { pictureHeader } from './picture-header.ts'

const TIMEOUT_MS = 10_000
export const MAX_BYTES = 256 * 1024
const MAX_SIDE = 1024

export const PICTURE_RULE = `a still PNG, JPEG or WebP of at most ${MAX_BYTES / 1024} KiB and ${MAX_SIDE} pixels a side`

/** Why bytes, or the answer of a server, are no logo. */
export type LogoProblem =
  | { kind: 'status'; status: number }
  | { kind: 'size'; width: number; height: number }
  | { kind: 'length' | 'format' | 'exif' | 'timeout' | 'connection' }

/** The problem in the words of the API. */
export function logoProblemText(problem: LogoProblem): string {
  switch (problem.kind) {
    case 'status':
      return `its server answered ${problem.status}`
    case 'size':
      return `it has ${problem.width} × ${problem.height} pixels`
    case 'length':
      return 'it is larger'
    case 'format':
      return 'it is something else'
    case 'exif':
      return 'it carries EXIF'
    case 'timeout':
      return 'it did not come within 10 seconds'
    case 'connection':
      return 'no connection'
  }
}

/** The refusal of a logoUrl whose picture is no logo, 400. */
export class InvalidLogo extends ApiError {
  readonly problem: LogoProblem

  /** @param url quoted */
  constructor(url: string, problem: LogoProblem) {
    const rule = `is ${url}, must be the URL of ${PICTURE_RULE}: ${logoProblemText(problem)}`
    super('validation.error', `logoUrl ${rule}`, { fields: { logoUrl: [rule] } })
    this.problem = problem
  }
}

/** Fetches a picture. The URL is one that the deployment may call. @returns the picture, or what is wrong */
export async function fetchLogo(
  { fetch }: { fetch(request: Request): Promise<Response> },
  url: string,
): Promise<{ logo: Logo } | { problem: LogoProblem }> {
  try {
    const response = await fetch(
      new Request(url, {
        headers: { Accept: 'image/png, image/jpeg, image/webp' },
        // A redirect could lead to a host that is not allowed.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }),
    )
    if (response.status !== 200) {
      response.body?.cancel().catch(() => {})
      return { problem: { kind: 'status', status: response.status } }
    }
    const content = await readAtMost(MAX_BYTES, response)
    return content ? pictureOf(content) : { problem: { kind: 'length' } }
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    return { problem: { kind: isTimeout ? 'timeout' : 'connection' } }
  }
}

/** A picture by its bytes, within the limits of a logo. @returns the picture, or what is wrong */
export function pictureOf(content: Uint8Array<ArrayBuffer>): { logo: Logo } | { problem: LogoProblem } {
  const { mediaType, width = 0, height = 0 } = pictureHeader(content) ?? {}
  if (content.length > MAX_BYTES) return { problem: { kind: 'length' } }
  if (!mediaType) return { problem: { kind: 'format' } }
  if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_SIDE) {
    return { problem: { kind: 'size', width, height } }
  }
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 32)
  return { logo: { hash, mediaType, content } }
}

/** The body; undefined if it is longer. What is too long is not read to its end. */
async function readAtMost(most: number, { body }: Response): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > most) return undefined
    chunks.push(chunk)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** An uploaded picture. @returns the picture, or what is wrong: one that carries EXIF is refused, because that can have a place */
export function uploadedLogo(content: Uint8Array<ArrayBuffer>): { logo: Logo } | { problem: LogoProblem } {
  if (pictureHeader(content)?.hasExif) return { problem: { kind: 'exif' } }
  return pictureOf(content)
}
