// The reference of the documentation site has a page for each resource.
import { expect, it } from 'vitest'
import { REFERENCE } from '../../bin/docs/pages.ts'
import { operationsOf } from '../../src/api/operations.ts'

it('has a page for each tag of the document', () => {
  const tags = new Set(operationsOf({ currencies: ['RUB'], hasSandbox: true }).map(({ tag }) => tag.name))
  expect(REFERENCE.map(({ tag }) => tag).toSorted()).toEqual([...tags].toSorted())
})
