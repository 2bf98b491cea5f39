// The network's identifier of the payment that a charge of a token makes (contract, section 9).
import { hash } from 'node:crypto'

const LENGTH = 32

/**
 * The paymentUid of a charge. It depends on nothing but what is charged, so that a charge that is repeated after a
 * restore is the same payment to the network.
 * @returns 32 of `0-9 A-V`
 */
export function chargeUid(siteId: string, qrCodeUid: string, bindingUid: string): string {
  // None of them can have a NUL.
  const digest = hash('sha256', `charge\0${siteId}\0${qrCodeUid}\0${bindingUid}`, 'hex')
  // 32 digits of 5 bits.
  const number = BigInt(`0x${digest.slice(0, (LENGTH * 5) / 4)}`)
  return number.toString(32).toUpperCase().padStart(LENGTH, '0')
}
