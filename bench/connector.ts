// Links of a bank through the connector: what a create takes beside the bank's own time, and beside another bank that hangs.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { mintToken } from '../bin/mint-token.ts'
import { startConnector } from '../test/support/bank-connector.ts'
import { FakeRaiffeisen } from '../test/support/banks/raiffeisen.ts'
import { FakeTBank } from '../test/support/banks/tbank.ts'
import { SECRET } from '../test/support/secret.ts'
import { serve } from '../test/support/workers.ts'
import type { Part } from './figures.ts'
import { drive } from './load.ts'
import { create, creates, type Site, siteOf } from './requests.ts'
import { median, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

/** Creates one after the other in a round. */
const ALONE = 50
/** Connections of each of both loads. */
const CONNECTIONS = 16
const WARM_UP = 0.5
const NETWORK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

export const connector: Part = async ({ directory, ours, rounds, seconds }) => {
  const [bank, hanging] = [new FakeRaiffeisen(), new FakeTBank()]
  const [bankUrl, hangingUrl] = [await bank.listen(), await hanging.listen()]
  const [farm, cafe] = [await siteOf('farm'), await siteOf('cafe')]
  const tokenOf = ({ id }: Site) => mintToken(SECRET, { siteId: id, scope: 'network', days: 1 })
  const env = {
    ...{ NETWORK_SECRET, RAIF_KEY: bank.secretKey, TBANK_PASSWORD: hanging.password },
    ...{ FARM_TOKEN: await tokenOf(farm), CAFE_TOKEN: await tokenOf(cafe) },
  }
  const config = {
    // It reports nothing here: no code is paid.
    service: 'http://127.0.0.1:9',
    publicUrl: 'http://127.0.0.1:9/connector',
    networkSecret: { env: 'NETWORK_SECRET' },
    banks: {
      bank: {
        ...{ bank: 'raiffeisen', baseUrl: `${bankUrl}/api`, sbpMerchantId: bank.sbpMerchantId },
        secretKey: { env: 'RAIF_KEY' },
      },
      hanging: {
        ...{ bank: 'tbank', baseUrl: hangingUrl, terminalKey: hanging.terminalKey },
        password: { env: 'TBANK_PASSWORD' },
      },
    },
    sites: {
      farm: { token: { env: 'FARM_TOKEN' }, bank: 'bank' },
      cafe: { token: { env: 'CAFE_TOKEN' }, bank: 'hanging' },
    },
  }
  const data = join(directory, 'connector')
  const running = await startConnector({ file: join(directory, 'connector.json'), config, data, env })
  const vars = {
    ...{ PAYMENT_NETWORK: 'external', LINKS: 'connector', NETWORK_SECRET },
    NETWORK_URL: `http://127.0.0.1:${running.port}/instructions`,
  }
  const server = await serve(ours, join(directory, 'disk'), { vars })
  const faults: string[] = []
  const load = async (site: Site, of: { seconds: number; connections: number }) => {
    const request = creates('none', [site])
    const measured = await drive({ port: server.port, request, warmUp: WARM_UP, ...of })
    faults.push(...measured.faults)
    return measured
  }

  await load(farm, { seconds: 1, connections: CONNECTIONS })
  const [through, direct]: [number[], number[]] = [[], []]
  const alone = { seconds, connections: 1 }
  for (let round = 0; round < rounds; round++) {
    through.push((await load(farm, alone)).median)
    direct.push(await registerTime(bankUrl, bank))
  }

  hanging.fail('Init', { silent: true }, 100_000)
  const [without, beside]: [number[], number[]] = [[], []]
  const many = { seconds, connections: CONNECTIONS }
  for (let round = 0; round < rounds; round++) {
    without.push((await load(farm, many)).perSecond)
    const end = await hang(server.port, cafe, hanging)
    beside.push((await load(farm, many)).perSecond)
    await end()
  }
  await server.stop()
  await running.stop('SIGKILL')
  await Promise.all([bank.close(), hanging.close()])

  const overhead = median(through.map((value, round) => value - (direct[round] ?? Number.NaN)))
  const besideHanging = ratio(beside, without)
  return {
    tables: [
      table(
        `Creating with a link of a bank, 1 connection (medians of ${rounds} rounds; ms)`,
        ['', ''],
        [
          ['a create through service and connector', figure(median(through))],
          ['the same registration, sent to the bank itself', figure(median(direct))],
          ['overhead', figure(overhead)],
        ],
      ),
      table(
        `Creating with links of one bank, ${CONNECTIONS} connections (medians of ${rounds} rounds)`,
        [`${CONNECTIONS} creates at another bank`, 'req/s', 'of none'],
        [
          ['none', figure(median(without)), ''],
          ['in flight: it hangs', figure(median(beside)), times(besideHanging)],
        ],
      ),
    ],
    figures: { create_with_connector_ms: overhead, create_beside_hanging_bank: besideHanging },
    faults,
  }
}

/** The median of registrations that are sent to the bank itself, in milliseconds. */
async function registerTime(url: string, { sbpMerchantId }: FakeRaiffeisen): Promise<number> {
  const milliseconds: number[] = []
  for (let i = 0; i < ALONE; i++) {
    const started = performance.now()
    const response = await fetch(`${url}/api/sbp/v1/qr/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ amount: 1234.56, order: randomUUID(), qrType: 'QRDynamic', sbpMerchantId }),
    })
    await response.json()
    milliseconds.push(performance.now() - started)
  }
  return median(milliseconds)
}

/** Keeps creates of a site in flight that get no answer from its bank. @returns what ends them, when they have failed */
async function hang(port: number, site: Site, bank: FakeTBank): Promise<() => Promise<unknown>> {
  let isOver = false
  const one = async () => {
    while (!isOver) await create(port, randomUUID(), 'none', site).catch(() => {})
  }
  const before = bank.calls.length
  const all = Array.from({ length: CONNECTIONS }, one)
  // What they cost until they hang is not measured.
  while (bank.calls.length < before + CONNECTIONS) await pause(10)
  return () => {
    isOver = true
    return Promise.all(all)
  }
}
