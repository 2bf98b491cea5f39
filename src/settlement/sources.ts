// Which files of banks there are. The parsers, which few requests need, are apart in `formats`.

export const BANKS = ['tbank', 'raiffeisen', 'tochka', 'tochka-pay'] as const
export type SettlementBank = (typeof BANKS)[number]
export const FORMATS = ['registry', 'statement'] as const
export type SettlementFormat = (typeof FORMATS)[number]

/** Whether a registry has operations that are not of QR codes: one that matches no payment is another product's then. */
export const hasOtherProducts = (bank: SettlementBank, format: SettlementFormat): boolean =>
  bank === 'tochka' && format === 'registry'
