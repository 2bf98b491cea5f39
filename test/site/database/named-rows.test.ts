// A site whose indexes leave out the rows that are named, and one whose indexes have all rows: both answer the same.
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { RULES } from '../../../bin/data/site-rules.ts'
import { migrate, type Schema, SITE } from '../../../src/site/database/schema.ts'
import { setRetention } from '../../../src/site/qr-codes/retention.ts'
import { answers, type Step, step, take } from '../../support/history-of-rows.ts'
import { inNewSite } from '../../support/site.ts'

const { table, versions } = SITE
/** The tables of a site that an earlier build made. */
const OLD: Schema = { table, versions }

/** As a build leaves rows that does not name them, of all tables: without the index, nothing finds what it has not. */
const FORGET = `UPDATE events SET named = 0; UPDATE payments SET named = 0;
  UPDATE qr_codes SET created_event = NULL, ended_event = NULL; UPDATE refunds SET completed_event = NULL`
const EMPTY = `DELETE FROM outbox; DELETE FROM events; DELETE FROM refunds; DELETE FROM payments; DELETE FROM tokens;
  DELETE FROM qr_codes; DELETE FROM deleted_qr_codes; DELETE FROM created_codes; DELETE FROM turnover;
  UPDATE site SET epoch = 'e', created_at = NULL, last_event = 0, deleted_events = 0, sweep_at = 0, sweep_after_end = 0,
    sweep_after_number = 0, unapplied_payments = NULL`
const SETTINGS = JSON.stringify({
  callbackUrl: 'http://127.0.0.1:9/',
  notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE'],
})

const OF = { code: 0, payment: 0, refund: 0 }
/** A refund that is declined, and then completed all the same, which random histories seldom have. */
const REFUNDED: Step[] = [
  { do: 'create', code: 0, type: 'DYNAMIC', ttl: 10 },
  { do: 'pay', ...OF, status: 'COMPLETED', value: 500 },
  { do: 'refund', ...OF },
  { do: 'reportRefund', ...OF, status: 'DECLINED' },
  { do: 'reportRefund', ...OF, status: 'COMPLETED' },
]

/** A binding and a payment that the network reports before the code is there: the binding changes its status first. */
const EARLY: Step[] = [
  { do: 'bind', code: 2 },
  { do: 'pay', ...OF, code: 2, status: 'COMPLETED', value: 500 },
  { do: 'create', code: 2, type: 'TOKEN', ttl: 10 },
]

it('the same history has the same answers with either index, and breaks no rule', {
  timeout: 120_000,
}, async () => {
  const history = fc.array(step, { minLength: 30, maxLength: 60, size: 'max' })
  const histories = [REFUNDED, EARLY, ...fc.sample(history, { seed: inject('seed'), numRuns: 60 })]
  const run = (schema: Schema, canForget: boolean) =>
    inNewSite((storage) => {
      const { sql } = storage
      migrate(storage, schema)
      sql.exec(
        "INSERT INTO settings (number, settings, revision, replaced) VALUES (1, ?, 'a', 'b')",
        SETTINGS,
      )
      setRetention(sql, 1)
      return histories.map((history) => answersOf(sql, history, canForget))
    })
  const [fresh, old, back] = [await run(SITE, false), await run(OLD, false), await run(SITE, true)]
  for (const [i, history] of histories.entries()) {
    expect([history, old[i]]).toEqual([history, fresh[i]])
    expect([history, back[i]]).toEqual([history, fresh[i]])
  }
})

/** The answers of a history to each step, and after each of them to every question. */
function answersOf(sql: SqlStorage, history: readonly Step[], canForget: boolean): unknown[] {
  sql.exec(EMPTY)
  let now = 1_000_000
  const given: unknown[] = []
  for (const each of history) {
    if (each.do === 'wait') now += each.seconds
    if (each.do === 'forget' && canForget) sql.exec(FORGET)
    given.push(take(sql, each, now))
  }
  given.push(answers(sql, now))
  for (const { rule, violations } of RULES) {
    const found = sql.exec(violations).toArray()
    expect([rule, found, history]).toEqual([rule, [], history])
  }
  return given
}
