// The ids of rows of the outbox: every row that an operator or a merchant is shown is found by its id.
import { expect, it } from 'vitest'
import { migrate } from '../../src/site/migrations.ts'
import { cancelNumber, notificationId, notificationNumber } from '../../src/site/rows/outbox.ts'
import { inNewSite } from '../support/site.ts'

it.each([
  ['a notification or an instruction', 31],
  ['the second notification of an event', -31],
  ['the instruction that cancels a link', cancelNumber(31)],
])('%s is found by its id', (_, number) =>
  inNewSite((storage) => {
    migrate(storage)
    expect(notificationNumber(storage.sql, notificationId(storage.sql, number))).toBe(number)
  }),
)

it('an id of another site is none of this site', () =>
  inNewSite((storage) => {
    migrate(storage)
    for (const id of ['0000-31', '0000-31-cancel', '31', '']) {
      expect(notificationNumber(storage.sql, id)).toBeUndefined()
    }
  }))
