// After a payer's stop no charge begins: short histories of charges, ends, reports and restarts, checked at their end.
import { runInDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { outboxRows } from '../../src/site/outbox/rows.ts'
import { configure } from '../support/merchant.ts'
import { restart } from '../support/restart.ts'
import { tokenSite } from '../support/tokens.ts'

const HISTORIES = 40
/** Codes that each history can charge. */
const CODES = 3

type Step =
  | { act: 'charge'; code: number }
  | { act: 'report'; code: number; status: 'COMPLETED' | 'DECLINED' }
  | { act: 'send' | 'stop' | 'delete' | 'bank' | 'restart' }

const code = fc.nat(CODES - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ act: fc.constant('charge' as const), code }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('report' as const),
      code,
      status: fc.constantFrom('COMPLETED' as const, 'DECLINED' as const),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ act: 'send' as const }) },
  { weight: 2, arbitrary: fc.constant({ act: 'stop' as const }) },
  { weight: 3, arbitrary: fc.constantFrom<Step>({ act: 'delete' }, { act: 'bank' }, { act: 'restart' }) },
)

const site = tokenSite()

/** The charges of the site whose instructions wait to be sent for the first time. */
const unsentCharges = () =>
  runInDurableObject(site.stub, (_, { storage }) =>
    outboxRows(storage.sql, "WHERE queue = 'external' AND kind = 'instruction' AND attempted = 0").flatMap(
      ({ content }) => (content.type === 'payment.charge' ? [content.paymentUid] : []),
    ),
  )

/** Who ended the token, as the notifications of its QR code say. */
const endsNotified = (qrCodeUid: string) =>
  runInDurableObject(site.stub, (_, { storage }) =>
    outboxRows(
      storage.sql,
      "WHERE content ->> 'type' = 'TOKEN' AND content ->> 'qrCodeUid' = ? AND content ->> 'status' = 'DELETED'",
      qrCodeUid,
    ).map(({ content }) => ('endedBy' in content ? content.endedBy : undefined)),
  )

interface Charge {
  paymentUid: string
  isSent: boolean
  status: 'WAITING' | 'COMPLETED' | 'DECLINED'
}

async function history(steps: readonly Step[]): Promise<void> {
  const { value, linkId, bindingUid, qrCodeUid } = await site.bound()
  const { pageUrl } = await (await site.ask(`/sbp/qrCodes/${qrCodeUid}`)).json<{ pageUrl: string }>()
  const codes = await Promise.all(Array.from({ length: CODES }, () => site.make()))
  const charges = new Map<number, Charge>()
  let endedBy: 'payer' | 'merchant' | 'network' | undefined
  const end = (by: typeof endedBy) => {
    if (endedBy) return
    endedBy = by
    if (by === 'network') return
    for (const charge of charges.values())
      if (!charge.isSent && charge.status === 'WAITING') charge.status = 'DECLINED'
  }
  const acts: { [Act in Step['act']]: (step: Extract<Step, { act: Act }>) => Promise<void> } = {
    async charge({ code: index }) {
      const response = await site.charge(codes[index]?.qrCodeUid ?? '', value)
      const isNew = !charges.has(index)
      expect(response.status).toBe(isNew && endedBy ? 400 : 200)
      if (!isNew || endedBy) return
      const { payment } = await response.json<{ payment: { paymentUid: string } }>()
      charges.set(index, { paymentUid: payment.paymentUid, isSent: false, status: 'WAITING' })
    },
    async report({ code: index, status }) {
      const charge = charges.get(index)
      // A network reports what it was asked for.
      if (!charge?.isSent || charge.status === 'COMPLETED') return
      await site.report(codes[index]?.linkId ?? '', charge.paymentUid, { status })
      charge.status = status
    },
    async send() {
      await site.attempt()
      for (const charge of charges.values()) charge.isSent ||= charge.status === 'WAITING'
    },
    async stop() {
      expect((await site.stop(pageUrl)).status).toBe(303)
      end('payer')
    },
    async delete() {
      expect((await site.deleteToken(value)).status).toBe(204)
      end('merchant')
    },
    async bank() {
      expect((await site.bind(linkId, { status: 'DELETED' }, bindingUid)).status).toBe(200)
      end('network')
    },
    restart: () => restart(() => site.stub),
  }
  for (const each of steps) await acts[each.act](each as never)
  const own = (await site.eventsOf(qrCodeUid)).filter(({ type }) => type === 'token.deleted')
  expect(own.map(({ by }) => by.actor)).toEqual(endedBy ? [endedBy] : [])
  // A merchant is not told of what it did.
  expect(await endsNotified(qrCodeUid)).toEqual(endedBy && endedBy !== 'merchant' ? [endedBy] : [])
  for (const { paymentUid, status } of charges.values())
    expect((await site.paymentOf(paymentUid)).status.value).toBe(status)
  if (!endedBy || endedBy === 'network') return
  const unsent = await unsentCharges()
  expect([...charges.values()].filter(({ paymentUid }) => unsent.includes(paymentUid))).toEqual([])
  const page = await (await site.page(pageUrl)).text()
  expect(page.match(/<li>/g) ?? []).toHaveLength(charges.size)
  const waiting = [...charges.values()].filter(({ status }) => status === 'WAITING')
  expect(page.match(/it may still be charged/g) ?? []).toHaveLength(waiting.length)
}

it(`in ${HISTORIES} histories no charge begins after an end, each sent one is on the page, and one event says who ended it`, async () => {
  await configure(site, { callbackUrl: 'https://shop.example/', notificationTypes: ['TOKEN'] })
  await site.rest()
  const steps = fc.array(step, { minLength: 3, maxLength: 12 })
  await fc.assert(fc.asyncProperty(steps, history), { numRuns: HISTORIES })
})
