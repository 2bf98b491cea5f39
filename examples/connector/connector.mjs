// Connects the service to a payment network: takes instructions, has each carried out once, and reports the results.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'

const { SERVICE_URL = 'http://127.0.0.1:8787', DATA = '.', PORT = '3001' } = process.env
/** The service's NETWORK_SECRET; while it is replaced, both secrets, separated by a comma. */
const WEBHOOKS = (process.env.NETWORK_SECRET ?? '').split(',').map((secret) => new Webhook(secret))
const siteOf = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url')).sub
/** Access tokens of the scope `network` by site, which the token names: one for each site, separated by commas. */
const TOKENS = new Map((process.env.NETWORK_TOKENS ?? '').split(',').map((token) => [siteOf(token), token]))
const MAX_BYTES = 65_536
const MAX_DELAY_MS = 60_000
/** How long the stand-in for the network takes for each answer. */
const NETWORK_MS = Number(process.env.NETWORK_MS ?? 20)

/** By the type of an instruction: where its result is reported, and what the stand-in for the network makes of it. */
const TYPES = {
  'refund.create': {
    report: ({ paymentUid, refundUid }) => `payments/${paymentUid}/refunds/${refundUid}`,
    // With its amount, the service records it even if a restored backup does not have the request.
    result: ({ amount }) => ({ status: 'COMPLETED', amount }),
  },
  'payment.charge': {
    report: ({ qrcId, paymentUid }) => `qrCodes/${qrcId}/payments/${paymentUid}`,
    // After that time it must not be executed for the first time.
    result: ({ amount, expiresOn }) =>
      Date.now() < Date.parse(expiresOn)
        ? { status: 'COMPLETED', amount }
        : { status: 'DECLINED', amount, reason: 'expired' },
  },
  'token.delete': {
    report: ({ qrcId, bindingUid }) => `qrCodes/${qrcId}/bindings/${bindingUid}`,
    result: () => ({ status: 'DELETED' }),
  },
}

// The instructions: what was answered with 2xx is here, on disk. `result` is the network's, as it is reported.
const database = new DatabaseSync(join(DATA, 'connector.sqlite'))
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS instructions (
    key TEXT PRIMARY KEY,
    instruction TEXT NOT NULL,
    result TEXT,
    is_reported INTEGER NOT NULL DEFAULT 0
  ) STRICT`)
// After the service was restored from a backup: it may have lost any report since.
if (process.env.REPORT_AGAIN) database.exec('UPDATE instructions SET is_reported = 0')
// A repeat of what was reported says that the service has lost the report: it is reported again.
const store = database.prepare(
  'INSERT INTO instructions (key, instruction) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET is_reported = 0',
)
const read = database.prepare('SELECT instruction, result FROM instructions WHERE key = ?')
const storeResult = database.prepare('UPDATE instructions SET result = ? WHERE key = ?')
const storeReported = database.prepare('UPDATE instructions SET is_reported = 1 WHERE key = ?')
const unfinished = database.prepare('SELECT key FROM instructions WHERE is_reported = 0')
/** The service is resumed after a restore only at 0: what the network still works on, it does not know. */
const printUnfinished = () => console.log(`not reported yet: ${unfinished.all().length}`)

/** What identifies an instruction, however often it is sent: all of its repeats are one. */
function keyOf({ type, data }) {
  return JSON.stringify([type, data.siteId, data.paymentUid ?? data.bindingUid, data.refundUid ?? null])
}

// A stand-in for the network. Here the acquirer's own system is called: it must accept the key as its idempotency key, or
// find an execution by it. Otherwise nobody knows after a crash whether the money has moved.
const EXECUTIONS = join(DATA, 'executions.jsonl')

function findExecution(key) {
  const lines = existsSync(EXECUTIONS) ? readFileSync(EXECUTIONS, 'utf8').split('\n') : []
  return lines.flatMap((line) => (line ? [JSON.parse(line)] : [])).find((execution) => execution.key === key)
}

async function execute(key, { type, data }) {
  let execution = findExecution(key)
  if (!execution) {
    execution = { key, result: TYPES[type].result(data) }
    appendFileSync(EXECUTIONS, `${JSON.stringify(execution)}\n`)
  }
  await sleep(NETWORK_MS) // The money has moved, and the answer takes its time: a crash can come in between.
  return execution.result
}

/** The instruction, if one of the secrets signed its id, its body and a time of the last five minutes; else undefined. */
function verify(headers, body) {
  for (const webhook of WEBHOOKS) {
    try {
      return webhook.verify(body, headers)
    } catch {}
  }
}

const server = createServer(async (request, response) => {
  const refuse = (status, reason) => {
    console.error(`${status}: ${reason}`)
    response.writeHead(status).end()
  }
  if (!(Number(request.headers['content-length']) <= MAX_BYTES)) return refuse(413, 'over 64 KiB')
  const body = await text(request).catch(() => '')
  const instruction = verify(request.headers, body)
  if (!instruction) return refuse(401, 'none of the secrets signed it in the last five minutes')
  // What cannot be carried out or reported is not taken: the service sends it again.
  const { type, data } = instruction
  if (!(type in TYPES)) return refuse(501, `the type ${type} is not known`)
  if (!TOKENS.has(data.siteId)) return refuse(503, `there is no token of the site ${data.siteId}`)
  const key = keyOf(instruction)
  store.run(key, body)
  response.writeHead(202).end()
  finish(key)
})

const running = new Set() // The keys of the instructions that this process works on.

/** Carries out an instruction, and reports the result until the service has accepted it. */
async function finish(key) {
  if (running.has(key)) return
  running.add(key)
  for (let delay = 500; ; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
    try {
      await carryOut(key)
      break
    } catch (error) {
      console.error(`${key}: ${error.message}, again in ${delay / 1000} s`)
      await sleep(delay)
    }
  }
  running.delete(key)
}

async function carryOut(key) {
  const row = read.get(key)
  const instruction = JSON.parse(row.instruction)
  const { type, data } = instruction
  const report = row.result ?? JSON.stringify(await execute(key, instruction))
  storeResult.run(report, key)
  const response = await fetch(`${SERVICE_URL}/network/v1/sites/${data.siteId}/${TYPES[type].report(data)}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${TOKENS.get(data.siteId)}`, 'Content-Type': 'application/json' },
    body: report,
    signal: AbortSignal.timeout(10_000),
  })
  const answer = await response.text()
  if (!response.ok) throw new Error(`the report got ${response.status} ${answer}`)
  storeReported.run(key)
  console.log(`reported ${key}`)
  printUnfinished()
}

printUnfinished()
// What an earlier process left.
for (const { key } of unfinished.all()) finish(key)

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
