// What a code costs the connector at each bank: its process, between fakes of the banks and of the service.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Webhook } from 'standardwebhooks'
import { NetworkService, SECRET, tokenOf } from '../test/support/network-service.ts'
import { cpuSeconds } from '../test/support/processes.ts'
import { raiffeisenBank, type TestBank, tbankBank, tochkaBank } from '../test/support/test-banks.ts'
import { tochkaPayBank } from '../test/support/tochka-pay-bank.ts'
import { CONNECTIONS } from './creating.ts'
import type { Part } from './figures.ts'
import { drive, type Measured } from './load.ts'
import { median } from './statistics.ts'
import { figure, table } from './table.ts'

const KINDS = [tochkaBank, tbankBank, raiffeisenBank, tochkaPayBank] as const
const MINUTES = 60
const WARM_UP = 0.3

export const banks: Part = async ({ directory, rounds, seconds }) => {
  const all: TestBank[] = KINDS.map((bankOf, i) => bankOf(`bank-${i}`, Date.now, i))
  const service = new NetworkService()
  const connector = await startConnector(directory, await settingOf(all, await service.listen()))
  const measured = new Map<string, Measured[]>(all.map(({ kind }) => [kind, []]))
  const faults: string[] = []
  const load = async (siteId: string, time: number) => {
    const one = await drive({
      ...{ port: connector.port, cpuSeconds: () => cpuSeconds(connector.pid), request: registers(siteId) },
      ...{ connections: CONNECTIONS, seconds: time, warmUp: WARM_UP },
    })
    faults.push(...one.faults)
    return one
  }
  for (const { kind } of all) await load(kind, Math.min(seconds, 1))
  for (let round = 0; round < rounds; round++)
    for (const { kind } of round % 2 === 0 ? all : all.toReversed())
      measured.get(kind)?.push(await load(kind, seconds))
  await connector.stop()
  await Promise.all([service, ...all.map(({ fake }) => fake)].map((each) => each.close()))

  const figures = Array.from(measured, ([kind, those]) => ({
    kind,
    per_second: median(those.map(({ perSecond }) => perSecond)),
    median_ms: median(those.map((one) => one.median)),
    cpu_micros: median(those.map(({ cpuMicros }) => cpuMicros)),
  }))
  return {
    tables: [
      table(
        `Codes that the connector registers, with ${CONNECTIONS} connections (medians of ${rounds} rounds; ms)`,
        ['bank', 'codes/s', 'median', 'CPU µs'],
        figures.map(({ kind, per_second, median_ms, cpu_micros }) => [
          ...[kind, figure(per_second), figure(median_ms), figure(cpu_micros)],
        ]),
      ),
    ],
    figures: {
      register_at_bank: Object.fromEntries(figures.map(({ kind, ...those }) => [kind, those])),
    },
    faults,
  }
}

/** The configuration with a site at each bank, named as its kind, and what its secrets refer to. */
async function settingOf(all: readonly TestBank[], service: string) {
  const credentials = all.map(
    async (bank) => [bank.name, bank.credentials(await bank.fake.listen())] as const,
  )
  const siteOf = ({ kind, name, account }: TestBank) => ({
    ...{ token: { env: tokenVariableOf(kind) }, bank: name },
    ...account,
  })
  return {
    config: {
      ...{ service, publicUrl: 'http://127.0.0.1:1', networkSecret: { env: 'NETWORK_SECRET' } },
      banks: Object.fromEntries(await Promise.all(credentials)),
      sites: Object.fromEntries(all.map((bank) => [bank.kind, siteOf(bank)])),
    },
    env: {
      NETWORK_SECRET: SECRET,
      ...Object.fromEntries(all.map(({ kind }) => [tokenVariableOf(kind), tokenOf(kind)])),
      ...Object.assign({}, ...all.map(({ secrets }) => secrets)),
    },
  }
}

const tokenVariableOf = (kind: string): string => `TOKEN_${kind.replaceAll('-', '_')}`

async function startConnector(directory: string, { config, env }: Awaited<ReturnType<typeof settingOf>>) {
  const file = join(directory, 'connector.json')
  writeFileSync(file, JSON.stringify(config))
  const args = ['connector/main.ts', '--config', file, '--data', join(directory, 'data'), '--port', '0']
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  process.on('exit', () => child.kill('SIGKILL'))
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, found] = /"message":"listening","url":"http:[^"]*:(\d+)"/.exec(line) ?? []
      if (found !== undefined) resolve(Number(found))
    })
    child.once('exit', (code) => reject(new Error(`the connector ended with ${code}`)))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { port, pid: child.pid, stop }
}

/** Makes requests to register, each for a code of its own, as the service signs them. */
function registers(siteId: string): () => string {
  const webhook = new Webhook(SECRET)
  const timeOf = (time: number) => new Date(time + 3 * 3_600_000).toISOString().replace(/\.\d+Z/, '+03:00')
  return () => {
    const now = new Date()
    const body = JSON.stringify({
      ...{ type: 'qrCode.register', timestamp: timeOf(now.getTime()) },
      data: {
        ...{ siteId, key: randomUUID().replaceAll('-', '').toUpperCase(), type: 'DYNAMIC', ttl: MINUTES },
        ...{ amount: { value: '100.00', currency: 'RUB' }, paymentPurpose: 'Order 1001, two items' },
        expiresOn: timeOf(now.getTime() + MINUTES * 60_000),
      },
    })
    const id = randomUUID()
    return [
      'POST /instructions HTTP/1.1',
      'Host: connector.example',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `webhook-id: ${id}`,
      `webhook-timestamp: ${Math.floor(now.getTime() / 1_000)}`,
      `webhook-signature: ${webhook.sign(id, now, body)}`,
      `\r\n${body}`,
    ].join('\r\n')
  }
}
