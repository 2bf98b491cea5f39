// Restarts of the connector under a socket that systemd owns: what the service and the banks send meanwhile waits for it.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { bankDeployment, expectAgreement, ONE_EACH, WAITING } from '../support/bank-deployment.ts'

const RESTARTS = Number(process.env.RESTARTS ?? 5)

it('restarts under load lose no instruction of the service and no webhook of a bank', async () => {
  const deployment = await bankDeployment({ hasSocketUnit: true })
  const { connector, banks } = deployment
  let isDone = false
  let creates = 0
  let repeated = 0
  let longestMs = 0
  const paid: { code: string; isTaken: () => boolean }[] = []
  const load = Object.keys(ONE_EACH).map(async (siteId) => {
    const merchant = deployment.merchant(siteId)
    let refunds = 0
    const { pay, fake } = deployment.bankOf(siteId)
    for (let n = 0; !isDone; n++) {
      const from = performance.now()
      // The connector registers its link at the bank. The service waits for ten seconds, for which a slow machine can be away.
      while ((await merchant.create(`code-${n}`)).status === 503) repeated++
      const { qrcId } = await merchant.make(`code-${n}`)
      longestMs = Math.max(longestMs, performance.now() - from)
      creates++
      // The bank sends its webhook once.
      await pay(qrcId)
      paid.push({ code: qrcId, isTaken: () => fake.delivered.has(qrcId) })
      await merchant.has(`code-${n}`, 'PAYED')
      expect((await merchant.refund(qrcId, 'refund-1', 10)).status).toBe(200)
      refunds++
    }
    // The service may be about to send the last refund again, which the connector then does not know of.
    await vi.waitFor(async () => expect((await merchant.refundResults()).size).toBe(refunds), WAITING)
  })
  for (let restart = 0; restart < RESTARTS; restart++) {
    await sleep(500)
    await connector.restart()
  }
  isDone = true
  await Promise.all(load)
  const lost = paid.filter(({ isTaken }) => !isTaken()).map(({ code }) => code)
  const answers = banks.all.flatMap(({ fake }) => fake.webhookAnswers.map(({ status }) => status))
  console.log(
    `${RESTARTS} restarts: ${creates} creates, ${repeated} of them repeated, ${answers.length} webhooks, ${lost.length} of them lost, the longest create ${Math.round(longestMs)} ms`,
  )
  expect([lost, new Set(answers)]).toEqual([[], new Set([200])])
  await vi.waitFor(() => expect(connector.due()).toBe(0), WAITING)
  for (const siteId of Object.keys(ONE_EACH)) await expectAgreement(deployment, siteId)
}, 3_600_000)
