// The contacts of receipts are erased to the last byte of a site's file and its log, whatever was written around them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { siteStorage } from '../../bin/data/site-storage.ts'
import { nextWake } from '../../src/site/clock.ts'
import { TableMemory } from '../../src/site/database/memory.ts'
import { migrate } from '../../src/site/database/schema.ts'
import { eraseContacts } from '../../src/site/receipts/contact-erasure.ts'
import { putContact } from '../../src/site/receipts/contacts.ts'
import { seconds } from '../../src/site/time.ts'

const DAY = 86_400
const START = Date.UTC(2026, 10, 20) / 1000

/** The tables of a site in a file. SQLite overwrites nothing of what is deleted unless it is told to. */
function siteFile() {
  const directory = mkdtempSync(join(tmpdir(), 'contacts-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'site.sqlite')
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  database.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF')
  const storage = siteStorage(database)
  migrate(storage)
  storage.sql.exec('UPDATE site SET retention_days = 30')
  const { sql } = storage
  const memory = new TableMemory(sql, nextWake)
  return {
    sql,
    /** The context at a time. */
    at: (now: number) => ({ sql, memory, now: seconds(now) }),
    /** The bytes of the file and of its log, which a checkpoint empties. */
    bytes: () => {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      return `${readFileSync(file, 'latin1')}${readFileSync(`${file}-wal`, 'latin1')}`
    },
  }
}

/** A contact, of any length that one can have. */
const contactOf = (number: number) =>
  number % 3 === 0
    ? { phone: `+7${String(9_000_000_000 + number * 7)}` }
    : { email: `payer-${number}@${'s'.repeat(number % 30)}hop.example` }
const textOf = (number: number) => Object.values(contactOf(number))[0] ?? ''

it('erases the contacts that are old, and none that are not', () => {
  const kinds = fc.constantFrom('qrCode', 'sale', 'payment')
  // How many days after the one before each contact comes, whose it is, and which others are written between.
  const given = fc.array(
    fc.tuple(fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 3), kinds, fc.integer({ min: 0, max: 300 })),
    {
      minLength: 1,
      maxLength: 300,
      size: 'max',
    },
  )
  fc.assert(
    fc.property(given, fc.integer({ min: 0, max: 40 }), (contacts, rest) => {
      const { sql, at, bytes } = siteFile()
      let now = START
      const times: number[] = []
      const erase = () => {
        for (let sweep = 0; sweep < 10; sweep++) eraseContacts(at(now))
      }
      for (const [index, [days, of, between]] of contacts.entries()) {
        now += days * DAY
        times.push(now)
        putContact(at(now), { of, row: index * 1000 }, contactOf(index))
        sql.exec(
          'INSERT INTO used_challenges (id, expires_at, request) VALUES (?, 0, ?)',
          `${index}`,
          'x'.repeat(between),
        )
        if (index % 10 === 0) erase()
      }
      now += rest * DAY
      erase()
      const found = bytes()
      const isOld = (index: number) => (times[index] ?? 0) <= now - 30 * DAY
      expect(
        contacts.flatMap((_, index) => (found.includes(textOf(index)) === isOld(index) ? [index] : [])),
      ).toEqual([])
    }),
    { numRuns: 4, endOnFailure: true },
  )
})

it('leaves nothing of a contact that another one replaces', () => {
  const { at, bytes } = siteFile()
  for (let number = 0; number < 100; number++)
    putContact(at(START), { of: 'qrCode', row: 1 }, contactOf(number))
  const found = bytes()
  expect(
    Array.from({ length: 100 }, (_, number) => number).filter((number) => found.includes(textOf(number))),
  ).toEqual([99])
})

it('writes the next contacts in the places of those that were erased, each of another', () => {
  const { sql, at, bytes } = siteFile()
  const count = () => sql.exec('SELECT number FROM contact_texts').toArray().length
  for (let row = 0; row < 5; row++) putContact(at(START), { of: 'qrCode', row }, contactOf(row))
  const before = count()
  eraseContacts(at(START + 31 * DAY))
  for (let row = 5; row < 11; row++) putContact(at(START + 31 * DAY), { of: 'sale', row }, contactOf(row))
  const found = bytes()
  expect(Array.from({ length: 11 }, (_, row) => row).filter((row) => found.includes(textOf(row)))).toEqual([
    5, 6, 7, 8, 9, 10,
  ])
  expect(count() - before).toBe(1)
})
