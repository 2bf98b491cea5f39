// How an object that was reached without its name finds it.
import { describe, expect, it } from 'vitest'
import { UNNAMED } from '../../../src/contract/site-id.ts'
import { Tables } from '../../../src/site/database/tables.ts'
import { SiteName } from '../../../src/site/rows/site-id.ts'
import { seconds } from '../../../src/site/time.ts'
import { inNewSite } from '../../support/site.ts'

const ofDemo = (name?: string) => new SiteName(name, (each) => each === 'demo')

const tablesOf = (storage: DurableObjectStorage, name: SiteName) =>
  new Tables(
    storage,
    name,
    () => seconds(0),
    () => {},
  )

/** Tables in which the site of the first name has written, opened by an object that knows no name. */
const reopened = (writer: string, read: (name: SiteName) => void) =>
  inNewSite((storage) => {
    tablesOf(storage, new SiteName(writer, () => true)).write(() => {})
    const name = ofDemo()
    tablesOf(storage, name)
    read(name)
  })

describe('the name of an object that was reached by its id', () => {
  it('is the one in its tables', () => reopened('demo', (name) => expect(name.value).toBe('demo')))

  it('is not one in its tables that has another id: the object does not start', () =>
    expect(reopened('other', () => {})).rejects.toThrow('is not the one of site other'))

  it('is unknown without tables, and a read makes none', () =>
    inNewSite((storage) => {
      const tables = tablesOf(storage, ofDemo())
      expect(() => tables.read(() => 'read')).toThrow(UNNAMED)
      expect(() => tables.write(() => 'written')).toThrow(UNNAMED)
      expect(tables.exist).toBe(false)
    }))

  it('is not asked for where the object was reached by it', () =>
    inNewSite((storage) => {
      tablesOf(storage, new SiteName('other', () => true)).write(() => {})
      const name = ofDemo('demo')
      tablesOf(storage, name)
      expect(name.value).toBe('demo')
    }))
})
