import { expect, it } from 'vitest'
import { terminalQrCode } from '../../../bin/start/terminal-qr-code.ts'
import { link, paint, read } from '../../qr/reading.ts'

const [COLORS, RESET] = ['\u001b[97;40m', '\u001b[0m']
/** Pixels for a module. */
const SCALE = 3

it('a QR code in the terminal is dark on light in its own colors, and decoders read it', () => {
  const text = link(1)
  const lines = terminalQrCode(text)
    .split('\n')
    .map((line) => line.replace(COLORS, '').replace(RESET, ''))
  expect(terminalQrCode(text)).toBe(lines.map((line) => COLORS + line + RESET).join('\n'))
  const width = lines[0]?.length ?? 0
  expect(lines.map((line) => line.length)).toEqual(lines.map(() => width))
  // The last line is the lower half of no module: the terminal's, not the picture's.
  const isDark = (x: number, y: number) =>
    y < width && (y % 2 === 0 ? ' ▄' : ' ▀').includes(lines[y >> 1]?.[x] ?? '█')
  expect(
    read(paint(width * SCALE, width * SCALE, (x, y) => isDark(Math.floor(x / SCALE), Math.floor(y / SCALE)))),
  ).toEqual({ jsqr: text, qr: text })
  const quiet = [0, 1, 2, 3, width - 4, width - 3, width - 2, width - 1]
  const all = Array.from({ length: width }, (_, n) => n)
  expect(quiet.some((q) => all.some((n) => isDark(q, n) || isDark(n, q)))).toBe(false)
})
