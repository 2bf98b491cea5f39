// A statement of an account, 1CClientBankExchange 1.03: a line is KEY=VALUE; sections of accounts and of documents.
import { type Encoding, wrongCharacters } from './characters.ts'
import { russianDay, startOf } from './dates.ts'
import { type Bytes, type Entry, ID_RULE, MAX_ID, type Summary } from './entry.ts'
import { shown } from './faults.ts'
import { kopecksIn, moneyRule, roubles } from './money.ts'
import { peek } from './peek.ts'
import { type LineFormat, type Reading, read } from './read.ts'
import { Accounts } from './statement-accounts.ts'
import { type Posting, raiffeisenOperation } from './statement-purpose.ts'
import { Section } from './statement-section.ts'

export interface StatementOptions {
  /** Accounts of 20 digits, from which the bank pays out. */
  payoutAccounts: readonly string[]
  /** Whether purposes are Raiffeisenbank's, which name the operation. */
  isRaiffeisen: boolean
}

export const statement1c = async function* (
  bytes: Bytes,
  options: StatementOptions,
): AsyncGenerator<Entry[], Summary> {
  const { head, all } = await peek(bytes, HEAD_BYTES)
  const encoding = encodingOf(head)
  return yield* read(
    all,
    { kind: 'statement', encoding },
    (reading) => new Statement(reading, encoding, options),
  )
}

/** The field is in the second or third line. */
const HEAD_BYTES = 512
const ENCODING_KEY = 'Кодировка'
const ENCODING_VALUES: Readonly<Record<string, Encoding>> = {
  'windows-1251': 'windows-1251',
  Windows: 'windows-1251',
  DOS: 'ibm866',
}

/** The key is in the encoding that it names: it can be read in that one alone. */
function encodingOf(head: Uint8Array): Encoding {
  const isDos = new TextDecoder('ibm866').decode(head).includes(`\n${ENCODING_KEY}=`)
  return isDos ? 'ibm866' : 'windows-1251'
}

const MONEY = 'point or stripped'
const DAY_RULE = 'must be a day such as 20.11.2026'

class Statement implements LineFormat {
  readonly #reading: Reading
  readonly #encoding: Encoding
  readonly #options: StatementOptions
  readonly #head: Section
  readonly #accounts: Accounts
  #account: Section | undefined
  #document: Section | undefined
  #isClosed = false
  #lines = 0

  constructor(reading: Reading, encoding: Encoding, options: StatementOptions) {
    this.#reading = reading
    this.#encoding = encoding
    this.#options = options
    this.#head = new Section(1, reading.faults)
    this.#accounts = new Accounts(reading.faults)
  }

  line(text: string, line: number): void {
    const { faults } = this.#reading
    const place = `lines[${line}]`
    this.#lines = line
    if (line === 1) {
      if (text !== '1CClientBankExchange') faults.stop(place, 'must be 1CClientBankExchange')
      return
    }
    const [key = '', value] = splitAt(text, '=')
    const wrong = wrongCharacters(value ?? text, this.#encoding)
    if (this.#isClosed) faults.add(place, 'follows КонецФайла, must be absent')
    else if (wrong !== undefined) faults.add(`${place}.${shown(key)}`, wrong)
    else if (value !== undefined && !key.startsWith('Секция')) this.#field(key, value, line)
    else this.#boundary(key, line)
  }

  /** A line that begins or ends a section. */
  #boundary(key: string, line: number): void {
    const { faults } = this.#reading
    const place = `lines[${line}]`
    switch (key) {
      case 'СекцияРасчСчет':
        this.#requireNoSection(place, key)
        this.#account = new Section(line, faults)
        return
      case 'КонецРасчСчет':
        if (this.#account) this.#accounts.add(this.#account)
        else faults.stop(place, 'ends no section, must be in one')
        this.#account = undefined
        return
      case 'СекцияДокумент':
        this.#requireNoSection(place, key)
        this.#document = new Section(line, faults)
        return
      case 'КонецДокумента':
        if (!this.#document) faults.stop(place, 'ends no section, must be in one')
        this.#endDocument()
        return
      case 'КонецФайла':
        if (this.#account) faults.stop(place, 'is in the section of an account, must follow КонецРасчСчет')
        // The bank's own sample ends its last document so.
        this.#endDocument()
        this.#isClosed = true
        return
      default:
        faults.add(place, 'has no =, must be KEY=VALUE')
    }
  }

  #field(key: string, value: string, line: number): void {
    const section = this.#account ?? this.#document
    if (section) section.set(key, value, line)
    else this.#setHead(key, value, line)
  }

  end(): void {
    const { faults, tally } = this.#reading
    if (!this.#isClosed)
      faults.add(`lines[${this.#lines}]`, 'is the last line, must be КонецФайла: the file is cut off')
    this.#head.need(ENCODING_KEY)
    for (const key of ['ДатаНачала', 'ДатаКонца']) {
      const day = this.#head.parsed(key, russianDay, DAY_RULE)
      if (day !== undefined) tally.cover(day)
    }
    if (this.#isClosed && faults.count === 0) this.#accounts.check()
  }

  #requireNoSection(place: string, key: string): void {
    if (this.#account || this.#document)
      this.#reading.faults.stop(`${place}.${key}`, 'is in a section, must follow its end')
  }

  #setHead(key: string, value: string, line: number): void {
    const { faults } = this.#reading
    if (key === ENCODING_KEY && ENCODING_VALUES[value] !== this.#encoding)
      faults.stop(
        `lines[${line}].${key}`,
        `is ${value}, must be windows-1251, Windows or DOS, as the file is`,
      )
    if (key === 'ВерсияФормата' && value !== '1.03')
      faults.stop(`lines[${line}].${key}`, `is ${value}, must be 1.03`)
    if (key === 'РасчСчет') this.#accounts.expect(value, line)
    // Of other keys of the head there can be several.
    else if ([ENCODING_KEY, 'ДатаНачала', 'ДатаКонца'].includes(key)) this.#head.set(key, value, line)
  }

  #endDocument(): void {
    const document = this.#document
    this.#document = undefined
    if (!document) return
    const before = this.#reading.faults.count
    const sum = document.parsed('Сумма', (text) => kopecksIn(text, MONEY), moneyRule(MONEY)) ?? 0
    if (sum < 0) document.fault('Сумма', `is ${roubles(sum)}, must not be negative`)
    const payer = document.value('ПлательщикСчет') || document.value('ПлательщикРасчСчет')
    const receiver = document.value('ПолучательСчет') || document.value('ПолучательРасчСчет')
    const [creditedOn, debitedOn] = ['ДатаПоступило', 'ДатаСписано'].map((key) =>
      document.value(key) === '' ? undefined : document.parsed(key, russianDay, DAY_RULE),
    )
    const isCredit = creditedOn !== undefined && this.#accounts.has(receiver)
    const isDebit = debitedOn !== undefined && this.#accounts.has(payer)
    document.need('НазначениеПлатежа')
    if (!isCredit && !isDebit && this.#reading.faults.count === before)
      document.fault('ДатаПоступило', 'must be stated, or ДатаСписано, with an account of the statement')
    if (this.#reading.faults.count > before) return
    if (isCredit) this.#accounts.credit(receiver, sum)
    if (isDebit) this.#accounts.debit(payer, sum)
    const postedOn = creditedOn ?? debitedOn
    // What is moved between two accounts of the statement is no operation.
    if (postedOn === undefined || isCredit === isDebit) this.#reading.tally.skip()
    else {
      const counterparty = document.value(isCredit ? 'ПлательщикИНН' : 'ПолучательИНН')
      const purpose = document.value('НазначениеПлатежа')
      this.#posting(document, { sum, isCredit, postedOn, payer, counterparty, purpose })
    }
  }

  #posting(document: Section, posting: Posting): void {
    const { tally } = this.#reading
    const { sum, isCredit, postedOn, payer } = posting
    const operation = this.#options.isRaiffeisen ? raiffeisenOperation(posting, document) : undefined
    if (operation === 'faulty') return
    if (operation) {
      const { entry, stated } = operation
      tally.addUnnamed({ ...entry, line: document.line }, ['statement', ...stated])
    } else if (isCredit && this.#options.payoutAccounts.includes(payer)) {
      const day = { operatedAt: startOf(postedOn), hasTime: false, paidOn: postedOn }
      const number = document.value('Номер')
      if (number.length > MAX_ID) document.fault('Номер', `is ${shown(number)}, ${ID_RULE}`)
      const entry = { kind: 'payout', type: 'payout', line: document.line, gross: sum, ...day } as const
      tally.addUnnamed({ ...entry, bankIds: { operationId: number || undefined } }, [
        ...['statement', 'payout', payer, postedOn],
        ...[sum, number],
      ])
    } else tally.skip()
  }
}

function splitAt(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
