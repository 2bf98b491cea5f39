// Which site a WebAuthn user handle is of: the browser names the handle alone (contract, section 17).
import { rowsWith, text } from '../site/rows/columns.ts'
import type { Sql } from '../site/rows/sql.ts'

const readHandles = rowsWith({ site_id: text })

/** A handle keeps its site. */
export const recordHandle = (sql: Sql, handle: string, siteId: string): void =>
  void sql.exec(
    'INSERT INTO handles (handle, site_id) VALUES (?, ?) ON CONFLICT (handle) DO NOTHING',
    ...[handle, siteId],
  )

export const siteOfHandle = (sql: Sql, handle: string): string | undefined =>
  readHandles(sql, 'SELECT site_id FROM handles WHERE handle = ?', handle)[0]?.site_id
