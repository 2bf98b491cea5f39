// The bucket of a cluster: lists, reads and writes objects by S3's interface, with AWS's signature of requests, version 4.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { AwsV4Signer } from 'aws4fetch'
import * as z from 'zod'
import { readEnvFile } from '../options.ts'
import { reasonOf } from '../system-error.ts'

/** The settings of a bucket that are not in its address. */
export type BucketSettings = Partial<Record<string, string>>

export interface Bucket {
  /** The address as it was given: `s3://bucket/prefix`. */
  name: string
  /** The keys below a folder of the prefix, or with a delimiter the folders in it, without the prefix. */
  list(folder: string, options?: { delimiter?: '/'; limit?: number }): Promise<string[]>
  /** The text of an object; undefined if it does not exist. */
  read(key: string): Promise<string | undefined>
  write(key: string, text: string): Promise<void>
  remove(key: string): Promise<void>
}

/** The key of an object that exists while sites are loaded: an instance does not serve what an interrupted load has left. */
export const LOADING = 'fps-qr-loading'

/** A request to sign. */
interface SignedRequest {
  method: string
  url: URL
  body: string
  /** Besides those of the signature. */
  headers?: Record<string, string>
}

interface Credentials {
  id: string
  secret: string
  token?: string | undefined
}

/**
 * A bucket by its address and the settings that workerd reads too.
 * @param name `s3://bucket/prefix`, which clusterOf has checked
 * @throws Error where the credentials are missing
 */
export function openBucket(name: string, settings: BucketSettings): Bucket {
  const [, bucket = '', below = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(name) ?? []
  const prefix = below === '' ? '' : `${below}/`
  const region = settings.AWS_REGION ?? 'us-east-1'
  const endpoint = settings.AWS_ENDPOINT_URL ?? `https://s3.${region}.amazonaws.com`
  credentialsOf(settings)
  const base = `${endpoint.replace(/\/$/, '')}/${bucket}`

  async function send(method: string, path: string, body = '', allowed: readonly number[] = []) {
    const url = new URL(base + path)
    const headers = await signedHeaders({ method, url, body }, credentialsOf(settings), region, new Date())
    const response = await fetch(url, {
      method,
      headers,
      ...(method === 'PUT' && { body }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new Error(`the bucket ${name} does not answer at ${url.origin}: ${causeOf(error)}`)
    })
    const text = await response.text()
    if (!response.ok && !allowed.includes(response.status)) {
      const [, code = ''] = /<Code>([^<]*)<\/Code>/.exec(text) ?? []
      const answer = `the bucket ${name} answers ${response.status} ${code}`.trim()
      // Credentials that cannot list get it of an object that is not there.
      const hint = response.status === 403 ? `: ${PERMISSIONS}` : ''
      throw new BucketRefusal(answer + hint, response.status)
    }
    return { status: response.status, text }
  }
  const pathOf = (key: string) => `/${encodePath(prefix + key)}`

  return {
    name,
    async list(folder, { delimiter, limit } = {}) {
      const found: string[] = []
      for (let token: string | undefined; ; ) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: prefix + folder })
        if (delimiter) query.set('delimiter', delimiter)
        if (limit !== undefined) query.set('max-keys', String(limit))
        if (token !== undefined) query.set('continuation-token', token)
        const { text } = await send('GET', `/?${query}`)
        const pattern = delimiter
          ? /<CommonPrefixes>\s*<Prefix>([^<]*)<\/Prefix>/g
          : /<Contents>.*?<Key>([^<]*)<\/Key>/gs
        for (const [, key = ''] of text.matchAll(pattern)) found.push(unescaped(key).slice(prefix.length))
        const [, next] = /<NextContinuationToken>([^<]*)</.exec(text) ?? []
        if (next === undefined || limit !== undefined) return found
        token = unescaped(next)
      }
    },
    async read(key) {
      const { status, text } = await send('GET', pathOf(key), '', [404])
      return status === 404 ? undefined : text
    },
    async write(key, text) {
      await send('PUT', pathOf(key), text)
    },
    async remove(key) {
      await send('DELETE', pathOf(key))
    },
  }
}

const PERMISSIONS =
  'AWS_ACCESS_KEY_ID must be allowed to list the bucket, and to read, write and delete objects below the prefix'

/** The bucket answered, and refuses. */
class BucketRefusal extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

const TIMEOUT_MS = 30_000

/**
 * Waits until a bucket tells that it has no load that did not end: an instance would make the sites that it lacks anew.
 * @param report why it waits
 * @throws Error where it has one, or where the bucket refuses
 */
export async function untilLoaded(bucket: Bucket, report: (problem: string) => void): Promise<void> {
  for (;;) {
    try {
      if ((await bucket.read(LOADING)) === undefined) return
    } catch (error) {
      if (error instanceof BucketRefusal && !isTemporary(error.status)) throw error
      report(reasonOf(error))
      await sleep(RETRY_MS)
      continue
    }
    throw new Error(
      `${bucket.name} has a load of sites that did not end: delete everything below the prefix, and load again`,
    )
  }
}

const RETRY_MS = 2000

const isTemporary = (status: number): boolean => status >= 500 || status === 408 || status === 429

/** The headers of a request with its signature. @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
export async function signedHeaders(
  { method, url, body, headers }: SignedRequest,
  { id, secret, token }: Credentials,
  region: string,
  now: Date,
): Promise<Headers> {
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    // aws4fetch signs no body of S3 unless it is told its hash.
    headers: { ...headers, 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') },
    accessKeyId: id,
    secretAccessKey: secret,
    ...(token !== undefined && { sessionToken: token }),
    service: 's3',
    region,
    datetime: now.toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    allHeaders: true,
  })
  return (await signer.sign()).headers
}

/** Percent-encodes as AWS does: all but `A-Z a-z 0-9 - . _ ~`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
const encodePath = (key: string): string => key.split('/').map(encode).join('/')

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescaped = (text: string): string =>
  text.replaceAll(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)

const causeOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}

const Given = z.object({
  AWS_ACCESS_KEY_ID: z.string(),
  AWS_SECRET_ACCESS_KEY: z.string(),
  AWS_SESSION_TOKEN: z.optional(z.string()),
})

/** The credentials are read for each request, as workerd does: the file can be replaced. */
function credentialsOf(settings: BucketSettings): Credentials {
  const { AWS_CREDENTIALS_FILE: file } = settings
  const { data } = Given.safeParse(
    settings.AWS_ACCESS_KEY_ID === undefined && file !== undefined ? parseEnv(readEnvFile(file)) : settings,
  )
  if (!data) throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set')
  return { id: data.AWS_ACCESS_KEY_ID, secret: data.AWS_SECRET_ACCESS_KEY, token: data.AWS_SESSION_TOKEN }
}
