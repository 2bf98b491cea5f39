// npm run rights: writes the table of roles into the documents, from the scopes that the operations check.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operationsOf } from '../../src/api/operations.ts'
import { grants, isOfOperator } from '../../src/contract/access-token.ts'
import { SCOPE_OF, SITE_ROLES, type SiteRole } from '../../src/contract/role.ts'
import { REFERENCE } from './pages.ts'

const WORDS = {
  en: {
    of: 'Operations of',
    roles: { owner: 'Owner', manager: 'Manager', accountant: 'Accountant', cashier: 'Cashier' },
    cells: { all: 'all', reads: 'reads', some: 'some', none: '—' },
  },
  ru: {
    of: 'Операции',
    roles: { owner: 'Владелец', manager: 'Менеджер', accountant: 'Бухгалтер', cashier: 'Кассир' },
    cells: { all: 'все', reads: 'чтение', some: 'часть', none: '—' },
  },
} as const

const operations = operationsOf({ currencies: ['RUB'], hasSandbox: true }).filter(
  ({ scopes }) => !isOfOperator(scopes) && !scopes.includes('network'),
)

function cellOf(tag: string, role: SiteRole): keyof (typeof WORDS)['en']['cells'] {
  const ofTag = operations.filter((each) => each.tag.name === tag)
  const isAllowed = ({ scopes }: (typeof operations)[number]) => grants({ scope: [SCOPE_OF[role]] }, scopes)
  if (ofTag.every(isAllowed)) return 'all'
  if (!ofTag.some(isAllowed)) return 'none'
  return ofTag.every((each) => isAllowed(each) === (each.method === 'get')) ? 'reads' : 'some'
}

/** The table in Markdown: what each role may do, for each group of operations of a site. */
export function rightsTable(language: 'en' | 'ru'): string {
  const { of, roles, cells } = WORDS[language]
  const row = (texts: readonly string[]) => `| ${texts.join(' | ')} |`
  const tags = REFERENCE.filter(({ tag }) => operations.some((each) => each.tag.name === tag))
  return [
    row([of, ...SITE_ROLES.map((role) => roles[role])]),
    row(['---', '---', '---', '---', '---']),
    ...tags.map((each) => row([each[language], ...SITE_ROLES.map((role) => cells[cellOf(each.tag, role)])])),
  ].join('\n')
}

/** The documents that have the table, behind a comment, and in which language. */
export const RIGHTS_DOCUMENTS = [
  ['docs/contract.md', 'en'],
  ['docs/guides/en/people.md', 'en'],
  ['docs/guides/ru/people.md', 'ru'],
] as const

/** Where the table is in a document. */
export const RIGHTS = /(?<=<!-- npm run rights -->\n\n)\|[\s\S]*?(?=\n\n)/

if (process.argv[1] === import.meta.filename) {
  for (const [path, language] of RIGHTS_DOCUMENTS) {
    const file = join(import.meta.dirname, '../..', path)
    writeFileSync(file, readFileSync(file, 'utf8').replace(RIGHTS, rightsTable(language)))
  }
}
