// Sets the version and the variant in UUIDs whose other bits this service makes.

/** Sets the version and the variant of a UUID's 16 bytes: version 4, variant 10 (RFC 9562, sections 4.1 and 5.4). */
export function setVersion4(uuid: Uint8Array): void {
  uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x40
  uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80
}
