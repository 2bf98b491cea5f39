// The ids of rows of the outbox: every row that an operator or a merchant is shown is found by its id.
import { expect, it } from 'vitest'
import { migrate } from '../../../src/site/database/schema.ts'
import { instructionKey, notificationId, notificationKey } from '../../../src/site/outbox/rows.ts'
import { inNewSite } from '../../support/site.ts'

it.each([
  ['a notification', notificationKey, 'notification', /^[0-9a-f]{16}-31$/],
  ['the second notification of an event', notificationKey, 'token', /^[0-9a-f]{16}-31-token$/],
  ['an instruction', instructionKey, 'instruction', /^[0-9a-f]{16}-31$/],
  ['the instruction that cancels a link', instructionKey, 'cancel', /^[0-9a-f]{16}-31-cancel$/],
] as const)('%s is found by its id', (_, keyOf, kind, form) =>
  inNewSite((storage) => {
    migrate(storage)
    const id = notificationId(storage.sql, { event: 31, kind })
    expect(id).toMatch(form)
    expect(keyOf(storage.sql, id)).toEqual({ event: 31, kind })
  }),
)

it('an id of another site is none of this site', () =>
  inNewSite((storage) => {
    migrate(storage)
    for (const id of ['0000-31', '0000-31-cancel', '31', '']) {
      expect([notificationKey(storage.sql, id), instructionKey(storage.sql, id)]).toEqual([
        undefined,
        undefined,
      ])
    }
  }))
