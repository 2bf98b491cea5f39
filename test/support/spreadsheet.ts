// Files opened by LibreOffice without a window: the cells of their first sheet.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A type of the OpenDocument format, a value, and the formula of a cell that has one. */
export interface SheetCell {
  type: string
  value: string
  formula: string | undefined
}

/** The program of the package libreoffice-calc-nogui. */
export const hasLibreOffice = (): boolean => spawnSync('soffice', ['--version']).status === 0

/** Columns by `;`, texts in `"`, the encoding, from the first line, the Russian locale, numbers and dates recognised: as by a double click. */
const filterOf = (encoding: 'utf-8' | 'windows-1251'): string =>
  `CSV:59,34,${encoding === 'utf-8' ? 76 : 34},1,,1049,false,true`

/** @param directory for the file and the profile @param encoding of CSV; without it the file is a spreadsheet */
export function sheetOf(
  directory: string,
  file: { name: string; bytes: Uint8Array | string; encoding?: 'utf-8' | 'windows-1251' },
): SheetCell[][] {
  const { name, bytes, encoding } = file
  const path = join(directory, `${name}.${encoding ? 'csv' : 'xlsx'}`)
  writeFileSync(path, bytes)
  const filter = encoding ? [`--infilter=${filterOf(encoding)}`] : []
  const profile = `-env:UserInstallation=file://${join(directory, 'profile')}`
  const options = [profile, '--headless', ...filter, '--convert-to', 'fods', '--outdir', directory, path]
  execFileSync('soffice', options, { stdio: 'ignore' })
  const sheet = readFileSync(join(directory, `${name}.fods`), 'utf8')
  return Array.from(sheet.matchAll(/<table:table-row .*?<\/table:table-row>/gs), ([row]) => cellsOf(row))
}

const cellsOf = (row: string): SheetCell[] =>
  Array.from(
    row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs),
    ([, attributes = '', content = '']) => {
      const of = (attribute: string) => new RegExp(`${attribute}="([^"]*)"`).exec(attributes)?.[1]
      const value = of('office:value') ?? of('office:date-value') ?? content.replaceAll(/<[^>]*>|\s/g, '')
      const cell = { type: of('office:value-type') ?? '', value, formula: of('table:formula') }
      // The rest of a row is one cell that is repeated sixteen thousand times.
      const count = Math.min(Number(of('table:number-columns-repeated') ?? 1), 100)
      return Array.from({ length: count }, () => cell)
    },
  ).flat()
