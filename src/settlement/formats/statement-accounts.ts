// The accounts of a statement: their turnovers are the sums of the documents.
import type { Faults } from './faults.ts'
import { kopecksIn, moneyRule, roubles } from './money.ts'
import type { Section } from './statement-section.ts'

const MONEY = 'point or stripped'
const TURNOVERS = ['ВсегоПоступило', 'ВсегоСписано'] as const
type Turnover = (typeof TURNOVERS)[number]

/** Kopecks. */
interface Account {
  stated: Record<Turnover, number>
  documents: Record<Turnover, number>
  /** Its last section: there can be one for each day. */
  section: Section
}

export class Accounts {
  readonly #faults: Faults
  readonly #expected = new Map<string, number>()
  readonly #accounts = new Map<string, Account>()

  constructor(faults: Faults) {
    this.#faults = faults
  }

  /** The head of the file names an account in that line. */
  expect(number: string, line: number): void {
    this.#expected.set(number, line)
  }

  has(number: string): boolean {
    return this.#accounts.has(number)
  }

  add(section: Section): void {
    const before = this.#faults.count
    const number = section.parsed(
      'РасчСчет',
      (value) => (/^\d{20}$/.test(value) ? value : undefined),
      'must be 20 digits',
    )
    const [credited, debited] = TURNOVERS.map((key) => sumIn(section, key))
    const [opening, closing] = ['НачальныйОстаток', 'КонечныйОстаток'].map((key) =>
      section.value(key) === '' ? undefined : sumIn(section, key),
    )
    if (this.#faults.count > before || number === undefined) return
    if (credited === undefined || debited === undefined) return
    if (opening !== undefined && closing !== undefined && opening + credited - debited !== closing)
      section.fault(
        'КонечныйОстаток',
        `is ${roubles(closing)}, must be ${roubles(opening + credited - debited)}`,
      )
    const account = this.#accounts.get(number) ?? { stated: zero(), documents: zero(), section }
    account.stated.ВсегоПоступило += credited
    account.stated.ВсегоСписано += debited
    account.section = section
    this.#accounts.set(number, account)
  }

  credit(number: string, sum: number): void {
    const account = this.#accounts.get(number)
    if (account) account.documents.ВсегоПоступило += sum
  }

  debit(number: string, sum: number): void {
    const account = this.#accounts.get(number)
    if (account) account.documents.ВсегоСписано += sum
  }

  /** Each account that the file names has a section, and the turnovers of its sections are its documents. */
  check(): void {
    for (const [number, line] of this.#expected)
      if (!this.has(number))
        this.#faults.add(`lines[${line}].РасчСчет`, 'has no СекцияРасчСчет, must have one')
    for (const { stated, documents, section } of this.#accounts.values())
      for (const key of TURNOVERS)
        if (stated[key] !== documents[key])
          section.fault(
            key,
            `is ${roubles(stated[key])}, must be ${roubles(documents[key])}, the sum of the documents`,
          )
  }
}

const zero = (): Record<Turnover, number> => ({ ВсегоПоступило: 0, ВсегоСписано: 0 })

const sumIn = (section: Section, key: string): number | undefined =>
  section.parsed(key, (text) => kopecksIn(text, MONEY), moneyRule(MONEY))
