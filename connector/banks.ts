// The banks: a line each.
import type { BankKind } from './bank-kind.ts'
import { raiffeisen } from './banks/raiffeisen/raiffeisen.ts'
import { tbank } from './banks/tbank/tbank.ts'
import { tochka } from './banks/tochka/tochka.ts'

export const BANKS: readonly BankKind[] = [tochka, tbank, raiffeisen]
