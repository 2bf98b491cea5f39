// A zip as a stream: local headers, deflated files, the central directory (PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.9, 4.3.12, 4.3.16).
import { constants, crc32, deflateRawSync } from 'node:zlib'

export interface ZipFile {
  /** ASCII. */
  name: string
  /** Each text is deflated by itself: a few kilobytes or more. */
  texts: AsyncIterable<string> | Iterable<string>
}

interface Written {
  name: Uint8Array
  crc: number
  deflated: number
  size: number
  /** Where its local header is. */
  offset: number
}

type Bytes = Uint8Array<ArrayBuffer>

const VERSION = 20
/** Checksum and sizes are behind the file. */
const FLAG_DESCRIPTOR = 8
const DEFLATED = 8
/** 1 January 1980, the first day of a zip: the same texts make the same bytes. */
const DAY = 0x21
/** Without zip64 no size and no offset is larger. */
const MAX_SIZE = 0xffff_ffff

const LOCAL = 0x04034b50
const DESCRIPTOR = 0x08074b50
const CENTRAL = 0x02014b50
const END = 0x06054b50

/**
 * Makes the zip as its reader takes it: of a file it keeps one text at a time.
 * @throws RangeError for more than 4 GiB
 */
export async function* zipOf(files: readonly ZipFile[]): AsyncGenerator<Bytes, void> {
  const encoder = new TextEncoder()
  const written: Written[] = []
  let offset = 0
  for (const { name, texts } of files) {
    const file: Written = { name: encoder.encode(name), crc: 0, deflated: 0, size: 0, offset }
    yield localHeader(file)
    for await (const text of texts) {
      const bytes = encoder.encode(text)
      file.crc = crc32(bytes, file.crc)
      file.size += bytes.length
      // Ends with a whole byte and without the last block, so that the next text can follow.
      yield counted(deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }), file)
    }
    yield counted(deflateRawSync(new Uint8Array()), file)
    yield descriptor(file)
    written.push(file)
    offset += LOCAL_SIZE + file.name.length + file.deflated + DESCRIPTOR_SIZE
    if (Math.max(offset, file.size) > MAX_SIZE) throw new RangeError('the zip is larger than 4 GiB')
  }
  const directory = written.map(centralHeader)
  yield* directory
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  yield record([END, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [offset, 4], [0, 2])
}

function counted(bytes: Uint8Array, file: Written): Bytes {
  file.deflated += bytes.length
  return new Uint8Array(bytes)
}

const LOCAL_SIZE = 30
const DESCRIPTOR_SIZE = 16

const localHeader = ({ name }: Written): Bytes =>
  withName(name, [LOCAL, 4], ...STATED, [0, 4], [0, 4], [0, 4], [name.length, 2], [0, 2])

const descriptor = ({ crc, deflated, size }: Written): Bytes =>
  record([DESCRIPTOR, 4], [crc, 4], [deflated, 4], [size, 4])

const centralHeader = ({ name, crc, deflated, size, offset }: Written): Bytes =>
  withName(
    name,
    ...([[CENTRAL, 4], [VERSION, 2], ...STATED, [crc, 4], [deflated, 4], [size, 4]] as const),
    // No extra field, comment, disk or attributes.
    ...([
      [name.length, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 4],
      [offset, 4],
    ] as const),
  )

type Field = readonly [value: number, bytes: 2 | 4]

/** What a local and a central header have alike: version, flags, method, time, day. */
const STATED: readonly Field[] = [
  [VERSION, 2],
  [FLAG_DESCRIPTOR, 2],
  [DEFLATED, 2],
  [0, 2],
  [DAY, 2],
]

function withName(name: Uint8Array, ...fields: readonly Field[]): Bytes {
  const head = record(...fields)
  const bytes = new Uint8Array(head.length + name.length)
  bytes.set(head)
  bytes.set(name, head.length)
  return bytes
}

/** Numbers in the order of a zip, the lowest byte first. */
function record(...fields: readonly Field[]): Bytes {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [, bytes]) => sum + bytes, 0)))
  let at = 0
  for (const [value, bytes] of fields) {
    if (bytes === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += bytes
  }
  return new Uint8Array(view.buffer)
}
