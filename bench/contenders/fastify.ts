// The same service in Node: Fastify, SQLite that answers only for what is on disk, and qrcode.
import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import { writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import Fastify, { LogController } from 'fastify'
import QRCode from 'qrcode'
import { formatLink } from '../../src/fps/link.ts'

const { TOKEN_SECRET = '', DATABASE = '', BANK_MEMBER_ID = '100000000000' } = process.env

interface Image {
  mediaType: 'image/png' | 'image/svg+xml'
  width: number
  height: number
}

interface QrCodeRequest {
  qrCodeUid: string
  qrCode: { type: 'DYNAMIC'; ttl: number; image?: Image }
  amount: { value: number; currency: string }
  paymentPurpose?: string
  redirectUrl?: string
}

const database = new DatabaseSync(DATABASE)
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS qr_codes (
    id INTEGER PRIMARY KEY,
    site_id TEXT NOT NULL,
    qr_code_uid TEXT NOT NULL,
    type TEXT NOT NULL,
    ttl INTEGER NOT NULL,
    media_type TEXT,
    width INTEGER,
    height INTEGER,
    minor_units INTEGER NOT NULL,
    currency TEXT NOT NULL,
    payment_purpose TEXT,
    redirect_url TEXT,
    payload TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (site_id, qr_code_uid)
  ) STRICT`)
const insert = database.prepare(
  `INSERT INTO qr_codes (site_id, qr_code_uid, type, ttl, media_type, width, height, minor_units, currency,
    payment_purpose, redirect_url, payload, status, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'CREATED', ?) ON CONFLICT DO NOTHING`,
)
const find = database.prepare(
  'SELECT payload, created_at FROM qr_codes WHERE site_id = ? AND qr_code_uid = ?',
)

const read = database.prepare(
  `SELECT type, ttl, minor_units, currency, payload, status, created_at
  FROM qr_codes WHERE site_id = ? AND qr_code_uid = ?`,
)

const key = createSecretKey(TOKEN_SECRET, 'utf8')

/** The site of a live token that is signed with HS256. */
function siteOf(authorization = ''): string | undefined {
  const [, header, payload, signature] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization) ?? []
  if (!header || !payload || !signature) return undefined
  const expected = createHmac('sha256', key).update(`${header}.${payload}`).digest()
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  if (JSON.parse(Buffer.from(header, 'base64url').toString()).alg !== 'HS256') return undefined
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return claims.exp > Date.now() / 1000 ? claims.sub : undefined
}

async function draw({ mediaType, width }: Image, payload: string): Promise<string> {
  const options = { errorCorrectionLevel: 'M', margin: 4, width } as const
  const image =
    mediaType === 'image/png'
      ? await QRCode.toBuffer(payload, { ...options, type: 'png' })
      : Buffer.from(await QRCode.toString(payload, { ...options, type: 'svg' }))
  return image.toString('base64')
}

const image = {
  type: 'object',
  required: ['mediaType', 'width', 'height'],
  properties: {
    mediaType: { enum: ['image/png', 'image/svg+xml'] },
    width: { type: 'integer', minimum: 100, maximum: 2000 },
    height: { type: 'integer', minimum: 100, maximum: 2000 },
  },
} as const
const body = {
  type: 'object',
  required: ['qrCodeUid', 'qrCode', 'amount'],
  properties: {
    qrCodeUid: { type: 'string', minLength: 1, maxLength: 200 },
    qrCode: {
      type: 'object',
      required: ['type'],
      properties: {
        type: { const: 'DYNAMIC' },
        ttl: { type: 'integer', minimum: 1, maximum: 129_600, default: 4320 },
        image,
      },
    },
    amount: {
      type: 'object',
      required: ['value'],
      properties: {
        value: { type: 'number', minimum: 0.01, maximum: 999_999_999.99 },
        currency: { enum: ['RUB'], default: 'RUB' },
      },
    },
    paymentPurpose: { type: 'string', maxLength: 140 },
    redirectUrl: { type: 'string', format: 'uri', maxLength: 1000 },
  },
} as const
const answer = {
  type: 'object',
  properties: {
    qrCodeUid: { type: 'string' },
    qrCode: {
      type: 'object',
      properties: {
        type: { type: 'string' },
        ttl: { type: 'integer' },
        image: {
          type: 'object',
          properties: {
            mediaType: { type: 'string' },
            width: { type: 'integer' },
            height: { type: 'integer' },
            content: { type: 'string' },
          },
        },
        payload: { type: 'string' },
        status: { type: 'string' },
      },
    },
    createdOn: { type: 'string' },
    amount: {
      type: 'object',
      properties: { value: { type: 'string' }, currency: { type: 'string' } },
    },
  },
} as const

// One line per request, as the product has it, and not the two that are the default.
const logController = new LogController({ disableRequestLogging: true })
const app = Fastify({ logger: true, logController, bodyLimit: 64 * 1024 })
app.addHook('onResponse', async ({ log, method, routeOptions }, { statusCode, elapsedTime }) => {
  log.info({ method, route: routeOptions.url, status: statusCode, ms: elapsedTime })
})
app.addHook<{ Params: { siteId: string } }>('onRequest', async (request, reply) => {
  const site = siteOf(request.headers.authorization)
  if (!site) return reply.code(401).send({ error: 'unauthorized' })
  if (site !== request.params.siteId) return reply.code(403).send({ error: 'forbidden' })
})
app.post<{ Params: { siteId: string }; Body: QrCodeRequest }>(
  '/payin/v1/sites/:siteId/sbp/qrCodes',
  { schema: { body, response: { 200: answer } } },
  async ({ params: { siteId }, host, protocol, body: spec }) => {
    const minor_units = Math.round(spec.amount.value * 100)
    let createdAt = Date.now()
    let payload = formatLink({
      base: `${protocol}://${host}/pay/${siteId}`,
      id: `AD1000${randomBytes(13).toString('hex').toUpperCase()}`,
      type: 'DYNAMIC',
      bank: BANK_MEMBER_ID,
      amount: { minorUnits: minor_units, currency: spec.amount.currency },
    })
    const { changes } = insert.run(
      siteId,
      spec.qrCodeUid,
      spec.qrCode.type,
      spec.qrCode.ttl,
      spec.qrCode.image?.mediaType ?? null,
      spec.qrCode.image?.width ?? null,
      spec.qrCode.image?.height ?? null,
      minor_units,
      spec.amount.currency,
      spec.paymentPurpose ?? null,
      spec.redirectUrl ?? null,
      payload,
      createdAt,
    )
    if (changes === 0) {
      const kept = find.get(siteId, spec.qrCodeUid)
      payload = String(kept?.payload)
      createdAt = Number(kept?.created_at)
    }
    const { image: asked, ...qrCode } = spec.qrCode
    return {
      qrCodeUid: spec.qrCodeUid,
      qrCode: {
        ...qrCode,
        ...(asked && { image: { ...asked, content: await draw(asked, payload) } }),
        payload,
        status: 'CREATED',
      },
      createdOn: new Date(createdAt).toISOString(),
      amount: { value: spec.amount.value.toFixed(2), currency: spec.amount.currency },
    }
  },
)

app.get<{ Params: { siteId: string; qrCodeUid: string } }>(
  '/payin/v1/sites/:siteId/sbp/qrCodes/:qrCodeUid',
  { schema: { response: { 200: answer } } },
  async ({ params: { siteId, qrCodeUid } }, reply) => {
    const row = read.get(siteId, qrCodeUid)
    if (!row) return reply.code(404).send({ error: 'not found' })
    const { type, ttl, payload, status } = row
    return {
      qrCodeUid,
      qrCode: { type, ttl, payload, status },
      createdOn: new Date(Number(row.created_at)).toISOString(),
      amount: { value: (Number(row.minor_units) / 100).toFixed(2), currency: row.currency },
    }
  },
)

const address = await app.listen({ host: '127.0.0.1', port: 0 })
writeSync(3, `${JSON.stringify({ port: Number(new URL(address).port) })}\n`)
