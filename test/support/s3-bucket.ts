// A bucket of S3 on 127.0.0.1, in memory, with S3's documented conditions and lists: for instances of a cluster. It does to
// requests what networks and stores do. Signatures are not verified: the access key tells which instance asks.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { portOf } from './ports.ts'

/** What happens to requests: `lost-answer` does the work and then cuts the connection, `silent` never answers. */
export type BucketFault = '500' | 'reset' | 'lost-answer' | 'silent'

/** How an instance's requests fare. */
export interface Weather {
  delayMs?: number
  /** Of each request. */
  fault?(request: BucketRequest): BucketFault | undefined
}

export interface BucketRequest {
  /** The access key of the one who asks. */
  by: string
  method: string
  /** The key of the object; of a list, its prefix. */
  key: string
  isList: boolean
}

export interface Bucket {
  /** `http://127.0.0.1:…`, the endpoint. */
  url: string
  /** What a program is told to reach it. @param id the access key of the program */
  settings(id: string): Record<string, string>
  /** The objects by their keys. */
  objects: ReadonlyMap<string, Buffer>
  /** Every request that came, in their order. */
  requests: BucketRequest[]
  /** Sets how requests fare, of one instance by its access key, or of all; no weather is a fair one. */
  weather(of: string | 'all', weather?: Weather): void
  /** Loses all objects. */
  lose(): void
  close(): void
}

/** Starts a bucket, which has this name. */
export async function s3Bucket(name: string): Promise<Bucket> {
  const objects = new Map<string, Buffer>()
  const weathers = new Map<string, Weather>()
  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy())
  })
  // A client may keep a connection for longer than Node does by default.
  server.keepAliveTimeout = 120_000

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = requestOf(request, name)
    bucket.requests.push(asked)
    const { delayMs, fault } = weathers.get(asked.by) ?? weathers.get('all') ?? {}
    const body = await buffer(request)
    if (delayMs !== undefined) await sleep(delayMs)
    const what = fault?.(asked)
    if (what === 'silent') return
    if (what === 'reset') return void request.socket.resetAndDestroy()
    const done = what === '500' ? error(500, 'InternalError') : operate(objects, asked, request, body)
    if (what === 'lost-answer') return void request.socket.resetAndDestroy()
    const { status, headers = {}, content = '' } = done
    response.writeHead(status, { ...headers, 'x-amz-request-id': '0' })
    response.end(request.method === 'HEAD' ? undefined : content)
  }

  const url = `http://127.0.0.1:${await portOf(server)}`
  const bucket: Bucket = {
    url,
    settings: (id) => ({
      ...{ AWS_ENDPOINT_URL: url, AWS_REGION: 'auto' },
      ...{ AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: 'secret' },
    }),
    objects,
    requests: [],
    weather: (of, weather) => void (weather ? weathers.set(of, weather) : weathers.delete(of)),
    lose: () => objects.clear(),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return bucket
}

interface Answer {
  status: number
  headers?: Record<string, string>
  content?: string | Buffer
}

function requestOf(request: IncomingMessage, name: string): BucketRequest {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3')
  const by = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const [, bucket, ...path] = pathname.split('/').map(decodeURIComponent)
  if (bucket !== name) throw new Error(`the bucket is ${bucket}, must be ${name}`)
  const isList = searchParams.has('list-type')
  const key = isList ? (searchParams.get('prefix') ?? '') : path.join('/')
  return { by, method: request.method ?? '', key, isList }
}

function operate(
  objects: Map<string, Buffer>,
  { method, key, isList, by }: BucketRequest,
  { headers, url = '' }: IncomingMessage,
  body: Buffer,
): Answer {
  const { searchParams } = new URL(url, 'http://s3')
  if (by === '') return error(403, 'AccessDenied')
  if (isList) return list(objects, searchParams)
  const found = objects.get(key)
  const failed = failedCondition(method, headers, found)
  if (failed) return failed
  if (method === 'PUT' && searchParams.size === 0) {
    objects.set(key, body)
    return { status: 200, headers: { ETag: etagOf(body) } }
  }
  if (method === 'DELETE' && searchParams.size === 0) {
    objects.delete(key)
    return { status: 204 }
  }
  if (method !== 'GET' && method !== 'HEAD') return error(501, 'NotImplemented')
  if (!found) return error(404, 'NoSuchKey')
  return read(found, headers.range)
}

/** RFC 9110, and S3's own answers to conditional writes. */
function failedCondition(
  method: string,
  headers: IncomingMessage['headers'],
  found: Buffer | undefined,
): Answer | undefined {
  const isRead = method === 'GET' || method === 'HEAD'
  const ifMatch = headers['if-match']
  const ifNoneMatch = headers['if-none-match']
  if (ifMatch !== undefined && !found) return error(404, 'NoSuchKey')
  if (ifMatch !== undefined && found && ifMatch !== '*' && ifMatch !== etagOf(found))
    return PRECONDITION_FAILED
  if (ifNoneMatch !== undefined && found && (ifNoneMatch === '*' || ifNoneMatch === etagOf(found))) {
    return isRead ? { status: 304, headers: { ETag: etagOf(found) } } : PRECONDITION_FAILED
  }
  return undefined
}

function read(found: Buffer, range: string | undefined): Answer {
  const headers = {
    ETag: etagOf(found),
    'Content-Type': 'application/octet-stream',
    'Last-Modified': new Date().toUTCString(),
  }
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (from === undefined || to === undefined) {
    return { status: 200, headers: { ...headers, 'Content-Length': `${found.length}` }, content: found }
  }
  const start = from === '' ? Math.max(found.length - Number(to), 0) : Number(from)
  const end = from === '' || to === '' ? found.length - 1 : Math.min(Number(to), found.length - 1)
  if (start > end) return error(416, 'InvalidRange')
  return {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${start}-${end}/${found.length}` },
    content: found.subarray(start, end + 1),
  }
}

/** ListObjectsV2, in the order of the keys' bytes. */
function list(objects: ReadonlyMap<string, Buffer>, query: URLSearchParams): Answer {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
  const limit = Number(query.get('max-keys') ?? 1000)
  const entries = new Set<string>()
  for (const key of [...objects.keys()].toSorted(byBytes)) {
    if (!key.startsWith(prefix)) continue
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const entry = end < 0 ? key : key.slice(0, end + delimiter.length)
    if (byBytes(entry, after) > 0) entries.add(entry)
  }
  const page = [...entries].slice(0, limit)
  const isTruncated = entries.size > page.length
  const contents = page.flatMap((key) => {
    const content = objects.get(key)
    if (!content) return []
    const fields = `<Key>${xml(key)}</Key><ETag>${xml(etagOf(content))}</ETag><Size>${content.length}</Size>`
    return `<Contents>${fields}<LastModified>${new Date().toISOString()}</LastModified></Contents>`
  })
  const prefixes = page
    .filter((entry) => !objects.has(entry))
    .map((entry) => `<CommonPrefixes><Prefix>${xml(entry)}</Prefix></CommonPrefixes>`)
  const next = isTruncated ? `<NextContinuationToken>${xml(page.at(-1) ?? '')}</NextContinuationToken>` : ''
  const content = `<?xml version="1.0"?><ListBucketResult><Prefix>${xml(prefix)}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${limit}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}${prefixes.join('')}</ListBucketResult>`
  return { status: 200, headers: { 'Content-Type': 'application/xml' }, content }
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const etagOf = (content: Buffer): string => `"${createHash('md5').update(content).digest('hex')}"`

const error = (status: number, code: string): Answer => ({
  status,
  headers: { 'Content-Type': 'application/xml' },
  content: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>made up</Message></Error>`,
})

const PRECONDITION_FAILED = error(412, 'PreconditionFailed')

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
