// The part of node:zlib that draws pictures, typed here so that the Worker needs no Node.js type package.

declare module 'node:zlib' {
  export function deflateSync(data: Uint8Array, options: { level: number }): Uint8Array
  export function crc32(data: Uint8Array): number
}
