// Writes zips, wrong ones too.
import { crc32, deflateRawSync } from 'node:zlib'

export interface Packed {
  content: Uint8Array
  name?: string
  /** The sizes and the checksum are behind the file. */
  hasDescriptor?: boolean
  isStored?: boolean
  /** What is said, where it is not true. */
  packed?: Uint8Array
  crc?: number
  size?: number
  packedSize?: number
  method?: number
  flags?: number
}

/** A zip of the files. */
export function zipOf(files: readonly Packed[]): Uint8Array {
  const chunks: Uint8Array[] = []
  const central: Uint8Array[] = []
  let at = 0
  const push = (bytes: Uint8Array) => {
    chunks.push(bytes)
    at += bytes.length
  }
  for (const file of files) {
    const { content, name = 'a.csv', hasDescriptor = false, isStored = false, flags = 0 } = file
    const packed = file.packed ?? (isStored ? content : deflateRawSync(content))
    const { crc = crc32(content), size = content.length, packedSize = packed.length } = file
    const { method = isStored ? 0 : 8 } = file
    const bits = flags | (hasDescriptor && !isStored ? 8 : 0)
    const nameBytes = new TextEncoder().encode(name)
    const begin = at
    const sums = [crc, packedSize, size]
    const known = bits & 8 ? [0, 0, 0] : sums
    push(
      record([
        ['u32', 0x04034b50],
        ['u16', 20],
        ['u16', bits],
        ['u16', method],
        ['u32', 0],
        ...u32s(known),
        ['u16', nameBytes.length],
        ['u16', 0],
      ]),
    )
    push(nameBytes)
    push(packed)
    if (bits & 8) push(record([['u32', 0x08074b50], ...u32s(sums)]))
    central.push(
      record([
        ['u32', 0x02014b50],
        ['u16', 20],
        ['u16', 20],
        ['u16', bits],
        ['u16', method],
        ['u32', 0],
        ...u32s(sums),
        ['u16', nameBytes.length],
        ['u16', 0],
        ['u16', 0],
        ['u16', 0],
        ['u16', 0],
        ['u32', 0],
        ['u32', begin],
      ]),
      nameBytes,
    )
  }
  const centralAt = at
  for (const each of central) push(each)
  push(
    record([
      ['u32', 0x06054b50],
      ['u32', 0],
      ['u16', files.length],
      ['u16', files.length],
      ['u32', at - centralAt],
      ['u32', centralAt],
      ['u16', 0],
    ]),
  )
  const zip = new Uint8Array(at)
  let offset = 0
  for (const chunk of chunks) {
    zip.set(chunk, offset)
    offset += chunk.length
  }
  return zip
}

type Field = ['u16' | 'u32', number]
const u32s = (values: readonly number[]): Field[] => values.map((value) => ['u32', value])

function record(fields: readonly Field[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((length, [type]) => length + (type === 'u16' ? 2 : 4), 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const [type, value] of fields) {
    if (type === 'u16') view.setUint16(at, value, true)
    else view.setUint32(at, value >>> 0, true)
    at += type === 'u16' ? 2 : 4
  }
  return bytes
}
