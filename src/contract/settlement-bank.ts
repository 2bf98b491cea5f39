// The banks whose settlement files a site imports, as reports and imports name them (contract, sections 7 and 14).
import * as z from 'zod/mini'
import { meta } from './meta.ts'

export const SETTLEMENT_BANKS = ['tbank', 'raiffeisen', 'tochka', 'tochka-pay'] as const
export const SettlementBank = z
  .enum(SETTLEMENT_BANKS, `one of ${SETTLEMENT_BANKS.join(', ')}`)
  .apply(meta, { id: 'SettlementBank', description: 'The bank in whose settlement files it stands' })
