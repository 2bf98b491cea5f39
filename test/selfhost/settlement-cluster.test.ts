// Imports of settlement files in a cluster: its engine refuses a commit of many pages, and an instance can be killed in the midst.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { type Instance, testCluster } from '../support/cluster.ts'
import { encode } from '../support/settlement/files.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { linkIdIn } from '../support/site-at.ts'

/** A file may have 100,000. */
const LINES = Number(process.env.LINES ?? 3_000)
const PAID = [1, 2, LINES]

const registry = encode(
  tbankText(
    Array.from({ length: LINES }, (_, i) =>
      tbankLine({
        ...{ number: `${i + 1}`, paymentId: `${i + 1}`, order: '' },
        operationId: `A${String(i + 1).padStart(31, '0')}`,
      }),
    ),
  ),
  'windows-1251',
)

const put = (instance: Instance) =>
  instance.site('one').ask('/settlements/november?bank=tbank&format=registry', {
    ...{ method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: registry },
  })

const Settlement = z.object({ entries: z.int(), matched: z.int(), unknown: z.int() })
const IMPORTED = { entries: LINES, matched: PAID.length, unknown: LINES - PAID.length }

it(`a file of ${LINES} lines is imported, also after the instance that has the site was killed in the midst`, {
  timeout: 900_000,
}, async () => {
  const testing = await testCluster()
  const [owner, other] = [await testing.join('a'), await testing.join('b')]
  for (const number of PAID) {
    const site = owner.site('one')
    const linkId = linkIdIn(await site.create(`order-${number}`, { amount: { value: 100 } }))
    const report = await site.report(linkId, `pay-${number}`, {
      ...{ amount: { value: 100 }, dateTime: '2026-11-20T09:05:30+03:00' },
      ...{ networkUid: `${number}`, bank: 'tbank' },
    })
    expect(report.status).toBe(200)
  }
  const begun = performance.now()
  expect((await put(other)).status).toBe(201)
  const milliseconds = performance.now() - begun
  console.log(`${LINES} lines took ${Math.round(milliseconds / 1000)} s in a cluster`)
  expect(Settlement.parse(await other.site('one').value('/settlements/november'))).toEqual(IMPORTED)
  expect((await owner.site('one').ask('/settlements/november', { method: 'DELETE' })).status).toBe(204)

  const broken = put(other).then(
    ({ status }) => status,
    () => 0,
  )
  await sleep(milliseconds / 2)
  await owner.kill()
  expect(await broken).not.toBe(201)
  // What was in progress ends by itself, a minute after the last that was heard of it.
  const again = async () => (await put(other)).status
  await expect.poll(again, { timeout: 300_000, interval: 5_000 }).toBe(201)
  expect(Settlement.parse(await other.site('one').value('/settlements/november'))).toEqual(IMPORTED)
  expect(
    z.object({ settlements: z.array(z.unknown()) }).parse(await other.site('one').value('/settlements'))
      .settlements,
  ).toHaveLength(1)
})
