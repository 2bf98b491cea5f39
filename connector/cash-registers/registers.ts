// The list of supported cash registers: a new one is a folder in cash-registers/ and a line here.
import { atol } from './atol/atol.ts'
import { raiffeisen } from './raiffeisen/raiffeisen.ts'
import type { RegisterKind } from './register-kind.ts'
import { tbank } from './tbank/tbank.ts'

export const REGISTERS: readonly RegisterKind[] = [atol, tbank, raiffeisen]
