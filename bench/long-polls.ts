// Long polls: how soon they are answered after a payment, and how much thousands of them slow down creating.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { mintToken } from '../bin/mint-token.ts'
import { QrCodeAnswer } from '../src/contract/qr-code-answer.ts'
import { type LongPoll, openLongPoll } from '../test/support/long-poll.ts'
import { SECRET } from '../test/support/secret.ts'
import { serve } from '../test/support/workers.ts'
import { CONNECTIONS, creating } from './creating.ts'
import type { Part } from './figures.ts'
import { create } from './requests.ts'
import { median, percentile, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

/**
 * How many payments are reported, how many long polls a merchant has, and payers have: on many links, because one link has few
 * listeners; those over the site's limit are answered at once.
 */
const FULL = { payments: 100, polls: 1000, links: 52, perLink: 100, pauseMs: 1000 }
const SMALLEST = { payments: 3, polls: 10, links: 2, perLink: 5, pauseMs: 100 }
const merchant = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant', days: 1 })
const network = await mintToken(SECRET, { siteId: 'demo', scope: 'network', days: 1 })

export const longPolls: Part = async ({ directory, ours, rounds, seconds, isSmallest }) => {
  const { payments, polls: merchants, links, perLink, pauseMs } = isSmallest ? SMALLEST : FULL
  const server = await serve(ours, join(directory, 'disk'))
  const faults: string[] = []
  const ask = async (path: string, token: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      ...init,
      headers: { ...init.headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(90_000),
    })
    if (!response.ok) faults.push(`an answer ${response.status}`)
    return response
  }

  /** A new QR code, and the requests that wait for it, pay it and cancel it. */
  async function qrCode() {
    const created = await create(server.port, randomUUID())
    const { qrCodeUid, qrCode } = QrCodeAnswer.parse(await created.json())
    const path = `/payin/v1/sites/demo/sbp/qrCodes/${qrCodeUid}`
    const { pathname, search } = new URL(qrCode.payload)
    const linkId = pathname.split('/').at(-1)
    const state = `${pathname}/state${search}`
    const stateEtag = (await ask(state, merchant)).headers.get('ETag') ?? ''
    const etag = (await ask(path, merchant)).headers.get('ETag') ?? ''
    return {
      longPoll: async () => {
        const response = await ask(path, merchant, { headers: { 'If-None-Match': etag, Prefer: 'wait=60' } })
        await response.text()
        return performance.now()
      },
      payersLongPoll: () => openLongPoll({ port: server.port, path: state, etag: stateEtag, wait: 60 }),
      pay: () =>
        ask(`/network/v1/sites/demo/qrCodes/${linkId}/payments/${randomUUID()}`, network, {
          method: 'PUT',
          body: '{"status":"COMPLETED","amount":{"value":1234.56}}',
        }),
      cancel: () => ask(path, merchant, { method: 'DELETE' }),
    }
  }

  /** Opens the payers' long polls, does the work, and ends them by cancelling the QR codes. */
  async function besidePayers<T>(work: () => Promise<T>): Promise<T> {
    const polls: LongPoll[] = []
    const cancels: (() => Promise<Response>)[] = []
    for (let link = 0; link < links; link++) {
      const { payersLongPoll, cancel } = await qrCode()
      for (let n = 0; n < perLink; n++) polls.push(await payersLongPoll())
      cancels.push(cancel)
    }
    const result = await work()
    for (const cancel of cancels) await cancel()
    for (const { answered, disconnect } of polls) {
      const head = await answered
      if (!head || !/^HTTP\/1\.1 (200|304) /.test(head)) faults.push(`a payer's answer ${head?.slice(0, 40)}`)
      disconnect('FIN')
    }
    return result
  }

  const milliseconds: number[] = []
  for (let i = 0; i < payments; i++) {
    const { longPoll, pay } = await qrCode()
    const answered = longPoll()
    await pause(20)
    const paid = performance.now()
    await pay()
    milliseconds.push((await answered) - paid)
  }

  const load = creating(faults, { isSmallest })
  const perSecond = async () => (await load.measure(server.port, seconds)).perSecond
  const alone: number[] = []
  const beside: number[] = []
  const payers: number[] = []
  await load.warmUp(server.port)
  for (let round = 0; round < rounds; round++) {
    alone.push(await perSecond())
    const { longPoll, cancel } = await qrCode()
    const polls = Array.from({ length: merchants }, longPoll)
    await pause(pauseMs)
    beside.push(await perSecond())
    await cancel()
    await Promise.all(polls)
    payers.push(
      await besidePayers(async () => {
        await pause(pauseMs)
        return perSecond()
      }),
    )
  }
  await server.stop()

  const besideVsAlone = ratio(beside, alone)
  const payersVsAlone = ratio(payers, alone)
  return {
    tables: [
      table(
        `From the report of a payment to the response of a long poll (${payments} payments; ms)`,
        ['median', 'p99'],
        [[figure(median(milliseconds)), figure(percentile(milliseconds, 0.99))]],
      ),
      table(
        `Creating with ${CONNECTIONS} connections in a site that has long polls (${rounds} rounds)`,
        ['long polls', 'req/s', 'of none'],
        [
          ['0', figure(median(alone)), ''],
          [`${merchants}, a merchant's`, figure(median(beside)), times(besideVsAlone)],
          [`${links * perLink}, payers'`, figure(median(payers)), times(payersVsAlone)],
        ],
      ),
    ],
    figures: {
      long_poll_ms: median(milliseconds),
      create_beside_long_polls: besideVsAlone,
      create_beside_payers: payersVsAlone,
    },
    faults,
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
