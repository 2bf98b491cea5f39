// The cash register of the sandbox: it makes receipts up, of which no tax service hears (contract, section 10).
import type { Config } from '../config.ts'
import type { Fiscal } from '../contract/receipts/document.ts'
import type { ReceiptInstruction } from '../contract/receipts/instruction.ts'
import type { ReceiptReport } from '../contract/receipts/report.ts'
import { sandboxReceiptUrl } from './sandbox-receipt.ts'

/** How long it takes. */
export const REGISTERS_MS = 1000

/** The names of items whose document fails: for good, or so that it can be retried. */
const FAILS = 'fail'
const FAILS_RETRIABLY = 'fail-retry'

/** Drives of 9999 and registers of zeros are what registers under test have. */
const DRIVE = '9999078900000017'
const REGISTRATION = '0000000000058017'

/** What the register reports of a document: the same, however often it is asked. @param createdAt of the instruction, in Unix milliseconds */
export function sandboxReceipt(
  config: Config,
  siteId: string,
  { receiptUid, items }: Pick<ReceiptInstruction, 'receiptUid' | 'items'>,
  createdAt: number,
): ReceiptReport {
  const names = new Set(items.map(({ name }) => name))
  if (names.has(FAILS) || names.has(FAILS_RETRIABLY)) {
    return { state: 'FAILED', reason: 'test item', canRetry: !names.has(FAILS) }
  }
  const dateTime = Math.floor((createdAt + REGISTERS_MS) / 1000)
  const isReachable = config.publicUrl !== undefined
  const url = isReachable ? sandboxReceiptUrl(config, siteId, receiptUid) : undefined
  return { state: 'REGISTERED', fiscal: { ...numbersOf(receiptUid), dateTime, url } }
}

/** Numbers as a register has them, of the digits of the receiptUid. */
function numbersOf(receiptUid: string): Fiscal {
  const digits = (from: number, to: number) => Number.parseInt(receiptUid.slice(from, to), 32)
  return {
    fn: DRIVE,
    registration: REGISTRATION,
    fd: `${(digits(0, 5) % 99_999) + 1}`,
    fpd: `${digits(5, 14) % 10_000_000_000}`.padStart(10, '0'),
    shift: `${(digits(14, 18) % 365) + 1}`,
    number: `${(digits(18, 22) % 200) + 1}`,
  }
}
