// Reads a form with a file (multipart/form-data, RFC 7578) as it arrives: its fields, and behind them the file, of any length.
import { ApiError } from '../errors.ts'

type Bytes = Uint8Array

export interface Upload {
  /** Those before the file. */
  fields: URLSearchParams
  /** Undefined where the form has none; of the bytes it is read once. */
  file?: { name: string; mediaType: string; bytes: AsyncGenerator<Bytes, void> }
}

/** Bytes of the headers of a part, and of the value of a field. */
const MAX_TEXT = 4096
/** Fields before the file. */
const MAX_FIELDS = 16

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const LINE_END = encoder.encode('\r\n')
const HEADERS_END = encoder.encode('\r\n\r\n')

/**
 * The form, read up to the bytes of its file.
 * @param contentType of the request
 * @throws ApiError 400 where the body is no such form
 */
export async function uploadOf(
  contentType: string | undefined,
  bytes: AsyncIterable<Bytes>,
): Promise<Upload> {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? '') ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw malformed('is not multipart/form-data with a boundary')
  const delimiter = encoder.encode(`\r\n--${boundary}`)
  const body = new Scanner(bytes)
  const fields = new URLSearchParams()
  await body.text(delimiter)
  for (let count = 0; count <= MAX_FIELDS; count++) {
    // Behind the last part there are two hyphens.
    if ((await body.two()) !== '\r\n') return { fields }
    const { name, file } = disposition(await body.text(HEADERS_END))
    if (file) return { fields, file: { ...file, bytes: body.before(delimiter) } }
    fields.append(name, await body.text(delimiter))
  }
  throw malformed(`has more than ${MAX_FIELDS} fields before its file`)
}

/** What the headers of a part say. */
function disposition(headers: string): { name: string; file?: { name: string; mediaType: string } } {
  const header = (name: string) => new RegExp(`^${name}:(.*)$`, 'im').exec(headers)?.[1]?.trim() ?? ''
  const parameter = (name: string) =>
    new RegExp(`;\\s*${name}="([^"]*)"`, 'i').exec(header('content-disposition'))?.[1]
  const name = parameter('name')
  if (name === undefined) throw malformed('has a part without a name')
  const fileName = parameter('filename')
  if (fileName === undefined) return { name }
  const mediaType = header('content-type').split(';')[0]?.trim().toLowerCase() ?? ''
  // Browsers escape these three alone.
  const shown = fileName.replaceAll(/%(22|0D|0A)/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return { name, file: { name: shown, mediaType } }
}

/** Finds marks in bytes that come in pieces. */
class Scanner {
  readonly #bytes: AsyncIterator<Bytes>
  /** The first boundary can begin the body, without a line break before it. */
  #rest: Bytes = LINE_END

  constructor(bytes: AsyncIterable<Bytes>) {
    this.#bytes = bytes[Symbol.asyncIterator]()
  }

  /** The bytes up to the mark, which is passed over. @throws ApiError 400 where the body ends before it */
  async *before(mark: Bytes): AsyncGenerator<Bytes, void> {
    for (;;) {
      const at = indexOf(this.#rest, mark)
      // What is left can be the beginning of the mark.
      const end = at >= 0 ? at : Math.max(this.#rest.length - mark.length + 1, 0)
      const found = this.#rest.subarray(0, end)
      this.#rest = this.#rest.subarray(at >= 0 ? end + mark.length : end)
      if (found.length > 0) yield found
      if (at >= 0) return
      await this.#readMore()
    }
  }

  /** The text up to the mark. @throws ApiError 400 where it is too long */
  async text(mark: Bytes): Promise<string> {
    const parts: Bytes[] = []
    let size = 0
    for await (const part of this.before(mark)) {
      size += part.length
      if (size > MAX_TEXT) throw malformed(`has a field of more than ${MAX_TEXT} bytes`)
      parts.push(part)
    }
    return decoder.decode(joined(parts))
  }

  async two(): Promise<string> {
    while (this.#rest.length < 2) await this.#readMore()
    const text = decoder.decode(this.#rest.subarray(0, 2))
    this.#rest = this.#rest.subarray(2)
    return text
  }

  async #readMore(): Promise<void> {
    const { done, value } = await this.#bytes.next()
    if (done) throw malformed('ends before its last boundary')
    this.#rest = this.#rest.length === 0 ? value : joined([this.#rest, value])
  }
}

function indexOf(bytes: Bytes, mark: Bytes): number {
  const [first = 0] = mark
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (at + mark.length > bytes.length) return -1
    if (mark.every((byte, i) => bytes[at + i] === byte)) return at
  }
  return -1
}

function joined(parts: readonly Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

const malformed = (what: string): ApiError =>
  new ApiError('http.message.conversion.failed', `the form ${what}`)
