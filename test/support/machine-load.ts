// A load inside a Debian machine, by the Node of a release: connections create QR codes and read them through nginx, until SIGTERM.
// It writes a line for each answer. In the end it reads each code again whose create was acknowledged.
import { setTimeout as sleep } from 'node:timers/promises'

const CODES = 'https://qr.acquirer.example/payin/v1/sites/tea/sbp/qrCodes'
const HEADERS = { Authorization: `Bearer ${process.env.TOKEN}`, 'Content-Type': 'application/json' }
const CONNECTIONS = 4
/** Together the connections send fewer than the 100 requests a second that nginx allows an address. */
const [PAUSE_MS, PAUSE_IN_THE_END_MS] = [100, 15]

/** Microseconds of the clock of systemd's properties `…Monotonic`. */
const now = () => Number(process.hrtime.bigint() / 1000n)

async function ask(what: string, path: string, init: RequestInit = {}): Promise<boolean> {
  const from = now()
  const status = await fetch(`${CODES}${path}`, { ...init, headers: HEADERS })
    .then((response) => response.text().then(() => String(response.status)))
    .catch((error) => `${error} ${error.cause}`)
  console.log(JSON.stringify({ kind: `${what} ${status}`, from, to: now() }))
  return status === '200'
}

let hasEnded = false
process.once('SIGTERM', () => {
  hasEnded = true
})
const acknowledged: string[] = []
const connections = Array.from({ length: CONNECTIONS }, async () => {
  while (!hasEnded) {
    const qrCodeUid = crypto.randomUUID()
    const body = JSON.stringify({ qrCodeUid, qrCode: { type: 'DYNAMIC' }, amount: { value: '10.00' } })
    if (await ask('create', '', { method: 'POST', body })) acknowledged.push(qrCodeUid)
    await ask('read', `/${qrCodeUid}`)
    await sleep(PAUSE_MS)
  }
})
await Promise.all(connections)
for (const qrCodeUid of acknowledged) {
  await ask('find', `/${qrCodeUid}`)
  await sleep(PAUSE_IN_THE_END_MS)
}
