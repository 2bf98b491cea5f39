// A spreadsheet of one sheet (ECMA-376): plain cells of texts, amounts, days and times. It has no formula, and nothing makes one.
import type { Cell } from '../contract/cell.ts'
import { type ZipFile, zipOf } from './zip.ts'

export interface Sheet {
  /** At most 31 characters, without those that a name of a sheet cannot have: `[ ] : * ? / \`. */
  name: string
  /** The first row, which stays in view. */
  columns: readonly { name: string /** In characters. */; width: number }[]
  /** Rows as they come, several at a time. */
  rows: AsyncIterable<readonly (readonly Cell[])[]>
  /** By how many seconds the times that are shown are ahead of UTC. */
  offset: number
}

/** With the first one. A spreadsheet opens no more. */
const MAX_ROWS = 1_048_576

/**
 * Makes the file as its reader takes it.
 * @throws RangeError for more rows than a sheet has; what the rows fail with: before the first byte, if it is the first of them
 */
export async function* workbook({
  name,
  columns,
  rows,
  offset,
}: Sheet): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const iterator = rows[Symbol.asyncIterator]()
  try {
    const first = await iterator.next()
    const files: ZipFile[] = [
      { name: '[Content_Types].xml', texts: [CONTENT_TYPES] },
      { name: '_rels/.rels', texts: [RELATIONS] },
      { name: 'xl/workbook.xml', texts: [workbookXml(name)] },
      { name: 'xl/_rels/workbook.xml.rels', texts: [WORKBOOK_RELATIONS] },
      { name: 'xl/styles.xml', texts: [STYLES] },
      { name: 'xl/worksheets/sheet1.xml', texts: sheetXml(columns, first, iterator, offset) },
    ]
    yield* zipOf(files)
  } finally {
    await iterator.return?.()
  }
}

type Rows = readonly (readonly Cell[])[]

async function* sheetXml(
  columns: Sheet['columns'],
  first: IteratorResult<Rows, unknown>,
  rest: AsyncIterator<Rows>,
  offset: number,
): AsyncGenerator<string, void> {
  const widths = columns.map(
    ({ width }, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`,
  )
  const names = columns.map((column) => textCell(column.name, STYLE.head))
  let count = 1
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">\
<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>\
<cols>${widths.join('')}</cols><sheetData><row>${names.join('')}</row>`
  for (let page = first; !page.done; page = await rest.next()) {
    count += page.value.length
    if (count > MAX_ROWS) throw new RangeError(`a sheet has at most ${MAX_ROWS} rows`)
    yield page.value
      .map((cells) => `<row>${cells.map((cell) => cellXml(cell, offset)).join('')}</row>`)
      .join('')
  }
  yield '</sheetData></worksheet>'
}

/** The places of STYLES. */
const STYLE = { head: 1, text: 2, amount: 3, day: 4, time: 5 } as const

function cellXml(cell: Cell, offset: number): string {
  if (cell === undefined) return '<c/>'
  if ('text' in cell) return textCell(cell.text, STYLE.text)
  if ('minorUnits' in cell) return `<c s="${STYLE.amount}"><v>${decimal(cell.minorUnits)}</v></c>`
  if ('day' in cell) return `<c s="${STYLE.day}"><v>${serial(Date.parse(cell.day) / 1000)}</v></c>`
  if ('at' in cell) return `<c s="${STYLE.time}"><v>${serial(cell.at + offset)}</v></c>`
  return `<c><v>${cell.whole}</v></c>`
}

/** Its digits: a binary fraction has others. */
function decimal(minorUnits: number): string {
  const digits = `${Math.abs(minorUnits)}`.padStart(3, '0')
  return `${minorUnits < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The days since 30 December 1899, by which a spreadsheet counts, of a local time. */
const serial = (seconds: number): number => seconds / 86_400 + 25_569

const textCell = (text: string, style: number): string =>
  `<c s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 cannot have them, and a text can
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A text of XML. `_x000D_` in a text is itself, and not a character (ECMA-376, section 22.9.2.19). */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_XML, '\ufffd')
    .replace(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replace(/\r/g, '_x000D_')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const CONTENT_TYPES = `${XML}<Types xmlns="${PACKAGE}/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Override PartName="/xl/workbook.xml" ContentType="${SHEET}.sheet.main+xml"/>\
<Override PartName="/xl/styles.xml" ContentType="${SHEET}.styles+xml"/>\
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET}.worksheet+xml"/></Types>`

const RELATIONS = `${XML}<Relationships xmlns="${PACKAGE}/relationships">\
<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`

const WORKBOOK_RELATIONS = `${XML}<Relationships xmlns="${PACKAGE}/relationships">\
<Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>\
<Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`

const workbookXml = (name: string): string => `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">\
<sheets><sheet name="${escaped(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`

/** Formats that every spreadsheet has, by their numbers: 49 a text, 4 `#,##0.00`, 14 a day, 22 a day with its time. */
const STYLES = `${XML}<styleSheet xmlns="${MAIN}">\
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>\
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>\
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>\
<cellXfs count="6"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>\
<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>\
${[49, 4, 14, 22].map((format) => `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`).join('')}\
</cellXfs></styleSheet>`
