// The QR code that npm start creates, and the text that it prints about it.
import type { Config } from '../../src/config.ts'
import { ErrorAnswer } from '../../src/contract/error-answer.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { isSandbox } from '../../src/gateway/connection.ts'
import { LOOPBACK } from './addresses.ts'
import { terminalQrCode } from './terminal-qr-code.ts'

interface DemoOptions {
  /** The address of the service. */
  address: string
  /** The one-time link to the console. */
  signIn: string
  token: string
  config: Config
}

/** Creates a QR code of site `demo`. @returns the text to print; it has secrets, because it is for this terminal only */
export async function createDemo({ address, signIn, token, config }: DemoOptions): Promise<string> {
  const url = `${address}/payin/v1/sites/demo/sbp/qrCodes`
  const qrCodeUid = `demo-${Date.now()}`
  const body = JSON.stringify({
    qrCodeUid,
    qrCode: { type: 'DYNAMIC' },
    amount: { value: '1.00', currency: config.homeCurrency },
    paymentPurpose: 'A demonstration',
  })
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body,
  })
  if (!response.ok) {
    const { description } = ErrorAnswer.parse(await response.json())
    return `The service listens on ${address}. No QR code was created: ${response.status}, ${description}`
  }
  const { payload } = QrCodeAnswer.parse(await response.json()).qrCode
  return `
A QR code for 1.00 ${config.homeCurrency}, created just now:

${terminalQrCode(payload)}
${phoneHint(payload)}
A token of site demo, for the two requests below:

TOKEN=${token}

Send this request again and get the same QR code; another qrCodeUid creates another one:

curl -sS '${url}' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '${body}'

Its state:

curl -sS '${url}/${qrCodeUid}' -H "Authorization: Bearer $TOKEN"

Its site in the console, by a link that works once, within ten minutes:

${signIn}

The API, to read: ${address}/docs

${linkHeading(payload, config, address)}

${payload}
`
}

/** A link to loopback leads a phone to the phone itself. */
function phoneHint(payload: string): string {
  return LOOPBACK.includes(new URL(payload).hostname)
    ? '\nA phone cannot open it. For a phone in the same network: npm start -- --ip 0.0.0.0\n'
    : ''
}

function linkHeading(payload: string, config: Config, address: string): string {
  if (!payload.startsWith(`${config.publicUrl ?? address}/`)) {
    return 'Its link points to LINK_BASE_URL, where this QR code is not registered:'
  }
  return isSandbox(config, 'demo') ? 'The payer’s page, where the sandbox bank pays it:' : 'The payer’s page:'
}
