// The services that the browser tests open, started once for all of them: a sandbox, one with links of the payment network, and
// one to which the network reports payments.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildDocs } from '../../bin/serve/build-service.ts'
import provideBuild from './build.ts'
import { freePort, portOf } from './ports.ts'
import { SECRET } from './secret.ts'
import { serve } from './workers.ts'
import { wranglerDev } from './wrangler-dev.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Payments are made up, and links are its own. */
    sandbox: RunningService
    /** Links are the network's, and there is a list of banks. */
    network: RunningService
    /** Links are its own, and the network reports payments. */
    external: RunningService
  }
}

export interface RunningService {
  address: string
  secret: string
}

/** A list in the network's format, of banks that no network has. */
const BANKS = {
  version: '1.0',
  dictionary: [
    'Сберегательный банк',
    'Т-Банк Тест',
    'Банк «Зелёный»',
    'АЛЬФА-ТЕСТ',
    'Северный банк',
    'Южный банк',
    'Почтовый банк',
    'Речной банк',
  ].map((bankName, i) => ({
    bankName,
    schema: `bank99999999900${i}`,
    ...(i % 2 === 0 && { package_name: `example.bank.app${i}` }),
    ...(i % 3 === 0 && { webClientUrl: `https://bank${i}.example/sbp`, isWebClientActive: 'true' }),
  })),
}

/** An offset at which it is noon: no day ends while the tests run, and each of their times is of today. */
const noonOffset = (now: Date): string => {
  const hours = 12 - now.getUTCHours()
  return `${hours < 0 ? '-' : '+'}${`${Math.abs(hours)}`.padStart(2, '0')}:00`
}

/** Serves a build at an address of its own. */
async function served(build: string, vars: Record<string, string>, host = '127.0.0.1') {
  const disk = mkdtempSync(join(tmpdir(), 'fps-qr-disk-'))
  const port = await freePort()
  const address = `http://${host}:${port}`
  const { kill } = await serve(build, disk, {
    ...{ port, config: 'local' },
    vars: { PUBLIC_URL: address, UTC_OFFSET: '+03:00', ...vars },
  })
  return {
    address,
    async dispose() {
      await kill()
      rmSync(disk, { recursive: true, force: true })
    },
  }
}

/** Vitest's global setup; tests get the services by `inject`. `wrangler dev` runs the sandbox, workerd one build for the others. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildDocs()
  const list = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(BANKS))
  })
  const port = await portOf(list)
  const sandbox = wranglerDev({ PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any' })
  const removeBuild = await provideBuild(project)
  const { build } = project.getProvidedContext()
  const [address, network, external] = await Promise.all([
    sandbox.start(),
    served(build, {
      LINK_BASE_URL: 'https://qr.nspk.ru',
      LINK_TOKEN_BASE_URL: 'https://sub.nspk.ru',
      BANKS_URL: `http://127.0.0.1:${port}/members.json`,
    }),
    // Passkeys belong to a name, not to an IP address.
    served(build, { UTC_OFFSET: noonOffset(new Date()) }, 'localhost'),
  ])
  project.provide('sandbox', { address, secret: sandbox.secret })
  project.provide('network', { address: network.address, secret: SECRET })
  project.provide('external', { address: external.address, secret: SECRET })
  return async () => {
    sandbox.dispose()
    await Promise.all([network.dispose(), external.dispose()])
    removeBuild()
    list.close()
  }
}
