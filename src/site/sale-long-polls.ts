// Long polls of a sale.
import type { Caller } from '../contract/caller.ts'
import type { Sale } from '../contract/sale.ts'
import type { Outcome } from '../errors.ts'
import type { Store } from './database/store.ts'
import { kindOf, type Polled, type QrCodePoll } from './long-polls.ts'
import { ok, SALE_NOT_FOUND } from './outcomes.ts'
import { findQrCode, type QrCodeKey } from './qr-codes/rows.ts'
import { readSale } from './sales/sales.ts'
import { milliseconds, seconds, toMilliseconds } from './time.ts'

/** A sale when it has another version or when the time is over; every change of it is one of its code. */
export async function pollSale(
  store: Store,
  caller: Caller,
  { key, saleUid }: { key: QrCodeKey; saleUid: string },
  { id, version, milliseconds: time }: QrCodePoll,
): Promise<Outcome<Polled<Sale>>> {
  const read = () =>
    store.read(caller, (context) => {
      const sale = readSale(context, key, saleUid)
      const code = findQrCode(context.sql, key)
      return sale.ok && code ? ok({ sale: sale.value, code }) : sale.ok ? SALE_NOT_FOUND : sale
    })
  const end = store.milliseconds + time
  for (let known: number | undefined; ; ) {
    const current = read()
    if (!current.ok) return current
    const { sale, code } = current.value
    const now = store.milliseconds
    const polled = ok({ value: sale, waited: known !== undefined })
    // A listener that ended without a change of the code was stopped.
    if (sale.version !== version || now >= end || code.version === known) return polled
    // The end of an ACTIVE sale ends the wait, because the alarm can be late.
    const until = sale.status === 'ACTIVE' ? Math.min(end, toMilliseconds(seconds(sale.expiresAt))) : end
    const listener = { id, kind: kindOf(caller), subject: code.number, version: code.version }
    if (!(await store.changes.listen(listener, milliseconds(until - now)))) return polled
    known = code.version
  }
}
