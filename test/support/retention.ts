// A sweep of retention, without the object around it.
import { sweep } from '../../src/site/qr-codes/retention.ts'
import { milliseconds } from '../../src/site/time.ts'

export const retentionDeleted = (sql: SqlStorage, now: number): void => sweep({ sql }, milliseconds(now))
