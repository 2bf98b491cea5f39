// A QR code in a terminal, dark on light whatever the terminal's colors are.
import { renderUnicodeCompact } from 'uqr'
import { QUIET_ZONE } from '../../src/qr/symbol.ts'

// uqr draws light modules in the text color and dark ones in the background color.
const WHITE_ON_BLACK = '\u001b[97;40m'
const RESET = '\u001b[0m'

/** The QR code of a text with its quiet zone, a line for every two rows of modules. */
export const terminalQrCode = (text: string): string =>
  renderUnicodeCompact(text, { ecc: 'M', border: QUIET_ZONE }).replace(
    /^.*$/gm,
    `${WHITE_ON_BLACK}$&${RESET}`,
  )
