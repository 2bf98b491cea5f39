// The figures of documents of cash registers, for the metrics.
import type { Core } from '../core.ts'
import type { Gauge } from '../metrics.ts'

export const receiptGauges = ({ disk, platform }: Core): Gauge[] => [
  {
    name: 'fps_connector_open_receipts',
    help: 'Documents of cash registers without a result, those that are held not counted',
    read: () => disk.receipts.open().count,
  },
  {
    name: 'fps_connector_held_receipts',
    help: 'Documents of cash registers that are held',
    read: () => disk.receipts.countHeld(),
  },
  {
    name: 'fps_connector_oldest_receipt_seconds',
    help: 'Age of the oldest document without a result that is not held',
    read: () => {
      const { oldest } = disk.receipts.open()
      return oldest === null ? 0 : (platform.now() - oldest) / 1000
    },
  },
]
