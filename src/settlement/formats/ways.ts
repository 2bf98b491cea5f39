// What a bank does not say can be written in two ways: a file keeps to the way of the first line that shows it.
import type { Row } from './csv.ts'

export class Ways {
  readonly #first = new Map<string, { way: boolean; line: number }>()

  /**
   * A line shows one of two ways; a fault of its cell if an earlier line shows the other one.
   * @param about what can be written in two ways; a fault quotes it
   */
  agree<Name extends string>(row: Row<Name>, name: Name, about: string, way: boolean): void {
    const first = this.#first.get(about)
    if (first === undefined) this.#first.set(about, { way, line: row.line })
    else if (first.way !== way)
      row.fault(name, `must show ${about} as line ${first.line} does: a file cannot mix two ways`)
  }
}
