// The keys of both sides at the fake Pay Gateway: the bank signs webhooks, the merchant signs charges and refunds.
import { createPrivateKey, createPublicKey, createSign, createVerify, generateKeyPairSync } from 'node:crypto'

const pairOf = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

/** All fakes have the same ones, because making them takes time. */
const BANK = pairOf()
const MERCHANT = pairOf()

/** PKCS#8 PEM, as the merchant made it. */
export const MERCHANT_KEY = String(MERCHANT.privateKey.export({ type: 'pkcs8', format: 'pem' }))

export class PayKeys {
  #bank = BANK.privateKey

  /** The bank's public key, a JWK as it is published. */
  get published() {
    return { ...createPublicKey(this.#bank).export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }
  }

  /** The bank signs with another key from now on. */
  change(): void {
    this.#bank = createPrivateKey(pairOf().privateKey.export({ type: 'pkcs8', format: 'pem' }))
  }

  /** A webhook's body. */
  jwt(claims: object, header: object = { typ: 'JWT', alg: 'RS256' }): string {
    const signed = [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(this.#bank, 'base64url')}`
  }

  /** Whether the merchant has signed these very bytes, in one line of base64. */
  isSigned(text: string, signature: string | undefined): boolean {
    if (signature === undefined || !/^[A-Za-z0-9+/]{342}==$/.test(signature)) return false
    return createVerify('RSA-SHA256').update(text).verify(MERCHANT.publicKey, signature, 'base64')
  }
}
