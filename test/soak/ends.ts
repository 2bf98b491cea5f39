// What the supervisor says of a workerd that ended without being told to.
import type { BankDeployment } from '../support/bank-deployment.ts'

const ENDS = /^.*workerd ended.*$/gm
/** Then the supervisor ends workerd on purpose. */
const STEPS_BACK = /^.*the clock went back.*$/gm

export class Ends {
  readonly #ends = new Set<string>()
  readonly #stepsBack = new Set<string>()
  readonly #service: BankDeployment['service']
  #supervisor: number | undefined
  /** How far the log of this supervisor was read. */
  #read = 0

  constructor(service: BankDeployment['service']) {
    this.#service = service
  }

  /** Reads what the log has more than before: in hours it becomes too long to be read as a whole. */
  read(): void {
    const { log, pids } = this.#service
    if (pids.supervisor !== this.#supervisor) this.#read = 0
    this.#supervisor = pids.supervisor
    const more = log.slice(this.#read)
    for (const line of more.match(ENDS) ?? []) this.#ends.add(line)
    for (const line of more.match(STEPS_BACK) ?? []) this.#stepsBack.add(line)
    // A line that is not complete yet is read again.
    this.#read = log.lastIndexOf('\n') + 1
  }

  /** All ends, where more are known than the test made. @param kills of workerd alone, by the test */
  unplanned(kills: number): string[] {
    return this.#ends.size > kills + this.#stepsBack.size ? [...this.#ends] : []
  }
}
