// Sums of columns, which the last line of a file must have.
import type { Row } from './csv.ts'
import { type MoneyForm, roubles } from './money.ts'

export class Totals<Name extends string> {
  readonly #sums = new Map<Name, { stated: number; signed: number }>()

  /** @param stated kopecks as the line has them; `signed`: negative for what the merchant loses */
  add(name: Name, stated: number, signed: number): void {
    const sum = this.#sums.get(name)
    if (!sum) this.#sums.set(name, { stated, signed })
    else {
      sum.stated += stated
      sum.signed += signed
    }
  }

  /** Which of both sums a total is, is not said: a total that is neither is a fault. */
  check(row: Row<Name>, name: Name, form: MoneyForm): void {
    const total = row.kopecks(name, form)
    const { stated, signed } = this.#sums.get(name) ?? { stated: 0, signed: 0 }
    if (total !== stated && total !== signed)
      row.fault(name, `must be ${roubles(stated)}, the sum of the lines`)
  }
}
