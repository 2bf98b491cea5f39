// A request as it goes onto the wire: nothing of it is checked or corrected.

export interface Request {
  method: string
  target: string
  headers: (readonly [string, string])[]
  body?: Buffer
}

/** Headers are bytes: what a text cannot say as one is sent in UTF-8. */
export function bytesOf({ method, target, headers, body }: Request): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  const hasLength = headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name))
  if (body && !hasLength) lines.push(`Content-Length: ${body.length}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body ?? Buffer.alloc(0)])
}

/** The body in chunks, with what a chunk can have besides. */
export const chunked = (body: Buffer, sizes: readonly number[], extension = ''): Buffer => {
  const parts: Buffer[] = []
  for (let [at, i] = [0, 0]; at < body.length; i++) {
    const size = Math.min(sizes[i % sizes.length] ?? 1, body.length - at)
    parts.push(
      Buffer.from(`${size.toString(16)}${extension}\r\n`),
      body.subarray(at, at + size),
      Buffer.from('\r\n'),
    )
    at += size
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}
