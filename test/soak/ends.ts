// What the supervisor says of a workerd that ended without being told to.
import type { BankDeployment } from '../support/bank-deployment.ts'

/** Where the clock goes back, the supervisor ends workerd on purpose. */
const UNPLANNED = /(?<!the clock went back.*\n)^.*workerd ended.*$/gm

export class Ends {
  readonly lines = new Set<string>()
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
    for (const line of log.slice(this.#read).match(UNPLANNED) ?? []) this.lines.add(line)
    // The line before a line says why; it and a line that is not complete yet are read again.
    const end = log.lastIndexOf('\n', log.lastIndexOf('\n') - 1)
    this.#read = log.lastIndexOf('\n', end - 1) + 1
  }
}
