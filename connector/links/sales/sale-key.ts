// The key under which a sale is armed, and the reference that it gives the sale at a bank that arms by key.
import type { KnownCode } from '../../core.ts'
import { derivedId } from '../../derived-id.ts'
import { referenceOf } from '../../reference.ts'

interface Armed {
  site: string
  qrcId: string
  saleUid: string
  /** Kopecks. */
  amount: number
}

/** 32 of `0-9 a-f`, the same for every repeat of the sale and amount, on any disk. */
export const saleKeyOf = ({ site, qrcId, saleUid, amount }: Armed): string =>
  derivedId([site, qrcId, saleUid, String(amount)], 32)

/** The reference of the sale, with the bank's name: that of the code, a colon and the key. */
export const armedReferenceOf = ({ bank, code }: Pick<KnownCode, 'bank' | 'code'>, key: string): string =>
  referenceOf(bank, `${code.reference}:${key}`)
