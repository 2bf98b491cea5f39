// Tochka's registry of payment links: JSON, the payments of a day in groups by how they were paid.
import { isUtf16 } from './characters.ts'
import { isoTime, moscowDay } from './dates.ts'
import type { Bytes, Entry, Summary } from './entry.ts'
import { Faults } from './faults.ts'
import { type Element, JsonReader, NotJson } from './json.ts'
import { Members, placeOf } from './json-members.ts'
import { textOf } from './lines.ts'
import { roubles } from './money.ts'
import { peek } from './peek.ts'
import { otherFile } from './signatures.ts'
import { Tally } from './tally.ts'

/** By these it is known that a file is another one. */
const HEAD_BYTES = 1024
/** A batch of entries. */
const BATCH = 500

export async function* tochkaRegistry(bytes: Bytes): AsyncGenerator<Entry[], Summary> {
  const faults = new Faults()
  const tally = new Tally(faults)
  const registry = new TochkaRegistry(faults, tally)
  const { head, all } = await peek(bytes, HEAD_BYTES)
  const begin = new TextDecoder().decode(head)
  if (begin.trim() === '' && head.length < HEAD_BYTES) return tally.summary()
  if (isUtf16(begin)) faults.stop('file', 'is UTF-16, must be utf-8')
  const other = otherFile(begin, 'tochka')
  if (other !== undefined) faults.stop('file', other)
  for await (const text of textOf(all, 'utf-8')) {
    registry.push(text)
    if (faults.count === 0) yield* batchesOf(tally.take())
  }
  registry.end()
  faults.end()
  yield* batchesOf(tally.take())
  return tally.summary()
}

function* batchesOf(entries: Entry[]): Generator<Entry[]> {
  for (let at = 0; at < entries.length; at += BATCH) yield entries.slice(at, at + BATCH)
}

/** A payment of a group, of which it is not known yet how it was paid. */
interface Pending {
  place: string
  line: number
  /** Kopecks. */
  amount: number
  commission: number
  enrolled: number
  operatedAt: number
  hasTime: boolean
  operationId: string
  order: string | undefined
}

const isPayment = (path: Element['path']): boolean =>
  path.length === 5 && path[0] === 'Data' && path[1] === 'Registry' && path[3] === 'payments'
const isGroup = (path: Element['path']): boolean =>
  path.length === 3 && path[0] === 'Data' && path[1] === 'Registry'
const isRoot = (path: Element['path']): boolean => path.length === 0

const PAYMENT_KEYS = {
  needed: [
    'purpose',
    'amount',
    'operationId',
    'paymentLink',
    'time',
    'number',
    'commission',
    'enrollmentAmount',
  ],
  optional: ['status'],
}
const GROUP_KEYS = { needed: ['paymentType', 'totalAmount', 'payments'], optional: ['paymentId'] }
const ROOT_KEYS = { needed: ['Data'], optional: ['Links', 'Meta'] }

const OURS = 'sbp'
const PAYMENT_TYPES: readonly string[] = [OURS, 'card', 'tinkoff', 'dolyame']

class TochkaRegistry {
  readonly #faults: Faults
  readonly #tally: Tally
  readonly #json = new JsonReader(
    (path) => isPayment(path) || isGroup(path) || isRoot(path),
    (element) => this.#take(element),
  )
  #pending: Pending[] = []
  #line = 0
  #hasRoot = false

  constructor(faults: Faults, tally: Tally) {
    this.#faults = faults
    this.#tally = tally
  }

  push(text: string): void {
    this.#read(() => this.#json.push(text))
  }

  end(): void {
    this.#read(() => this.#json.end())
    if (!this.#hasRoot) this.#faults.add('file', 'is not an object, must be one')
  }

  #read(read: () => void): void {
    try {
      read()
    } catch (error) {
      if (error instanceof NotJson) this.#faults.stop(placeOf(error.path), error.message)
      throw error
    }
  }

  #take({ path, value }: Element): void {
    const object = new Members(placeOf(path), value, this.#faults)
    if (isPayment(path)) this.#payment(object)
    else if (isGroup(path)) this.#group(object)
    else this.#root(object)
  }

  #payment(object: Members): void {
    const before = this.#faults.count
    this.#line++
    object.check(PAYMENT_KEYS)
    const [amount, commission, enrolled] = [
      ...[object.kopecks('amount'), object.kopecks('commission'), object.kopecks('enrollmentAmount')],
    ]
    const time = object.parsed('time', isoTime, 'must be a time such as 2026-11-20T09:05:30+03:00')
    const operationId = object.parsed(
      'operationId',
      (text) => (/^[\w-]{1,64}$/.test(text) ? text : undefined),
      'must be 1 to 64 letters, digits, _ and -',
    )
    if (this.#faults.count > before) return
    if (amount === undefined || commission === undefined || enrolled === undefined) return
    if (!time || operationId === undefined) return
    if (amount === 0) object.fault('amount', 'is 0.00, must not be 0')
    if (amount > 0 && commission < 0)
      object.fault('commission', `is ${roubles(commission)}, must not be negative, because it is a payment`)
    if (amount - commission !== enrolled)
      object.fault(
        'enrollmentAmount',
        `is ${roubles(enrolled)}, must be ${roubles(amount - commission)}, the amount less the commission`,
      )
    if (this.#faults.count > before) return
    const { place } = object
    const order = object.short('number') || undefined
    this.#pending.push({
      ...{ place, line: this.#line, amount, commission, enrolled, ...time, operationId, order },
    })
  }

  #group(object: Members): void {
    const payments = this.#pending
    this.#pending = []
    object.check(GROUP_KEYS)
    const type = object.parsed(
      'paymentType',
      (text) => PAYMENT_TYPES.find((each) => each === text),
      `must be one of ${PAYMENT_TYPES.join(', ')}`,
    )
    const others = object.value('payments')
    if (!Array.isArray(others) || others.length > 0)
      object.fault('payments', 'is not a list of objects, must be one')
    // The network's number is that of a payment only where the group is one payment.
    const networkId = payments.length === 1 ? object.short('paymentId') || undefined : undefined
    for (const each of payments) this.#add(each, type === OURS, networkId)
    const total = object.kopecks('totalAmount')
    const sum = payments.reduce((all, { amount }) => all + amount, 0)
    // The sum lacks a payment that could not be read.
    if (total !== undefined && total !== sum && this.#faults.count === 0)
      object.fault('totalAmount', `is ${roubles(total)}, must be ${roubles(sum)}, the sum of the payments`)
  }

  #add(payment: Pending, isOurs: boolean, networkId: string | undefined): void {
    const { place, line, amount, commission, enrolled, operatedAt, hasTime, operationId, order } = payment
    this.#tally.cover(moscowDay(operatedAt))
    if (!isOurs) {
      this.#tally.skip()
      return
    }
    // How a refund is shown is not said: an amount that is negative is one.
    const kind = amount > 0 ? ('payment' as const) : ('refund' as const)
    const entry = {
      ...{ kind, type: kind, line, gross: amount, fee: 0 - commission, net: enrolled, operatedAt, hasTime },
      bankIds: { paymentId: operationId, ...(networkId && { operationId: networkId }), order },
    }
    if (kind === 'payment') this.#tally.addNamed(entry, [kind, operationId], `${place}.operationId`)
    else this.#tally.addUnnamed(entry, [kind, operationId, operatedAt, amount])
  }

  #root(object: Members): void {
    this.#hasRoot = true
    object.check(ROOT_KEYS)
    const data = object.value('Data')
    const groups = data instanceof Map ? data.get('Registry') : undefined
    if (!Array.isArray(groups) || groups.length > 0)
      this.#faults.add('Data.Registry', 'is not a list of objects, must be one')
  }
}
