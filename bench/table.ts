// Tables on a terminal.

/** A table: the first column is text, the others are numbers, aligned to the right. A head of blanks is left out. */
export function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = head.join('') ? [head, ...rows] : rows
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const formatted = lines.map((line) =>
    line.map((cell, column) => {
      const width = widths[column] ?? 0
      return column === 0 ? cell.padEnd(width) : cell.padStart(width)
    }),
  )
  return [`\n${title}`, ...formatted.map((cells) => `  ${cells.join('  ').trimEnd()}`)].join('\n')
}

/** A number with as many digits as it deserves. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return value.toFixed(decimals)
}

/** The least and the greatest of the numbers. */
export const range = (values: readonly number[]): string =>
  `${figure(Math.min(...values))}–${figure(Math.max(...values))}`

/** How many times as large. */
export const times = (value: number): string => `× ${figure(value)}`

export const mebibytes = (bytes: number | undefined): string =>
  bytes === undefined ? '–' : `${figure(bytes / 2 ** 20)} MiB`
