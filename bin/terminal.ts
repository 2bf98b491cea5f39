// A QR code in a terminal: two modules a character, dark on light whatever the terminal's colours are.
import { encode } from '../src/qr/encode.ts'
import { QUIET_ZONE } from '../src/qr/symbol.ts'

const BLACK_ON_WHITE = '\u001b[30;107m'
const RESET = '\u001b[0m'

/** The symbol of a text with its quiet zone, a line for every two rows of modules. */
export function terminalQrCode(text: string): string {
  const { size, rows } = encode(text)
  const words = Math.ceil(size / 32)
  const isDark = (x: number, y: number) =>
    x >= 0 && x < size && y >= 0 && y < size && (((rows[y * words + (x >> 5)] ?? 0) >>> (x & 31)) & 1) === 1

  const lines: string[] = []
  for (let y = -QUIET_ZONE; y < size + QUIET_ZONE; y += 2) {
    let line = ''
    for (let x = -QUIET_ZONE; x < size + QUIET_ZONE; x++) {
      line += isDark(x, y) ? (isDark(x, y + 1) ? '█' : '▀') : isDark(x, y + 1) ? '▄' : ' '
    }
    lines.push(BLACK_ON_WHITE + line + RESET)
  }
  return lines.join('\n')
}
