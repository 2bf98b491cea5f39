// The table of roles in the documents and in the console is what the operations check: npm run rights writes it.
import { expect, it } from 'vitest'
import { RIGHTS, RIGHTS_DOCUMENTS, rightsRows, rightsTable } from '../../bin/docs/rights.ts'
import { ROLE_RIGHTS } from '../../src/console/role-rights.ts'

const documents = import.meta.glob<string>(['../../docs/contract.md', '../../docs/guides/*/people.md'], {
  ...{ query: '?raw', import: 'default', eager: true },
})

/** Without the padding of the columns. */
const cells = (table = '') =>
  table
    .split('\n')
    .filter((row) => !/^[|\s-]+$/.test(row))
    .map((row) => row.split('|').map((cell) => cell.trim()))

it.each(RIGHTS_DOCUMENTS)('%s has the rights of each role', (path, language) => {
  const [table] = RIGHTS.exec(documents[`../../${path}`] ?? '') ?? []
  expect(cells(table)).toEqual(cells(rightsTable(language)))
})

it.each(['en', 'ru'] as const)('the console has the rights of each role in %s', (language) => {
  expect(ROLE_RIGHTS[language]).toEqual(rightsRows(language))
})
