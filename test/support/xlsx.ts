// Reads a spreadsheet of one sheet: checks the records of its zip, and gives the cells as they are stored.
import { crc32, inflateRawSync } from 'node:zlib'

/** `type` is that of the cell, `n` where it has none; `format` is the number of its format. */
export interface StoredCell {
  type: string
  format: number
  value: string
}

/** The files of a zip, by their names. @throws Error where a record, a size or a checksum is wrong */
export function filesOf(zip: Uint8Array): Map<string, string> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength)
  const end = zip.length - 22
  expectNumber(view.getUint32(end, true), 0x06054b50)
  const files = new Map<string, string>()
  let at = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    expectNumber(view.getUint32(at, true), 0x02014b50)
    const [crc, deflated, size] = [16, 20, 24].map((field) => view.getUint32(at + field, true))
    const nameLength = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + nameLength))
    const local = view.getUint32(at + 42, true)
    expectNumber(view.getUint32(local, true), 0x04034b50)
    const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
    const behind = begin + (deflated ?? 0)
    const bytes = inflateRawSync(zip.subarray(begin, behind))
    expectNumber(bytes.length, size)
    expectNumber(crc32(bytes), crc)
    // The descriptor behind the file says the same.
    expectNumber(view.getUint32(behind, true), 0x08074b50)
    for (const [i, number] of [crc, deflated, size].entries())
      expectNumber(view.getUint32(behind + 4 + 4 * i, true), number)
    files.set(name, new TextDecoder().decode(bytes))
    at += 46 + nameLength
  }
  expectNumber(at, end)
  return files
}

function expectNumber(actual: number, wanted: number | undefined): void {
  if (actual !== wanted) throw new Error(`the zip has ${actual}, must have ${wanted}`)
}

/** The rows of the sheet. */
export function rowsOf(zip: Uint8Array): StoredCell[][] {
  const files = filesOf(zip)
  const formats = formatsOf(files.get('xl/styles.xml') ?? '')
  const sheet = files.get('xl/worksheets/sheet1.xml') ?? ''
  if (/<f[\s>]/.test(sheet)) throw new Error('the sheet has a formula')
  return Array.from(sheet.matchAll(/<row>(.*?)<\/row>/gs), ([, row = '']) =>
    Array.from(row.matchAll(/<c([^>]*?)(?:\/>|>(.*?)<\/c>)/gs), ([, attributes = '', content = '']) => ({
      type: /t="(\w+)"/.exec(attributes)?.[1] ?? 'n',
      format: formats[Number(/s="(\d+)"/.exec(attributes)?.[1] ?? 0)] ?? 0,
      value: unescaped(content.replaceAll(/<[^>]*>/g, '')),
    })),
  )
}

/** The number of the format of each style of a cell. */
const formatsOf = (styles: string): number[] =>
  Array.from(
    (/<cellXfs.*?<\/cellXfs>/s.exec(styles)?.[0] ?? '').matchAll(/<xf numFmtId="(\d+)"/g),
    ([, id]) => Number(id),
  )

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

const unescaped = (text: string): string =>
  text
    .replaceAll(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
