// npm run rights: writes the table of roles into the documents and the console, from the scopes that the operations check.
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

/** What each role may do, for each group of operations of a site: a heading and rows of cells. */
export function rightsRows(language: 'en' | 'ru'): readonly (readonly string[])[] {
  const { of, roles, cells } = WORDS[language]
  const tags = REFERENCE.filter(({ tag }) => operations.some((each) => each.tag.name === tag))
  return [
    [of, ...SITE_ROLES.map((role) => roles[role])],
    ...tags.map((each) => [each[language], ...SITE_ROLES.map((role) => cells[cellOf(each.tag, role)])]),
  ]
}

/** The table in Markdown. */
export function rightsTable(language: 'en' | 'ru'): string {
  const [heading = [], ...rows] = rightsRows(language)
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The same for the page of the console where an owner chooses a role. */
const consoleModule = (): string => `// What each role may do: npm run rights writes this file.
import type { Language } from '../http/negotiation.ts'

/** A heading, and a row for each group of operations. */
export const ROLE_RIGHTS: Record<Language, readonly (readonly string[])[]> = ${JSON.stringify({ en: rightsRows('en'), ru: rightsRows('ru') }, undefined, 2)}
`

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
  writeFileSync(join(import.meta.dirname, '../../src/console/role-rights.ts'), consoleModule())
}
