// The list of banks that BANKS_URL names: fetched, kept, and absent where it fails.
import { describe, expect, it } from 'vitest'
import { bankList } from '../../src/gateway/banks.ts'
import { Metrics } from '../../src/gateway/metrics.ts'

const LIST = { version: '1.0', dictionary: [{ bankName: 'Банк', schema: 'bank100000000111' }] }
const MINUTE = 60_000

/** Banks of a source that answers as the test says, at the test's time. */
function banksOf(banksUrl: string | undefined, answer: (url: string) => Response | Promise<Response>) {
  const asked: string[] = []
  const log: string[] = []
  const work: Promise<void>[] = []
  const clock = { now: 1_000_000 }
  const metrics = new Metrics()
  const banks = bankList({
    config: { banksUrl },
    fetchConnector: async (request) => {
      asked.push(`fetch ${request.url}`)
      return answer(request.url)
    },
    asset: async (path) => {
      asked.push(`asset ${path}`)
      return answer(path)
    },
    now: () => clock.now,
    waitUntil: (each) => work.push(each),
    log: (line) => log.push(line),
    metrics,
  })
  return { banks, asked, log, clock, metrics, settled: () => Promise.all(work) }
}
const names = async ({ banks }: ReturnType<typeof banksOf>) => (await banks.list()).map(({ name }) => name)

describe('the list of banks', () => {
  it('is not offered, and nothing is fetched, where none is set', async () => {
    const source = banksOf(undefined, () => Response.json(LIST))
    expect([source.banks.isOffered(), await names(source), source.asked]).toEqual([false, [], []])
  })

  it('comes from the URL, and is offered before it is here', async () => {
    const source = banksOf('https://list.example/banks.json?v=1', () => Response.json(LIST))
    expect(source.banks.isOffered()).toBe(true)
    expect(await names(source)).toEqual(['Банк'])
    expect(source.asked).toEqual(['fetch https://list.example/banks.json?v=1'])
  })

  it('is read whole, in whatever pieces it comes', async () => {
    const inBytes = new ReadableStream({
      start(controller) {
        for (const byte of new TextEncoder().encode(JSON.stringify(LIST)))
          controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const source = banksOf('https://list.example/', () => new Response(inBytes))
    expect(await names(source)).toEqual(['Банк'])
  })

  it('comes from the static files where BANKS_URL is a path', async () => {
    const source = banksOf('/banks.json', () => Response.json(LIST))
    expect(await names(source)).toEqual(['Банк'])
    expect(source.asked).toEqual(['asset /banks.json'])
  })

  it('is fetched once by any number of payers, and again after an hour', async () => {
    const source = banksOf('https://list.example/', () => Response.json(LIST))
    await Promise.all([names(source), names(source), names(source)])
    source.clock.now += 60 * MINUTE - 1
    await names(source)
    expect(source.asked).toHaveLength(1)
    source.clock.now += 1
    source.banks.isOffered()
    await source.settled()
    expect(source.asked).toHaveLength(2)
  })

  it.each<[string, () => Response | Promise<Response>]>([
    ['answers 404', () => new Response('{}', { status: 404 })],
    ['does not answer', () => Promise.reject(new Error('refused'))],
    ['is no JSON', () => new Response('<html>')],
    ['is no list', () => Response.json({ banks: [] })],
    ['has more than a mebibyte', () => Response.json({ ...LIST, more: 'x'.repeat(1024 * 1024) })],
    ['has no usable bank', () => Response.json({ ...LIST, dictionary: [{ bankName: 'Банк' }] })],
  ])('is empty and not offered where its source %s; it is tried again after a minute', async (_, answer) => {
    const source = banksOf('https://list.example/', answer)
    expect(await names(source)).toEqual([])
    expect(source.banks.isOffered()).toBe(false)
    expect(source.asked).toHaveLength(1)
    source.clock.now += 60 * MINUTE
    source.banks.isOffered()
    await source.settled()
    expect(source.asked).toHaveLength(2)
  })

  it.each([
    [{ banks: [] }, 'Error: dictionary must be an array'],
    [[], 'Error: the list must be an object'],
  ])('%j: the log says what the list must be', async (list, fault) => {
    const source = banksOf('https://list.example/', () => Response.json(list))
    await names(source)
    expect(source.log.map((line) => JSON.parse(line))).toEqual([
      { time: expect.any(String), level: 'notice', message: 'BANKS_URL gave no list of banks', fault },
    ])
  })

  it.each([
    [30, []],
    [31, ['the list of banks is 31 days old: npm run banks makes a new one']],
  ])('that was made %i days ago is used, and the log says if it is old', async (days, messages) => {
    const madeAt = Date.UTC(2026, 10, 1)
    const source = banksOf('/banks.json', () =>
      Response.json({ ...LIST, madeOn: new Date(madeAt).toISOString() }),
    )
    source.clock.now = madeAt + days * 24 * 60 * MINUTE
    expect(await names(source)).toEqual(['Банк'])
    expect(source.log.map((line) => JSON.parse(line).message)).toEqual(messages)
    expect(source.metrics.banksMadeAt).toBe(madeAt)
  })

  it('stays as it was while its source fails, and logs why', async () => {
    let fails = false
    const source = banksOf('https://list.example/', () =>
      fails ? new Response(null, { status: 500 }) : Response.json(LIST),
    )
    await names(source)
    fails = true
    source.clock.now += 60 * MINUTE
    expect(source.banks.isOffered()).toBe(true)
    await source.settled()
    expect(await names(source)).toEqual(['Банк'])
    expect(source.log.map((line) => JSON.parse(line))).toEqual([
      {
        time: expect.any(String),
        level: 'notice',
        message: 'BANKS_URL gave no list of banks',
        fault: 'Error: the answer is 500',
      },
    ])
    source.clock.now += MINUTE
    source.banks.isOffered()
    await source.settled()
    expect(source.asked).toHaveLength(3)
  })
})
