// What a report of a binding reads of a site's database.

import { expect, it } from 'vitest'
import { findQrCode } from '../../../src/site/qr-codes/rows.ts'
import { awaitBinding, reportBinding } from '../../../src/site/tokens/bindings.ts'
import { contextOf, createAll, creation, inNewSite, NETWORK, rowsReadBy } from '../../support/site.ts'

it('a binding reads no tokens of other QR codes, however many wait', () =>
  inNewSite(async ({ sql }, site) => {
    const uids = Array.from({ length: 300 }, (_, i) => `order-${i}`)
    await createAll(
      site,
      uids.map((uid) => creation(uid, { createToken: true })),
    )
    const at = (rows: SqlStorage, now: number) => ({
      ...contextOf(rows, now, NETWORK),
      network: 'external' as const,
    })
    for (const qrCodeUid of uids) {
      const row = findQrCode(sql, { qrCodeUid })
      if (row) awaitBinding(at(sql, row.created_at), row)
    }
    const row = findQrCode(sql, { qrCodeUid: 'order-150' })
    if (!row) throw new Error('there is no such QR code')
    const newToken = { value: 'value', hash: 'hash', days: 1 }
    const binding = { bindingUid: 'b-1', status: 'CREATED', newToken } as const
    const { value, rowsRead } = rowsReadBy(sql, (counted) =>
      reportBinding(at(counted, row.created_at), { qrCodeUid: 'order-150' }, binding),
    )
    expect(value).toMatchObject({ ok: true, value: { token: { status: 'CREATED' } } })
    expect(sql.exec('SELECT count(*) AS count FROM tokens').one()).toEqual({ count: 300 })
    expect(rowsRead).toBeLessThan(50)
  }))
