// What an operator does after faults and crashes at banks, until the three sides agree.
import { expect, vi } from 'vitest'
import { type BankDeployment, expectAgreement, WAITING } from './bank-deployment.ts'
import { byLedger, settleHeld } from './held.ts'

/** A refund that the service has accepted. */
export interface AskedRefund {
  siteId: string
  paymentUid: string
  refundUid: string
}

/** No delay of service and connector is longer, and no code ends meanwhile. */
const HOURS = 1

/**
 * Everything is up, the banks are well and time passes; the operator reconciles, and decides what is held by what the
 * bank's console shows. Then the sums of bank, service and the merchants' feeds agree, and each refund has a result.
 * @param ahead the hours by which the clock is ahead
 * @returns how many refunds were held
 */
export async function settled(deployment: BankDeployment, ahead: number, refunds: readonly AskedRefund[]) {
  const { service, connector, banks } = deployment
  for (const { fake } of banks.all) fake.heal()
  await connector.kill()
  await connector.start()
  deployment.setClock(ahead + HOURS)
  await vi.waitFor(async () => {
    expect((await connector.reconcile()).output).not.toContain('paid at ')
  }, WAITING)
  await areNone(deployment, UNREPORTED)
  // Its timers do not see a clock that is set. The connector has nothing for it meanwhile, and takes what is due.
  await service.stop()
  deployment.setClock(ahead + 2 * HOURS)
  await service.start()
  const decided = await decideHeld(deployment)
  await Promise.all(refunds.map((refund) => hasResult(deployment, refund)))
  await nothingIsOpen(deployment)
  for (const siteId of Object.keys(deployment.config.sites)) await expectAgreement(deployment, siteId)
  await service.verify()
  return decided
}

/** The connector has reported all that it knows, and the banks work on nothing. */
export const nothingIsOpen = (deployment: BankDeployment) =>
  areNone(deployment, ['open_refunds', ...UNREPORTED])

const UNREPORTED = ['reports_not_accepted', 'webhooks_not_reported']

const areNone = ({ connector }: BankDeployment, names: readonly string[]) =>
  vi.waitFor(async () => {
    for (const name of names)
      expect([name, await connector.metric(`fps_connector_${name}`)]).toEqual([name, 0])
  }, WAITING)

/** Decides what waits for the operator's word, when nothing goes on without it. @returns how many refunds */
async function decideHeld(deployment: BankDeployment): Promise<number> {
  const { connector } = deployment
  const commands = connector.commands()
  let all = 0
  for (let decided = -1; decided !== 0; all += decided) {
    await vi.waitFor(async () => {
      expect(await connector.metric('fps_connector_reports_not_accepted')).toBe(0)
      const held = await connector.metric('fps_connector_held_refunds')
      if (held === 0) expect(await connector.metric('fps_connector_open_refunds')).toBe(0)
    }, WAITING)
    decided = await settleHeld(deployment, commands, (held) => byLedger(deployment, held))
  }
  commands.end()
  return all
}

async function hasResult(deployment: BankDeployment, { siteId, paymentUid, refundUid }: AskedRefund) {
  const { ask } = deployment.merchant(siteId)
  await vi.waitFor(async () => {
    const { text } = await ask(`/payments/${paymentUid}/refunds/${refundUid}`)
    expect([siteId, refundUid, text]).toEqual([
      siteId,
      refundUid,
      expect.stringMatching(/"(COMPLETED|DECLINED)"/),
    ])
  }, WAITING)
}
