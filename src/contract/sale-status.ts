// The status of a sale (contract, section 15).
import * as z from 'zod/mini'
import { meta } from './meta.ts'

export const SALE_STATUSES = ['ACTIVE', 'PAYED', 'EXPIRED', 'CANCELLED'] as const
export type SaleStatus = (typeof SALE_STATUSES)[number]
export const SaleStatus = z.enum(SALE_STATUSES).apply(meta, {
  id: 'SaleStatus',
  description: 'ACTIVE: the code is armed for it. A late payment changes EXPIRED and CANCELLED into PAYED',
})
