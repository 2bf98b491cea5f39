// Where Raiffeisenbank is, and the credentials of a merchant there: those of its payments and of its receipts are the same.
import * as z from 'zod'
import { Bearer } from '../bearer.ts'

export const BASE_URL = 'https://e-commerce.raiffeisen.ru/api'

export interface Settings {
  sbpMerchantId: string
  secretKey: string
}

/** The schema of the credentials. @param secret of a field that is in another file */
export const credentialsOf = (secret: z.ZodType<string>) =>
  z.strictObject({
    sbpMerchantId: z.string().regex(/^[A-Z]{2}\d{10}$/, 'must be 12 characters, MA…'),
    secretKey: secret.pipe(Bearer),
  })
