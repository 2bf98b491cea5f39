// Chromium's virtual authenticator (Chrome DevTools Protocol, domain WebAuthn): passkeys in a browser without a person.
import type { Page } from 'playwright-core'

export interface VirtualAuthenticator {
  /** What it has, without private keys. */
  credentials(): Promise<{ id: string; rpId: string; handle: string; counter: number }[]>
  /** Whether the person is recognised from now on: a fingerprint that fits. */
  recognises(isRecognised: boolean): Promise<void>
  /** Whether somebody touches it from now on, each time that it is asked. */
  isTouched(isTouched: boolean): Promise<void>
  /** Takes it away, with its passkeys: the phone is lost. */
  remove(): Promise<void>
}

/**
 * Adds an authenticator as phones have it: built in, with resident keys and user verification. It answers without a click.
 * @param transport 'usb' for a security key, which a browser can have besides
 */
export async function virtualAuthenticator(
  page: Page,
  transport: 'internal' | 'usb' = 'internal',
): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async credentials() {
      const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId })
      return credentials.map(({ credentialId, rpId = '', userHandle = '', signCount }) => ({
        id: toBase64Url(credentialId),
        rpId,
        handle: toBase64Url(userHandle),
        counter: signCount,
      }))
    },
    async recognises(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    async isTouched(enabled) {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
    async remove() {
      await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
    },
  }
}

/** The protocol has bytes in base64. */
const toBase64Url = (base64: string): string => Buffer.from(base64, 'base64').toString('base64url')
