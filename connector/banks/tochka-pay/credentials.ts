// The credentials of one site at Tochka Pay Gateway, as the configuration has them.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import * as z from 'zod'
import { Bearer } from '../bearer.ts'
import { Jwk } from '../rsa-jwk.ts'

export interface Settings {
  siteUid: string
  jwt: string
  /** It signs payments and refunds. */
  privateKey: KeyObject
  /** It verifies webhooks. */
  webhookKey: KeyObject
  /** Whether payments of the bank's test count as money. */
  test: boolean
}

/** The length that the bank demands of our key, and has of its own. */
const KEY_BITS = 2048
const PEM = /^-----BEGIN PRIVATE KEY-----\r?\n[A-Za-z0-9+/=\s]+-----END PRIVATE KEY-----$/
const PRIVATE_KEY_RULE = `must be an RSA key of ${KEY_BITS} bits as PEM of PKCS#8 (-----BEGIN PRIVATE KEY-----)`
const WEBHOOK_KEY_RULE = `must be the bank’s public key as a JWK: kty RSA, n of at least ${KEY_BITS} bits, and e`

const bitsOf = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): number =>
  asymmetricKeyType === 'rsa' ? (asymmetricKeyDetails?.modulusLength ?? 0) : 0

/** @param rule named where `read` fails, or returns a key that is not allowed; never what the text is */
const keyFrom = (read: (text: string) => KeyObject | undefined, rule: string) =>
  z.string().transform((text, context) => {
    try {
      const key = read(text)
      if (key) return key
    } catch {}
    context.addIssue(rule)
    return z.NEVER
  })

function privateKeyOf(pem: string): KeyObject | undefined {
  if (!PEM.test(pem)) return
  const key = createPrivateKey(pem)
  return bitsOf(key) === KEY_BITS ? key : undefined
}

function webhookKeyOf(json: string): KeyObject | undefined {
  const key = createPublicKey({ key: Jwk.parse(JSON.parse(json)), format: 'jwk' })
  return bitsOf(key) >= KEY_BITS ? key : undefined
}

/** The fields besides `bank` and `baseUrl`. @param secret the schema of one that is secret */
export const credentialsOf = (secret: z.ZodType<string>): z.ZodType<Settings> =>
  z.strictObject({
    siteUid: z.string().regex(/^[0-9A-Za-z_-]{1,64}$/, 'must be 1 to 64 of 0-9 A-Z a-z - _'),
    jwt: secret.pipe(Bearer),
    privateKey: secret.pipe(keyFrom(privateKeyOf, PRIVATE_KEY_RULE)),
    webhookKey: secret.pipe(keyFrom(webhookKeyOf, WEBHOOK_KEY_RULE)),
    test: z.boolean('must be true or false').default(false),
  })
