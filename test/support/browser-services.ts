// The services that the browser tests open, started once for all of them: a sandbox, and one on the payment network.
import { createServer } from 'node:http'
import type { TestProject } from 'vitest/node'
import { buildDocs } from '../../bin/serve/build-service.ts'
import { portOf } from './ports.ts'
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

/** Vitest's global setup; tests get the services by `inject`. */
export default async function setup(project: TestProject): Promise<() => void> {
  await buildDocs()
  const list = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(BANKS))
  })
  const port = await portOf(list)
  const services = {
    sandbox: wranglerDev({ PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any' }),
    network: wranglerDev({
      LINK_BASE_URL: 'https://qr.nspk.ru',
      LINK_TOKEN_BASE_URL: 'https://sub.nspk.ru',
      BANKS_URL: `http://127.0.0.1:${port}/members.json`,
    }),
    external: wranglerDev({ UTC_OFFSET: noonOffset(new Date()) }),
  } as const
  for (const name of ['sandbox', 'network', 'external'] as const) {
    const service = services[name]
    project.provide(name, { address: await service.start(), secret: service.secret })
  }
  return () => {
    for (const service of Object.values(services)) service.dispose()
    list.close()
  }
}
