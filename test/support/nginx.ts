// deploy/nginx.conf in a real nginx, with ports and a certificate of the test's, in front of a service.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, type RequestOptions, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { freePort } from './ports.ts'
import { program } from './program.ts'
import { PUBLIC_URL, type Served, temporaryDirectory } from './serve.ts'

const HOST = new URL(PUBLIC_URL).host

const BEHIND_PROXY: [RegExp, string][] = [
  [/# set_real_ip_from 192\.0\.2\.0\/24;/, 'set_real_ip_from 127.0.0.0/8;'],
  [/# real_ip_header/, 'real_ip_header'],
  [/# real_ip_recursive/, 'real_ip_recursive'],
]

export interface Nginx {
  /** The ports of HTTPS and of HTTP. */
  https: number
  http: number
  /** The directory of ACME's challenges. */
  webroot: string
  /** The directory of the list of banks, and the port at which the service reads it. */
  banks: string
  banksPort: number
  /** The lines of its access log. */
  accessLog(): string[]
  /** All that its logs have. */
  logs(): string
  /** A client at an address of its own, 127.0.0.x. */
  client(address: string): Client
}

export interface Client {
  ask(path: string, options?: RequestOptions & { body?: unknown }): Promise<Answered>
}

export interface Answered {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/**
 * Starts nginx; it ends with the test. Its rate is one request a minute: with that of the file, whether a flood is limited
 * would depend on the speed of the machine. The burst is the file's.
 * @param rate of requests by one client
 * @param isBehindProxy whether the lines for another proxy in front of it are in force, for all of 127.0.0.0/8
 */
export async function startNginx(
  { address }: Pick<Served, 'address'>,
  isBehindProxy = false,
  rate = '1r/m',
): Promise<Nginx> {
  const [nginx, openssl] = [program('nginx', 'nginx-light'), program('openssl', 'openssl')]
  const directory = temporaryDirectory()
  const [https, http, banksPort] = [await freePort(), await freePort(), await freePort()]
  const [key, certificate, webroot, banks] = ['key.pem', 'certificate.pem', 'webroot', 'fps-qr-banks'].map(
    (name) => join(directory, name),
  )
  if (!key || !certificate || !webroot || !banks) throw new Error('a path is missing')
  mkdirSync(webroot)
  mkdirSync(banks)
  const made = spawnSync(openssl, [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${HOST}`],
    ...['-addext', `subjectAltName=DNS:${HOST}`, '-keyout', key, '-out', certificate],
  ])
  if (made.status !== 0) throw new Error(`${made.stderr}`)

  const replaced: [RegExp, string][] = [
    [/127\.0\.0\.1:8080/, new URL(address).host],
    [/listen 80;/, `listen 127.0.0.1:${http};`],
    [/listen \[::\]:80;/, ''],
    [/listen 443 ssl/, `listen 127.0.0.1:${https} ssl`],
    [/listen \[::\]:443 .*/, ''],
    [/ssl_certificate .*/, `ssl_certificate ${certificate};`],
    [/ssl_certificate_key .*/, `ssl_certificate_key ${key};`],
    [/rate=100r\/s;/, `rate=${rate};`],
    [/root \/var\/www\/html;/, `root ${webroot};`],
    [/root \/var\/lib\/fps-qr-banks;/g, `root ${banks};`],
    [/listen 127\.0\.0\.1:8082;/, `listen 127.0.0.1:${banksPort};`],
    [/access_log \/\S+/g, `access_log ${join(directory, 'access.log')}`],
    [/error_log \S+/g, `error_log ${join(directory, 'site-error.log')}`],
    ...(isBehindProxy ? BEHIND_PROXY : []),
  ]
  let site = readFileSync('deploy/nginx.conf', 'utf8')
  for (const [pattern, value] of replaced) {
    if (!pattern.test(site)) throw new Error(`deploy/nginx.conf has no ${pattern}`)
    site = site.replace(pattern, value)
  }
  writeFileSync(join(directory, 'site.conf'), site)
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    error_log ${join(directory, 'error.log')};
    pid ${join(directory, 'pid')};
    events {}
    http {
      access_log off;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${join(directory, name)};`)
        .join('\n      ')}
      include ${join(directory, 'site.conf')};
    }`,
  )
  const child = spawn(nginx, ['-p', directory, '-c', join(directory, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (output: string) => {
    errors += output
  })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })

  const ca = readFileSync(certificate)
  const client = (localAddress: string): Client => {
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    return {
      async ask(path, { body, ...options } = {}) {
        const sent = request({
          ...{ host: '127.0.0.1', port: https, path, agent, localAddress, ca, servername: HOST },
          ...options,
          headers: { Host: HOST, ...options.headers },
        })
        sent.end(body === undefined || body instanceof Buffer ? body : JSON.stringify(body))
        const [response] = await once(sent, 'response')
        return {
          status: response.statusCode,
          headers: response.headers,
          text: await text(response),
        }
      },
    }
  }
  const first = client('127.0.0.1')
  while (!(await first.ask('/healthz').catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`nginx ended:\n${errors}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const accessLog = () => readFileSync(join(directory, 'access.log'), 'utf8').trimEnd().split('\n')
  const logs = () =>
    ['access.log', 'site-error.log', 'error.log']
      .map((name) => readFileSync(join(directory, name), 'utf8'))
      .join('')
  return { https, http, webroot, banks, banksPort, accessLog, logs, client }
}
