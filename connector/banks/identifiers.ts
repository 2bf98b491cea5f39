// What names a payment, a QR code or a request to bind an account, at a bank and at the service (contract, section 14).

export const IDENTIFIER = /^[A-Za-z0-9._-]{1,64}$/

/** The id of the code that a link has: the end of its path. @returns '' where the link is no URL */
export const qrcIdOf = (payload: string): string => URL.parse(payload)?.pathname.split('/').at(-1) ?? ''
