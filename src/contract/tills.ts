// The tills to which a cashier is bound (contract, section 2).
import * as z from 'zod/mini'
import { QrCodeUid } from './uid.ts'

const MAX_TILLS = 20
const TILLS_RULE = `an array of 1 to ${MAX_TILLS}`

/** qrCodeUids of COUNTER codes: the others do not exist for the cashier. */
export const Tills = z
  .array(QrCodeUid, TILLS_RULE)
  .check(z.minLength(1, TILLS_RULE), z.maxLength(MAX_TILLS, TILLS_RULE))
