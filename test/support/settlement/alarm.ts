// What the alarm of a site does for its settlements.
import { workOnSettlements } from '../../../src/site/settlements/alarm.ts'
import { nextSettlementWork } from '../../../src/site/settlements/next-work.ts'
import { milliseconds } from '../../../src/site/time.ts'
import { contextOf } from '../site.ts'

/** One turn of it. @param turn counts them: there are 20 seconds between two */
export function alarmTurn(sql: SqlStorage, turn = 0): void {
  const now = Math.floor(Date.now() / 1000)
  workOnSettlements(contextOf(sql, now), milliseconds(now * 1000 + turn * 20_000))
}

/** The alarm, until it has nothing to do. */
export function cleaned(sql: SqlStorage): void {
  for (let turn = 0; nextSettlementWork(sql) !== undefined; turn++) alarmTurn(sql, turn)
}
