// What the service is told of a document: its result, or that it is held.
import type { Core } from '../core.ts'
import type { ReceiptId, ReceiptRow } from './receipt-row.ts'

/** Below the site's address: where a document is reported. */
export const receiptPathOf = ({ receiptUid }: ReceiptId): string => `receipts/${receiptUid}`

type Result = Pick<ReceiptRow, 'state' | 'items' | 'reason' | 'canRetry' | 'fiscal'>

/** The report of a result. */
export function reportReceipt(core: Core, receipt: ReceiptId & Result): void {
  put(core, receipt, resultOf(receipt))
}

/** With its items: a restored service can have others under the key. */
const resultOf = ({ state, items, reason, canRetry, fiscal }: Result): object =>
  state === 'REGISTERED'
    ? { state, fiscal: fiscal ?? {}, ...(items !== '' && { items: JSON.parse(items) }) }
    : { state, reason: reason.slice(0, 255) || undefined, canRetry }

/** Tells the merchant what a held document waits for. */
export const reportHeld = (core: Core, receipt: ReceiptId & Pick<ReceiptRow, 'reason'>): void =>
  tell(core, receipt, 'HELD', {
    state: 'SENT',
    isHeld: true,
    reason:
      `it is not known whether the cash register has it, and the operator looks there: ${receipt.reason}`.slice(
        0,
        255,
      ),
  })

/** Tells the merchant that a document which was held is at the register. */
export function reportSent(core: Core, receipt: ReceiptRow): void {
  if (receipt.told === 'HELD') tell(core, receipt, 'SENT', { state: 'SENT', isHeld: false })
}

function tell(core: Core, receipt: ReceiptId, told: NonNullable<ReceiptRow['told']>, body: object): void {
  core.disk.transaction(() => {
    // It would replace the report of a result.
    if (core.disk.receipts.tell(receipt, told)) put(core, receipt, body)
  })
}

const put = ({ disk, platform }: Core, receipt: ReceiptId, body: object): void =>
  disk.reports.put({ site: receipt.site, path: receiptPathOf(receipt), body }, platform.now())
