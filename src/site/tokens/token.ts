// A token of a list as it stands at a time, from its row.
import type { ListedToken } from '../../contract/token.ts'
import { tokenAt } from '../clock.ts'
import type { Seconds } from '../time.ts'
import { type TokenRow, tokenOf } from './rows.ts'

export const listedTokenOf = (row: TokenRow, now: Seconds): ListedToken => ({
  ...tokenOf(row, tokenAt(row, now).status),
  account: row.account,
  qrCodeUid: row.qr_code_uid ?? undefined,
  bankMemberId: row.bank ?? undefined,
})
