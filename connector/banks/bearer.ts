// A secret that goes into the header `Authorization` (RFC 6750, section 2.1).
import * as z from 'zod'

/** Of another form the runtime refuses the header, and its error has the secret. */
export const Bearer = z
  .string()
  .regex(
    /^[\w.~+/-]+=*$/,
    'must be a token without spaces and line breaks: letters, digits and - . _ ~ + / =',
  )
