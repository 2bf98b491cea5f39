// The list of supported banks: a new bank is a folder in banks/ and a line here.
import type { BankKind } from './bank-kind.ts'
import { raiffeisen } from './raiffeisen/raiffeisen.ts'
import { tbank } from './tbank/tbank.ts'
import { tochka } from './tochka/tochka.ts'
import { tochkaPay } from './tochka-pay/tochka-pay.ts'

export const BANKS: readonly BankKind[] = [tochka, tbank, raiffeisen, tochkaPay]
