// The README: both languages have the same facts, and what it says of status and limits is what the other documents say.
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { PaymentStatus } from '../../src/contract/payment.ts'
import { STATUSES } from '../../src/contract/status.ts'

const texts = import.meta.glob<string>(
  [
    '../../{README,README.ru,SECURITY}.md',
    '../../docs/*.md',
    '../../docs/guides/*/*.md',
    '../../client/README.md',
  ],
  { query: '?raw', import: 'default', eager: true },
)
const textOf = (file: string): string => texts[`../../${file}`] ?? ''
const README = textOf('README.md')
/** Its fractions have a comma. */
const RUSSIAN = textOf('README.ru.md').replaceAll(/(\d),(\d)(?!\d)/g, '$1.$2')
const all = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, each = '']) => each)
const withoutCode = (text: string) => text.replaceAll(/^```.*?^```$/gms, '')

describe('both languages', () => {
  it.each<[what: string, of: (text: string) => unknown]>([
    ['parts', (text) => all(text, /^(#+) /gm)],
    ['commands', (text) => all(text, /^```\w+\n(.*?)^```$/gms).map(withoutNames)],
    ['pictures', (text) => all(text, /<img .*?src="([^"]+)"/gs)],
    ['points', (text) => all(text, /^(- |\| )/gm)],
    [
      'files that they link to',
      (text) =>
        all(text, /\]\(([^)\s]+)\)/g)
          .map(fileOf)
          .toSorted(),
    ],
    // Sentences have other orders.
    ['names', (text) => all(withoutCode(text), /`([^`]+)`/g).toSorted()],
    ['numbers', (text) => all(withoutLinks(withoutCode(text)), /(\d[\d.,]*\d|\d)/g).toSorted()],
  ])('have the same %s', (_, of) => expect(of(RUSSIAN)).toEqual(of(README)))
})

/** What is quoted and what a diagram says can be translated. */
const withoutNames = (block: string) =>
  block.includes('flowchart')
    ? block.replaceAll(/"[^"]*"/g, '""')
    : block.replaceAll(/"name":"[^"]*"/g, '"name":"…"')
const withoutLinks = (text: string) => text.replaceAll(/\]\([^)]*\)/g, ']').replaceAll(/<img [^>]*>/g, '')
/** The language of a guide and the heading in it differ. */
const fileOf = (to: string) =>
  to
    .replace(/#.*/, '#')
    .replace('/guides/ru/', '/guides/en/')
    .replace(/^README(\.ru)?\.md$/, 'README')

describe.each([
  ['README.md', README, 'Status and limits'],
  ['README.ru.md', RUSSIAN, 'Состояние и границы'],
])('the status and limits of %s', (_, text, heading) => {
  const section = text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? ''
  const words = section.replaceAll(/\s+/g, ' ')

  it('is of this version', () => expect(words).toContain(` ${packageJson.version}`))

  it.each([
    ['$5 ', 'docs/cloudflare.md', 'from $5 a month'],
    ['$5.30', 'docs/scale.md', '| 1 million   | 3 M'],
    ['$105.65', 'docs/scale.md', '**$105.65**'],
    ['$1,498.87', 'docs/scale.md', '**$1,498.87**'],
    ['10 ', 'docs/scale.md', '10 GB (10,000,000,000 bytes)'],
    ['15.4 ', 'docs/scale.md', '| created and paid                   | 651        | 15.4 million'],
    ['150 ', 'docs/reliability.md', 'eleven runs of 70 to 150 minutes'],
    ['110 ', 'docs/reliability.md', 'five runs of 60 to 110 minutes'],
    ['docs/banks.md', 'docs/banks.md', '**It never ran at a real bank.**'],
    ['docs/cash-registers.md', 'docs/cash-registers.md', '**It never ran at a real cash register.**'],
    ['docs/cloudflare.md', 'docs/cloudflare.md', 'was not tried on an account'],
    ['docs/cluster.md', 'docs/cluster.md', '**Experimental.**'],
    ['docs/cloudflare.md#where-the-data-is', 'docs/cloudflare.md', 'No jurisdiction covers Russia'],
    ['docs/performance.md#what-is-missing', 'docs/performance.md', 'Ten goals are not reached'],
    ['docs/scale.md#goals-that-are-missed', 'docs/scale.md', 'Five goals are [missed]'],
    ['docs/operations.md#backups', 'docs/operations.md', 'No command of this service restores from it'],
  ])('%s is what %s says', (fact, source, said) => {
    expect(words).toContain(fact)
    expect(textOf(source)).toContain(said)
  })

  it('says who makes receipts by 54-FZ, and what is not built', () => {
    expect(words).toMatch(/54-(FZ: yes, by your cash register|ФЗ: да, через вашу кассу)/)
    expect(words).toMatch(
      /Marking, agents, suppliers and corrections are not built|Маркировки, агентов, поставщиков и коррекций нет/,
    )
  })

  it('has the contact of SECURITY.md, and no other', () => {
    expect(textOf('SECURITY.md')).toContain('by the form "Report a vulnerability" of the repository\'s page')
    expect(words).toMatch(/Report a vulnerability.*SECURITY\.md/)
    expect(text).not.toMatch(/[\w.]+@[\w-]+\.\w+/)
  })
})

it.each([
  ...['README.md', 'README.ru.md', 'docs/operations.md', 'docs/cloudflare.md'],
  ...['docs/guides/en/going-live.md', 'docs/guides/ru/going-live.md'],
])('%s says that what Cloudflare keeps is restored by no command', (file) => {
  const words = textOf(file).replaceAll(/\s+/g, ' ')
  expect(words).toMatch(/30 (days|дней)/)
  expect(words).toMatch(
    /no command (of (this|the) service )?restores from|ни одна команда из них не восстанавливает/i,
  )
  expect(words).toMatch(/changed build|изменённая сборка/)
})

it.each(['README.md', 'README.ru.md', 'docs/guides/en/notifications.md', 'docs/guides/ru/notifications.md'])(
  '%s tells PAYED, COMPLETED and SUCCESS apart where it has the second of them',
  (file) => {
    const text = textOf(file)
    const rows = all(text, /^\| `(\w+)` +\| /gm)
    expect(rows).toEqual(expect.arrayContaining(['PAYED', 'COMPLETED', 'SUCCESS']))
    expect(STATUSES).toContain('PAYED')
    expect(PaymentStatus.options).toContain('COMPLETED')
    const words = withoutCode(text.slice(0, text.indexOf('| `PAYED`'))).match(/`(PAYED|COMPLETED|SUCCESS)`/g)
    // Before the table a reader has met two of them at most, and the second just before it.
    expect(new Set(words).size).toBeLessThanOrEqual(2)
  },
)

it.each([
  'README.md',
  'README.ru.md',
  'docs/guides/en/five-minutes.md',
  'docs/guides/ru/five-minutes.md',
  'docs/guides/en/tokens.md',
  'docs/guides/ru/tokens.md',
  'client/README.md',
])('%s gives the unit of ttl', (file) =>
  expect(textOf(file).replaceAll(/\s+/g, ' ')).toMatch(/`ttl`[^.|]*(minutes|минут)/),
)
