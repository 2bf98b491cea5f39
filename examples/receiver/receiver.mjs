// Receives notifications in Node: verifies each, stores it once, answers, and acts on it afterwards.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

/** The notification key; while it is replaced, both keys, separated by a comma. */
const KEYS = (process.env.NOTIFICATION_KEYS ?? '').split(',')
if (!KEYS.every((key) => key.startsWith('whsec_'))) {
  console.error('NOTIFICATION_KEYS must be one key that begins with whsec_, or two, separated by a comma')
  process.exit(1)
}
const WEBHOOKS = KEYS.map((key) => new Webhook(key))
const MAX_BYTES = 65_536

/** What `Signature` covers, by type. An amount has two fraction digits: 5.00. */
const SIGNED = {
  PAYMENT: ({ payment: p }) => [p.paymentId, p.createdDateTime, p.amount.value.toFixed(2)],
  REFUND: ({ refund: r }) => [r.refundId, r.createdDateTime, r.amount.value.toFixed(2)],
  TOKEN: ({ token: t }) => [t.merchantSiteUid, t.account, t.status.value, t.status.changedDateTime],
  QR_CODE: ({ qrCode: q }) => [q.merchantSiteUid, q.qrCodeUid, q.status.value, q.status.changedDateTime],
  RECEIPT: ({ receipt: r }) => [r.merchantSiteUid, r.receiptUid, r.status.value, r.status.changedDateTime],
  SETTLEMENT: ({ settlement: s }) => [
    s.merchantSiteUid,
    s.settlementUid,
    s.status.value,
    s.status.changedDateTime,
  ],
}

/** The notification, if one of the keys made both of its signatures; else an error says why not. */
function verify(headers, body) {
  let reason
  for (const [index, webhook] of WEBHOOKS.entries()) {
    try {
      // Covers the id, the time and the whole body; refuses what is older than five minutes.
      const notification = webhook.verify(body, headers)
      if (hasSignature(KEYS[index], headers.signature, notification)) return notification
      reason = 'Signature is of another key: only the active key makes it'
    } catch (error) {
      reason ??= error.message
    }
  }
  throw new Error(reason)
}

function hasSignature(key, signature, notification) {
  const values = SIGNED[notification.type](notification)
  const hex = createHmac('sha256', key.replace('whsec_', '')).update(values.join('|')).digest('hex')
  const [expected, actual] = [Buffer.from(hex), Buffer.from(signature ?? '')]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/**
 * The notifications, by `webhook-id`. In a real shop this is a table with a unique id, written before the answer: a
 * notification that was answered with 2xx is not sent again.
 */
const stored = new Map()

const server = createServer(async (request, response) => {
  if (!(Number(request.headers['content-length']) <= MAX_BYTES)) return response.writeHead(413).end()
  const body = await text(request).catch(() => '')
  let notification
  try {
    notification = verify(request.headers, body)
  } catch (error) {
    console.error(`401: ${error.message}`)
    return response.writeHead(401).end()
  }
  const id = request.headers['webhook-id']
  const isNew = !stored.has(id)
  stored.set(id, notification)
  response.writeHead(204).end()
  if (isNew) setImmediate(act, notification)
})

/** What may take its time: it runs after the answer. */
function act({ type, ...notification }) {
  console.log(LINES[type](notification))
}

/** What it does about each type; a token's value is a secret, so it is not shown. */
const LINES = {
  PAYMENT({ test, payment: { paymentId, qrCodeUid, applied, notAppliedReason, status, customFields } }) {
    if (test || customFields.test) return 'a test'
    if (!applied) return `refund ${paymentId}: ${notAppliedReason}`
    return status.value === 'SUCCESS' ? `deliver ${qrCodeUid}` : `${qrCodeUid} was declined`
  },
  REFUND({ refund: { refundId, paymentId, amount, status } }) {
    const result = status.value === 'SUCCESS' ? `: ${amount.value.toFixed(2)}` : ' was declined'
    return `refund ${refundId} of ${paymentId}${result}`
  },
  TOKEN: ({ token: { account, status } }) => `token for ${account || 'a customer'} is ${status.value}`,
  QR_CODE: ({ qrCode: { qrCodeUid, status } }) => `${qrCodeUid} is ${status.value}`,
  RECEIPT: ({ receipt: { paymentId, status } }) => `receipt of ${paymentId} is ${status.value}`,
  SETTLEMENT: ({ settlement: { settlementUid, status } }) => `settlement ${settlementUid} is ${status.value}`,
}

const PORT = Number(process.env.PORT ?? 3000)
server.on('error', (error) => {
  console.error(`cannot listen on port ${PORT}: ${error.message}`)
  process.exit(1)
})
server.listen(PORT, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
