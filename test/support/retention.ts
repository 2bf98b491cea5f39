// A sweep of retention, without the object around it.
import { nextWake } from '../../src/site/clock.ts'
import { TableMemory } from '../../src/site/database/memory.ts'
import { sweep } from '../../src/site/qr-codes/retention.ts'
import { milliseconds } from '../../src/site/time.ts'

export const retentionDeleted = (sql: SqlStorage, now: number): void =>
  sweep({ sql, memory: new TableMemory(sql, nextWake) }, milliseconds(now))
