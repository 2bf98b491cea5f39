// A font of which every character is a block half an em wide: a page looks the same on machines with other fonts.

/** The font as TrueType (ISO/IEC 14496-22), with the tables that a browser requires. */
export function blockFont(): Buffer {
  const tables: Record<string, Buffer> = {
    'OS/2': os2(),
    cmap: cmap(),
    glyf: GLYPH,
    head: head(),
    hhea: words([1, 0, 800, -200, 0, 500, 0, 0, 500, 1, 0, 0, 0, 0, 0, 0, 0, 2]),
    hmtx: words([500, 0, 500, 0]),
    loca: words([0, 0, GLYPH.length / 2]),
    maxp: words([1, 0, 2, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
    name: words([0, 0, 6]),
    post: Buffer.concat([words([3, 0, 0, 0, -100, 50]), Buffer.alloc(20)]),
  }
  const names = Object.keys(tables)
  let offset = 12 + 16 * names.length
  const directory = Buffer.concat(
    names.map((tag) => {
      const { length } = tables[tag] ?? Buffer.alloc(0)
      const entry = Buffer.concat([Buffer.from(tag), longs([0, offset, length])])
      offset += padded(length)
      return entry
    }),
  )
  const content = Object.values(tables).map((table) =>
    Buffer.concat([table, Buffer.alloc(padded(table.length) - table.length)]),
  )
  return Buffer.concat([
    longs([0x10000]),
    words([names.length, 128, 3, names.length * 16 - 128]),
    directory,
    ...content,
  ])
}

const words = (values: readonly number[]) =>
  Buffer.from(values.flatMap((value) => [(value >> 8) & 255, value & 255]))
const longs = (values: readonly number[]) => words(values.flatMap((value) => [value >>> 16, value & 0xffff]))
const padded = (length: number) => Math.ceil(length / 4) * 4

/** One contour: a block from the base line to the height of a small letter, narrower than its place. */
const GLYPH = Buffer.concat([
  words([1, 50, 0, 450, 500, 3, 0]),
  Buffer.from([1, 1, 1, 1]),
  words([50, 400, 0, -400]),
  words([0, 0, 500, 0]),
  Buffer.alloc(2),
])

/** Every character is glyph 1 (format 13, many to one): glyph 0 is for characters that a font lacks. */
const cmap = () =>
  Buffer.concat([words([0, 1, 3, 10]), longs([12]), words([13, 0]), longs([28, 0, 1, 0x20, 0x10ffff, 1])])

const head = () =>
  Buffer.concat([
    longs([0x10000, 0x10000, 0, 0x5f0f3cf5]),
    words([0, 1000]),
    Buffer.alloc(16),
    words([0, 0, 500, 500, 0, 8, 2, 0, 0]),
  ])

const os2 = () =>
  Buffer.concat([
    words([4, 500, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 250, 0]),
    Buffer.alloc(10),
    longs([1, 0, 0, 0]),
    Buffer.from('TEST'),
    words([64, 32, 0xffff, 800, -200, 0, 800, 200]),
    longs([1, 0]),
    words([500, 700, 0, 32, 0]),
  ])
