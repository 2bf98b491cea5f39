// An identifier that somebody else chose: of a request in the merchant's system, of a payment in the network.
import * as z from 'zod'
import { hasAtMost } from './text.ts'

const RULE = '1 to 200 characters of Unicode text without control characters'

/** Compared byte for byte (contract, section 3). */
export const Uid = z
  .string(RULE)
  .refine((uid) => uid !== '' && hasAtMost(200, uid) && uid.isWellFormed() && !/\p{Cc}/u.test(uid), RULE)
  .meta({ minLength: 1, maxLength: 200 })
