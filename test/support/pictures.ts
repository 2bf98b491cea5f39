// Pictures as a server sends them: only as much of them as a header needs.

const text = (value: string) => [...new TextEncoder().encode(value)]
const u32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const u16 = (value: number) => [value >>> 8, value & 255]
const little = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, i) => (value >>> (8 * i)) & 255)
const chunk = (type: string, content: number[]) => [
  ...u32(content.length),
  ...text(type),
  ...content,
  ...u32(0),
]
const riff = (type: string, content: number[]) => [
  ...text('RIFF'),
  ...little(content.length + 12, 4),
  ...text('WEBP'),
  ...text(type),
  ...little(content.length, 4),
  ...content,
]
const segment = (marker: number, content: number[]) => [255, marker, ...u16(content.length + 2), ...content]
const frame = (marker: number, width: number, height: number) =>
  segment(marker, [8, ...u16(height), ...u16(width), 1, 1, 0x11, 0])
const SCAN = [...segment(0xda, [1, 1, 0, 0, 63, 0]), 0, 255, 0xd9]
const SIGNATURE = [0x89, ...text('PNG\r\n'), 0x1a, 10]
const ihdr = (width: number, height: number) => chunk('IHDR', [...u32(width), ...u32(height), 8, 6, 0, 0, 0])
const END = [...chunk('IDAT', [1, 2, 3]), ...chunk('IEND', [])]

/** A picture of each format, by its sides in pixels. */
export const PICTURES: Record<string, (width: number, height: number) => number[]> = {
  'image/png': (width, height) => [...SIGNATURE, ...ihdr(width, height), ...END],
  'image/jpeg': (width, height) => [
    ...[255, 0xd8],
    ...segment(0xe0, text('JFIF\0')),
    ...segment(0xc4, [0, 1, 2]),
    ...frame(0xc2, width, height),
    ...SCAN,
  ],
  'image/webp': (width, height) =>
    riff('VP8X', [0, 0, 0, 0, ...little(width - 1, 3), ...little(height - 1, 3)]),
}

/** Other forms of WebP. */
export const LOSSY = (width: number, height: number) =>
  riff('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, ...little(width, 2), ...little(height, 2)])
export const LOSSLESS = (width: number, height: number) =>
  riff('VP8L', [0x2f, ...little((width - 1) | ((height - 1) << 14), 4)])

/** What pretends to be a picture, or is more than one. */
export const IMPOSTORS: Record<string, number[]> = {
  'an SVG': text('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  'a GIF': text('GIF89a\x01\0\x01\0'),
  HTML: text('<!doctype html><script>alert(1)</script>'),
  nothing: [],
  'a PNG that ends in its header': [...SIGNATURE, ...u32(13), ...text('IHDR'), 0],
  'a PNG whose first chunk is another': [...SIGNATURE, ...chunk('tEXt', text('x'.repeat(20))), ...END],
  'a PNG without a picture': [...SIGNATURE, ...ihdr(64, 64)],
  'a PNG that moves': [...SIGNATURE, ...ihdr(64, 64), ...chunk('acTL', [0, 0, 0, 2, 0, 0, 0, 0]), ...END],
  'a PNG with a chunk of 4 GiB': [...SIGNATURE, ...ihdr(64, 64), ...u32(0xffffffff), ...text('junk')],
  'a WebP that moves': riff('VP8X', [2, 0, 0, 0, ...little(63, 3), ...little(63, 3)]),
  'a WebP of another kind': riff('JUNK', new Array(20).fill(0)),
  'a JPEG without a frame': [255, 0xd8, ...SCAN],
  'a JPEG with two frames': [255, 0xd8, ...frame(0xc0, 8, 8), ...frame(0xc0, 8, 8), ...SCAN],
  'a JPEG with a segment of no length': [255, 0xd8, 255, 0xe0, 0, 0, 255, 0xe0, 0, 0],
  'a JPEG without a scan': [255, 0xd8, ...frame(0xc0, 8, 8)],
}
