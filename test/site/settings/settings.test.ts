// The settings and the notification keys as a site keeps them: any sequence of changes, against a model.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Settings } from '../../../src/contract/settings.ts'
import { settingsRequest } from '../../../src/contract/settings-request.ts'
import { migrate } from '../../../src/site/database/schema.ts'
import { lastEvent } from '../../../src/site/events/events.ts'
import { activateNotificationKey, addNotificationKey } from '../../../src/site/settings/notification-keys.ts'
import { replaceSettings, settingsVersion } from '../../../src/site/settings/settings.ts'
import { activeKeys, contextOf, inNewSite } from '../../support/site.ts'

const onTables = (work: (sql: SqlStorage) => void) =>
  inNewSite((storage) => {
    migrate(storage)
    work(storage.sql)
  })

describe('the notification keys', () => {
  it('are one active and at most one inactive, whatever is added and activated, and each change is an event', () =>
    onTables((sql) => {
      let made = 0
      fc.assert(
        fc.property(fc.array(fc.integer({ min: -1, max: 12 }), { maxLength: 30 }), (steps) => {
          sql.exec('DELETE FROM notification_keys')
          let keys: { id: string; active: boolean }[] = []
          let events = lastEvent(sql)
          const names: string[] = []
          for (const step of steps) {
            const id = step < 0 ? `${made++}` : (names[step] ?? 'nothing')
            if (step < 0) {
              const outcome = addNotificationKey(contextOf(sql, 1), { id, key: `key ${id}` })
              expect(outcome.ok).toBe(keys.length < 2)
              if (keys.length < 2) {
                keys.push({ id, active: keys.length === 0 })
                names.push(id)
                events++
              }
            } else {
              const outcome = activateNotificationKey(contextOf(sql, 1), id)
              const key = keys.find((one) => one.id === id)
              expect(outcome.ok).toBe(key !== undefined)
              if (key && !key.active) {
                keys = [{ id, active: true }]
                events++
              }
            }
            expect(activeKeys(sql)).toEqual({
              active: keys[0] && `key ${keys[0].id}`,
              all: keys.map((key) => `key ${key.id}`),
            })
            expect(lastEvent(sql)).toBe(events)
          }
        }),
        { numRuns: 60 },
      )
    }))

  it('are added once by a call that is sent again', () =>
    onTables((sql) => {
      const key = { id: 'a', key: 'whsec_a' }
      const first = addNotificationKey(contextOf(sql, 1), key)
      expect(addNotificationKey(contextOf(sql, 2), key)).toEqual(first)
      expect([activeKeys(sql).all, lastEvent(sql)]).toEqual([['whsec_a'], 1])
    }))
})

describe('the settings', () => {
  const Any: fc.Arbitrary<Settings> = fc
    .record(
      {
        name: fc.constantFrom('a', 'b'),
        supportContact: fc.constantFrom('a', 'b'),
        notificationTypes: fc.subarray(['QR_CODE', 'TOKEN', 'PAYMENT']),
      },
      { requiredKeys: [] },
    )
    .map((body) => settingsRequest(['RUB']).parse(body))

  it('have another revision, and an event, exactly when they change; another one than If-Match names is refused', () =>
    onTables((sql) => {
      const revisions = [settingsVersion(sql).revision]
      fc.assert(
        fc.property(Any, fc.option(fc.nat({ max: 3 })), (settings, back) => {
          const before = settingsVersion(sql)
          const events = lastEvent(sql)
          const named = back === null ? undefined : (revisions.at(-1 - back) ?? 'none')
          const outcome = replaceSettings(contextOf(sql, 1), settings, named === undefined ? named : [named])
          const after = settingsVersion(sql)
          const isEqual = JSON.stringify(before.settings) === JSON.stringify(settings)
          const isCurrent = named === undefined || named === before.revision
          // A request that replaced the version before and is sent again has its effect already.
          const isReplay = isEqual && named === revisions.at(-2)
          expect(outcome.ok).toBe(isCurrent || isReplay)
          expect(after.settings).toEqual(outcome.ok ? settings : before.settings)
          const isChanged = outcome.ok && !isEqual
          expect(revisions.includes(after.revision)).toBe(!isChanged)
          expect(lastEvent(sql) - events).toBe(isChanged ? 1 : 0)
          if (isChanged) revisions.push(after.revision)
        }),
        { numRuns: 200 },
      )
    }))
})
