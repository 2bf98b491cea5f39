import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sharedCalls } from '../../src/api/shared-calls.ts'
import { COLLECTION, call, errorOf, order, serviceWith, siteThat } from '../support/service.ts'

/** Shared calls that end when the test says so, and timers that fire then; an output is the input doubled. */
function byHand() {
  const calls: { place: string; inputs: readonly number[]; end(fault?: Error): Promise<void> }[] = []
  const kept: Promise<void>[] = []
  const timers = new Map<object, { milliseconds: number; run: () => void }>()
  const share = sharedCalls({
    send: (place, inputs: readonly number[]) =>
      new Promise<number[]>((resolve, reject) => {
        const end = async (fault?: Error) => {
          if (fault) reject(fault)
          else resolve(inputs.map((input) => input * 2))
          await settled()
        }
        calls.push({ place, inputs, end })
      }),
    keepAlive: (work) => kept.push(work),
    after(milliseconds, run) {
      const timer = {}
      timers.set(timer, { milliseconds, run })
      return () => timers.delete(timer)
    },
  })
  return { share, calls, sent: () => calls.map(({ inputs }) => inputs), kept, timers }
}

/** After whatever is due has run. */
const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0))

describe('calls to one place', () => {
  it('are made at once for who comes alone', async () => {
    const { share, calls, sent } = byHand()
    const answer = share('demo', 1)
    expect(sent()).toEqual([[1]])
    await calls[0]?.end()
    expect(await answer).toBe(2)
    share('demo', 2)
    expect(sent()).toEqual([[1], [2]])
  })

  it('are shared by those who come while one is under way, in their order', async () => {
    const { share, calls, sent } = byHand()
    const answers = [1, 2, 3, 4].map((n) => share('demo', n))
    expect(sent()).toEqual([[1]])
    await calls[0]?.end()
    expect(sent()).toEqual([[1], [2, 3, 4]])
    await calls[1]?.end()
    expect(await Promise.all(answers)).toEqual([2, 4, 6, 8])
  })

  it('do not wait for those to another place', () => {
    const { share, calls } = byHand()
    for (const place of ['a', 'b', 'c']) share(place, 1)
    expect(calls.map(({ place }) => place)).toEqual(['a', 'b', 'c'])
  })

  it('that fail, fail for those who shared them, and for nobody else', async () => {
    const { share, calls } = byHand()
    const answers = [1, 2, 3].map((n) => share('demo', n))
    await calls[0]?.end()
    const last = share('demo', 4)
    await Promise.all([
      calls[1]?.end(new Error('lost')),
      expect(answers[1]).rejects.toThrow('lost'),
      expect(answers[2]).rejects.toThrow('lost'),
    ])
    await calls[2]?.end()
    expect(await Promise.all([answers[0], last])).toEqual([2, 8])
  })

  it('that answer for fewer than they were made for fail for the others', async () => {
    const share = sharedCalls({ send: async () => [], keepAlive: () => {}, after: () => () => {} })
    await expect(share('demo', 1)).rejects.toThrow('1 inputs had 0 outputs')
  })

  it('keep the requests that make them alive until they have ended', async () => {
    const { share, calls, kept } = byHand()
    for (const n of [1, 2, 3]) share('demo', n)
    expect(kept).toHaveLength(2)
    for (const [index, work] of kept.entries()) {
      const over = work.then(() => 'over')
      expect(await Promise.race([over, settled()])).toBeUndefined()
      await calls[index]?.end()
      expect(await over).toBe('over')
    }
  })

  it('take 1,000 at a time and no more', async () => {
    const { share, calls } = byHand()
    share('demo', 0)
    for (let n = 1; n <= 1000; n++) share('demo', n)
    expect(await share('demo', 1001)).toBeUndefined()
    await calls[0]?.end()
    const next = share('demo', 1002)
    await calls[1]?.end()
    await calls[2]?.end()
    expect([calls[1]?.inputs.length, await next]).toEqual([1000, 2004])
  })

  it('give each its own answer, whenever they end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), async (ends) => {
        const { share, calls, kept } = byHand()
        const answers: Promise<number | undefined>[] = []
        let ended = 0
        for (const [n, end] of ends.entries()) {
          answers.push(share('demo', n))
          if (end) await calls[ended++]?.end()
        }
        while (ended < calls.length) await calls[ended++]?.end()
        expect(await Promise.all(answers)).toEqual(ends.map((_, n) => n * 2))
        await Promise.all(kept)
      }),
    )
  })
})

describe('who waits for a call', () => {
  it('has a timer until it is answered, and who calls at once has none', async () => {
    const { share, calls, timers } = byHand()
    for (const n of [1, 2, 3]) share('demo', n)
    expect([...timers.values()].map(({ milliseconds }) => milliseconds)).toEqual([5000, 5000])
    await calls[0]?.end()
    await calls[1]?.end()
    expect(timers.size).toBe(0)
  })

  it('is told when that takes too long, and the next one to come calls at once', async () => {
    const { share, calls, sent, timers } = byHand()
    const lost = share('demo', 1)
    const waiting = [2, 3].map((n) => share('demo', n))
    for (const { run } of [...timers.values()]) run()
    expect(await Promise.all(waiting)).toEqual([undefined, undefined])
    const next = share('demo', 4)
    expect(sent()).toEqual([[1], [4]])
    await calls[1]?.end()
    expect(await next).toBe(8)
    // The call that seemed lost comes back all the same, and disturbs nobody.
    const last = share('demo', 5)
    await calls[0]?.end()
    expect(await lost).toBe(2)
    await calls[2]?.end()
    expect(await last).toBe(10)
  })
})

describe('creations that share a call', () => {
  it('fail alone where one of them is at fault, in the books too', async () => {
    const site = env.SITES.getByName('shared')
    const creation = (qrCodeUid: string, ttl: number) => ({
      order: { qrCodeUid, type: 'DYNAMIC', ttl, createToken: false } as const,
      payload: `https://qr.nspk.ru/${qrCodeUid.padStart(32, '0')}?`,
    })
    // A column of whole numbers takes no half.
    const outcomes = await site.create([creation('a', 1), creation('b', 0.5), creation('c', 1)])
    expect(outcomes.map((outcome) => outcome instanceof Error)).toEqual([false, true, false])
    const page = await site.list({ limit: 10 })
    expect(page.ok && page.value.qrCodes.map(({ qrCodeUid }) => qrCodeUid)).toEqual(['c', 'a'])
  })

  it('are answered each by what became of it: made, replayed, refused or failed', async () => {
    const held = Promise.withResolvers<void>()
    const demo = env.SITES.getByName('demo')
    const sizes: number[] = []
    const service = serviceWith({
      site: () => ({
        ...siteThat(() => Promise.reject(new Error('not asked for'))),
        async create(creations) {
          sizes.push(creations.length)
          if (sizes.length === 1) await held.promise
          const outcomes = await demo.create(creations)
          const faulty = creations.findIndex(({ order }) => order.paymentPurpose === 'to fail')
          return faulty < 0 ? outcomes : outcomes.with(faulty, new Error('a fault of its own'))
        },
      }),
    })
    const send = (body: object) => call(COLLECTION, { body }, service)
    const first = order()
    const waiting = [send(order()), send(first), send(first), send({ ...first, paymentPurpose: 'another' })]
    waiting.push(send(order({ paymentPurpose: 'to fail' })), send(order()))
    await settled()
    held.resolve()
    const answers = await Promise.all(waiting)
    expect(sizes).toEqual([1, 5])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 409, 500, 200])
    expect(answers.map(({ headers }) => headers.get('Idempotent-Replayed'))).toEqual([
      null,
      null,
      'true',
      null,
      null,
      null,
    ])
    const [, , , refused, failed] = answers
    if (!refused || !failed) throw new Error('answers are missing')
    expect((await errorOf(refused)).errorCode).toBe('payin.resource.already.exists')
    expect(JSON.stringify(await errorOf(failed))).not.toContain('of its own')
  })
})
