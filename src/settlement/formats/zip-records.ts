// The records of a zip with one file (PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12, 4.3.16).
import type { Faults } from './faults.ts'

const LOCAL = { signature: 0x04034b50, size: 30 }
const CENTRAL = { signature: 0x02014b50, size: 46 }
const END = { signature: 0x06054b50, size: 22 }

const FLAG_ENCRYPTED = 1
/** The sizes are behind the file. */
const FLAG_DESCRIPTOR = 8
const STORED = 0
const DEFLATED = 8

/** A local header with its name, and what is behind the file: descriptor, central header, end. Names of files are short. */
export const MAX_LOCAL = 2048
export const MAX_TAIL = 4096

export interface Local {
  isDeflated: boolean
  /** Where the compressed bytes begin. */
  begin: number
  /** How many they are; undefined where only the end of the zip says it. */
  size: number | undefined
}

/** The header with which the zip begins. @throws Unreadable */
export function localIn(head: Uint8Array, faults: Faults): Local {
  const view = viewOf(head)
  if (head.length >= END.size && view.getUint32(0, true) === END.signature)
    return faults.stop('file', 'is a zip of 0 files, must have one')
  if (head.length < LOCAL.size || view.getUint32(0, true) !== LOCAL.signature)
    return faults.stop('file', 'is not a zip, must be')
  const flags = view.getUint16(6, true)
  const method = view.getUint16(8, true)
  if (flags & FLAG_ENCRYPTED) faults.stop('file', 'is a zip that is encrypted, must not be')
  const hasSize = (flags & FLAG_DESCRIPTOR) === 0
  if (method !== DEFLATED && !(method === STORED && hasSize))
    faults.stop('file', `is a zip of the method ${method}, must be 8`)
  const begin = LOCAL.size + view.getUint16(26, true) + view.getUint16(28, true)
  return { isDeflated: method === DEFLATED, begin, size: hasSize ? view.getUint32(18, true) : undefined }
}

/** What the zip says of its file. */
export interface Central {
  crc: number
  packedSize: number
  unpackedSize: number
}

/** The records with which the zip ends. @throws Unreadable where there is another number of files, or no end */
export function endOf(tail: Uint8Array, faults: Faults): Central {
  const view = viewOf(tail)
  const end = endIn(view)
  if (end === undefined) return faults.stop('file', 'is a zip that is cut off')
  const files = view.getUint16(end + 10, true)
  if (files !== 1) faults.stop('file', `is a zip of ${files} files, must have one`)
  const at = end - view.getUint32(end + 12, true)
  if (at < 0 || at + CENTRAL.size > end || view.getUint32(at, true) !== CENTRAL.signature)
    return faults.stop('file', 'is a zip that is damaged')
  return {
    crc: view.getUint32(at + 16, true),
    packedSize: view.getUint32(at + 20, true),
    unpackedSize: view.getUint32(at + 24, true),
  }
}

/** Where the record is whose comment reaches to the end. */
function endIn(view: DataView): number | undefined {
  for (let at = view.byteLength - END.size; at >= 0; at--) {
    const isEnd = view.getUint32(at, true) === END.signature
    if (isEnd && at + END.size + view.getUint16(at + 20, true) === view.byteLength) return at
  }
  return undefined
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
