// deploy/haproxy.cfg in a real HAProxy, with ports of the test's, in front of instances of a cluster.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { freePort } from './ports.ts'
import { program } from './program.ts'
import { temporaryDirectory } from './serve.ts'

/** The file for instances at these addresses, `http://127.0.0.1:…`. @param checkTimeout of the question whether one is ready */
function haproxyConfig(port: number, addresses: readonly string[], checkTimeout: string): string {
  let servers = 0
  const replaced: [RegExp, string | (() => string)][] = [
    [/log \/dev\/log local0 notice/, 'log stdout format raw local0'],
    [/ {2}user haproxy\n {2}group haproxy\n/, ''],
    [/timeout check 2s/, `timeout check ${checkTimeout}`],
    [/127\.0\.0\.1:8080/, `127.0.0.1:${port}`],
    [/10\.0\.0\.\d:8080/g, () => new URL(addresses[servers++] ?? '').host],
  ]
  let config = readFileSync('deploy/haproxy.cfg', 'utf8')
  for (const [pattern, value] of replaced) {
    if (config.search(pattern) < 0) throw new Error(`deploy/haproxy.cfg has no ${pattern}`)
    config = config.replace(pattern, typeof value === 'string' ? () => value : value)
  }
  if (servers !== addresses.length) throw new Error(`deploy/haproxy.cfg has ${servers} instances`)
  return config
}

export interface HaProxy {
  /** `http://127.0.0.1:…` */
  address: string
  /** What it says of its instances. */
  log(): string
}

interface Options {
  /** Of its file. */
  directory?: string
  /** Takes what ends it, by default at the end of the test. */
  onEnd?: (end: () => void | Promise<void>) => void
  /** How long an instance may take to say whether it is ready, by default as in the shipped file. */
  checkTimeout?: string
}

/**
 * Starts HAProxy.
 * @throws Error where it does not accept the file
 */
export async function startHaProxy(
  addresses: readonly string[],
  { directory = temporaryDirectory(), onEnd = onTestFinished, checkTimeout = '2s' }: Options = {},
): Promise<HaProxy> {
  const haproxy = program('haproxy', 'haproxy')
  const port = await freePort()
  const file = join(directory, 'haproxy.cfg')
  writeFileSync(file, haproxyConfig(port, addresses, checkTimeout))
  const checked = spawnSync(haproxy, ['-c', '-f', file], { encoding: 'utf8' })
  if (checked.status !== 0 || /warning/i.test(checked.stderr)) throw new Error(checked.stderr)
  const child = spawn(haproxy, ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  let written = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      written += text
    })
  }
  const ended = once(child, 'close')
  onEnd(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const address = `http://127.0.0.1:${port}`
  // Without a ready instance it closes the connection.
  const isRefused = async () =>
    fetch(address).then(
      () => false,
      (error) => String(error.cause?.code) === 'ECONNREFUSED',
    )
  while (await isRefused()) {
    if (child.exitCode !== null) throw new Error(`haproxy ended:\n${written}`)
    await sleep(20)
  }
  return { address, log: () => written }
}
