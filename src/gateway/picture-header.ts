// Reads the format and the size of a still picture from its header, without decoding the picture.

interface PictureHeader {
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp'
  width: number
  height: number
  /** Whether it carries EXIF, such as the place where a photo was taken. */
  hasExif: boolean
}

/** The header of a PNG, JPEG or WebP by its bytes; undefined for anything else, and for a moving picture. */
export function pictureHeader(bytes: Uint8Array): PictureHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return png(view) ?? webp(view) ?? jpeg(view)
  } catch (error) {
    // It ends before its header does.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Four characters as a number. */
const code = (text: string) => new DataView(new TextEncoder().encode(text).buffer).getUint32(0)

/** PNG, third edition: the signature, then IHDR; acTL marks a moving picture, before the first IDAT. */
function png(view: DataView): PictureHeader | undefined {
  if (view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return undefined
  if (view.getUint32(12) !== code('IHDR')) return undefined
  for (let at = 8; view.getUint32(at + 4) !== code('IDAT'); at += 12 + view.getUint32(at)) {
    if (view.getUint32(at + 4) === code('acTL')) return undefined
  }
  return {
    mediaType: 'image/png',
    width: view.getUint32(16),
    height: view.getUint32(20),
    // It can stand behind the picture, too.
    hasExif: hasChunk(view, 8, 'eXIf', (at) => 12 + view.getUint32(at)),
  }
}

/** Whether one of the chunks has a name. @param lengthOf a chunk, of a PNG with its length before its name, of a WebP behind it */
function hasChunk(view: DataView, first: number, name: string, lengthOf: (at: number) => number): boolean {
  const nameAt = name === 'eXIf' ? 4 : 0
  for (let at = first; at + 8 <= view.byteLength; at += lengthOf(at)) {
    if (view.getUint32(at + nameAt) === code(name)) return true
  }
  return false
}

/** RFC 9649: the canvas of VP8X, or the frame of VP8 or VP8L. */
function webp(view: DataView): PictureHeader | undefined {
  if (view.getUint32(0) !== code('RIFF') || view.getUint32(8) !== code('WEBP')) return undefined
  const format = view.getUint32(12)
  const mediaType = 'image/webp'
  // A chunk has an even length.
  const hasExif = hasChunk(
    view,
    12,
    'EXIF',
    (at) => 8 + view.getUint32(at + 4, true) + (view.getUint32(at + 4, true) % 2),
  )
  if (format === code('VP8 ')) {
    if ((view.getUint32(22) & 0xffffff) !== 0x9d012a) return undefined
    return {
      mediaType,
      width: view.getUint16(26, true) & 0x3fff,
      height: view.getUint16(28, true) & 0x3fff,
      hasExif,
    }
  }
  if (format === code('VP8L')) {
    if (view.getUint8(20) !== 0x2f) return undefined
    const size = view.getUint32(21, true)
    return { mediaType, width: (size & 0x3fff) + 1, height: ((size >>> 14) & 0x3fff) + 1, hasExif }
  }
  const isMoving = (view.getUint8(20) & 2) !== 0
  if (format !== code('VP8X') || isMoving) return undefined
  const side = (at: number) => (view.getUint16(at, true) | (view.getUint8(at + 2) << 16)) + 1
  return { mediaType, width: side(24), height: side(27), hasExif }
}

/** ITU-T T.81, annex B: segments up to the first scan, exactly one of which is the frame's. */
function jpeg(view: DataView): PictureHeader | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined
  let found: Omit<PictureHeader, 'hasExif'> | undefined
  let hasExif = false
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at)
    if (marker < 0xffc0 || view.getUint16(at + 2) < 2) return undefined
    if (marker === 0xffda) return found && { ...found, hasExif }
    // APP1 of EXIF; one of XMP begins with a URL.
    if (marker === 0xffe1 && view.getUint32(at + 4) === code('Exif')) hasExif = true
    // C4, C8 and CC are tables, not frames.
    if (marker > 0xffcf || [0xffc4, 0xffc8, 0xffcc].includes(marker)) continue
    if (found) return undefined
    found = { mediaType: 'image/jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
  }
}
