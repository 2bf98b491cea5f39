// What the tests read pictures with.

declare module 'node:zlib' {
  export function inflateSync(data: Uint8Array): Uint8Array
}
