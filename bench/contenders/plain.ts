// The plain Worker: the same service as a good developer writes it at first. One insert per call, uqr as it comes.
import { DurableObject } from 'cloudflare:workers'
import { crc32, deflateSync } from 'node:zlib'
import { Hono } from 'hono'
import { jwt } from 'hono/jwt'
import { encode, renderSVG } from 'uqr'
import * as z from 'zod'
import { formatLink } from '../../src/fps/link.ts'

interface Env {
  SITES: DurableObjectNamespace<Site>
  TOKEN_SECRET: string
  CURRENCIES: string
  BANK_MEMBER_ID: string
}

const QrCodeRequest = z.object({
  qrCodeUid: z.string().min(1).max(200),
  qrCode: z.object({
    type: z.literal('DYNAMIC'),
    ttl: z.int().min(1).max(129_600).default(4320),
    image: z
      .object({
        mediaType: z.enum(['image/png', 'image/svg+xml']),
        width: z.int().min(100).max(2000),
        height: z.int().min(100).max(2000),
      })
      .optional(),
  }),
  amount: z.object({ value: z.number().positive(), currency: z.literal('RUB') }),
  paymentPurpose: z.string().max(140).optional(),
  redirectUrl: z.url().max(1000).optional(),
})
type QrCodeRequest = z.output<typeof QrCodeRequest>

interface Kept {
  payload: string
  createdAt: number
}

interface Row extends Record<string, SqlStorageValue> {
  type: string
  ttl: number
  minorUnits: number
  currency: string
  payload: string
  status: string
  createdAt: number
}

export class Site extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.storage.sql.exec(
      `CREATE TABLE IF NOT EXISTS qr_codes (
        id INTEGER PRIMARY KEY,
        qr_code_uid TEXT NOT NULL UNIQUE,
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
        created_at INTEGER NOT NULL
      )`,
    )
  }

  create({ qrCodeUid, qrCode, amount, ...request }: QrCodeRequest, payload: string): Kept {
    const { sql } = this.ctx.storage
    const createdAt = Date.now()
    const { rowsWritten } = sql.exec(
      `INSERT INTO qr_codes (qr_code_uid, type, ttl, media_type, width, height, minor_units, currency,
        payment_purpose, redirect_url, payload, status, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'CREATED', ?) ON CONFLICT DO NOTHING`,
      qrCodeUid,
      qrCode.type,
      qrCode.ttl,
      qrCode.image?.mediaType ?? null,
      qrCode.image?.width ?? null,
      qrCode.image?.height ?? null,
      Math.round(amount.value * 100),
      amount.currency,
      request.paymentPurpose ?? null,
      request.redirectUrl ?? null,
      payload,
      createdAt,
    )
    if (rowsWritten > 0) return { payload, createdAt }
    return sql
      .exec<{ payload: string; createdAt: number }>(
        'SELECT payload, created_at AS createdAt FROM qr_codes WHERE qr_code_uid = ?',
        qrCodeUid,
      )
      .one()
  }

  read(qrCodeUid: string): Row | undefined {
    const [row] = this.ctx.storage.sql.exec<Row>(
      `SELECT type, ttl, minor_units AS minorUnits, currency, payload, status, created_at AS createdAt
      FROM qr_codes WHERE qr_code_uid = ?`,
      qrCodeUid,
    )
    return row
  }
}

const app = new Hono<{ Bindings: Env; Variables: { jwtPayload: { sub?: string } } }>()
app.use('/payin/v1/*', (c, next) => jwt({ secret: c.env.TOKEN_SECRET, alg: 'HS256' })(c, next))
app.post('/payin/v1/sites/:siteId/sbp/qrCodes', async (c) => {
  const siteId = c.req.param('siteId')
  if (c.get('jwtPayload').sub !== siteId) return c.json({ error: 'forbidden' }, 403)
  const parsed = QrCodeRequest.safeParse(await c.req.json().catch(() => undefined))
  if (!parsed.success) return c.json({ error: z.prettifyError(parsed.error) }, 400)
  const request = parsed.data
  const link = formatLink({
    base: `${new URL(c.req.url).origin}/pay/${siteId}`,
    id: `AD1000${crypto.randomUUID().replaceAll('-', '').slice(6).toUpperCase()}`,
    type: 'DYNAMIC',
    bank: c.env.BANK_MEMBER_ID,
    amount: { minorUnits: Math.round(request.amount.value * 100), currency: request.amount.currency },
  })
  const { payload, createdAt } = await c.env.SITES.getByName(siteId).create(request, link)
  const { image, ...qrCode } = request.qrCode
  console.log(JSON.stringify({ time: new Date(), method: c.req.method, path: c.req.path, status: 200 }))
  return c.json({
    qrCodeUid: request.qrCodeUid,
    qrCode: {
      ...qrCode,
      ...(image && { image: { ...image, content: draw(image, payload) } }),
      payload,
      status: 'CREATED',
    },
    createdOn: new Date(createdAt).toISOString(),
    amount: { value: request.amount.value.toFixed(2), currency: request.amount.currency },
  })
})
app.get('/payin/v1/sites/:siteId/sbp/qrCodes/:qrCodeUid', async (c) => {
  const { siteId, qrCodeUid } = c.req.param()
  if (c.get('jwtPayload').sub !== siteId) return c.json({ error: 'forbidden' }, 403)
  const row = await c.env.SITES.getByName(siteId).read(qrCodeUid)
  if (!row) return c.json({ error: 'not found' }, 404)
  console.log(JSON.stringify({ time: new Date(), method: c.req.method, path: c.req.path, status: 200 }))
  const { type, ttl, payload, status } = row
  return c.json({
    qrCodeUid,
    qrCode: { type, ttl, payload, status },
    createdOn: new Date(row.createdAt).toISOString(),
    amount: { value: (row.minorUnits / 100).toFixed(2), currency: row.currency },
  })
})
export default app

const QR = { ecc: 'M', boostEcc: true, border: 4 } as const

function draw({ mediaType, width }: NonNullable<QrCodeRequest['qrCode']['image']>, payload: string): string {
  const image =
    mediaType === 'image/png' ? png(encode(payload, QR).data, width) : Buffer.from(renderSVG(payload, QR))
  return image.toString('base64')
}

/** A square PNG of one bit per pixel. */
function png(modules: boolean[][], side: number): Buffer {
  const scale = Math.floor(side / modules.length)
  const margin = Math.floor((side - scale * modules.length) / 2)
  const stride = 1 + Math.ceil(side / 8)
  const pixels = Buffer.alloc(stride * side, 0xff)
  for (let y = 0; y < side; y++) {
    pixels[y * stride] = 0
    const row = modules[Math.floor((y - margin) / scale)]
    if (!row) continue
    for (let x = 0; x < side; x++) {
      if (!row[Math.floor((x - margin) / scale)]) continue
      const at = y * stride + 1 + (x >> 3)
      pixels[at] = (pixels[at] ?? 0) & ~(0x80 >> (x & 7))
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = 1
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length)
  bytes.write(type, 4, 'latin1')
  data.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}
