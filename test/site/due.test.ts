// What the alarm of a site does in one write: a cluster limits the pages that a commit changes (decision 125).
import { expect, it } from 'vitest'
import { Due } from '../../src/site/due.ts'
import { ok } from '../../src/site/outcomes.ts'
import { toMilliseconds } from '../../src/site/time.ts'
import { deleted, imported, line } from '../support/settlement/imports.ts'
import { contextOf, creation, inNewSite } from '../support/site.ts'

it('a write that deletes old QR codes leaves what a settlement has to clean to the next one', () =>
  inNewSite(async ({ sql }, site) => {
    await site.create(creation('old'))
    await imported(site, { settlementUid: 'a', entries: [line('1')] })
    await deleted(site, 'a')
    sql.exec('UPDATE site SET retention_days = 1')
    const context = contextOf(sql, Math.floor(Date.now() / 1000) + 10 * 86_400)
    const due = new Due({
      read: (operation) => operation(context),
      write: (operation) => Promise.resolve(ok(operation(context, toMilliseconds(context.now)))),
    })
    const left = () =>
      ['qr_codes', 'settlement_changes'].map(
        (table) => sql.exec(`SELECT count(*) AS n FROM ${table}`).one().n,
      )
    expect(left()).toEqual([1, 1])
    await due.record()
    expect(left()).toEqual([0, 1])
    await due.record()
    expect(left()).toEqual([0, 0])
  }))
