// Writes into the connector's log what operators have decided, also what they decided while it was stopped.
import { roublesOf } from '../../amounts.ts'
import type { Core } from '../../core.ts'

export class DecisionLog {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  tick(): void {
    const { disk, log } = this.#core
    for (const decision of disk.decisions.notLogged()) {
      const { site, paymentUid, refundUid, receiptUid, result, amount, by, decidedAt } = decision
      log('info', 'an operator has decided', {
        ...{ site, paymentUid, refundUid: refundUid ?? undefined, receiptUid: receiptUid ?? undefined },
        ...{ result, amount: roublesOf(amount), by },
        decidedOn: new Date(decidedAt).toISOString(),
      })
      disk.decisions.logged(decision)
    }
  }

  async settled(): Promise<void> {}
}
