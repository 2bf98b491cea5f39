// Bytes that are no request of HTTP, or more than one.
import type { Operation } from './document.ts'
import type { Draw, Site } from './draw.ts'
import { bytesOf, chunked } from './request.ts'
import { anyOf } from './values.ts'
import type { Bytes } from './wire.ts'

/** Bytes that are no request, or more than one. */
export function raw(draw: Draw, operation: Operation, site: Site): Bytes {
  const random = draw.random
  const request = draw.right(operation, site)
  const { method, body = Buffer.from('{}') } = request
  const whole = bytesOf(request)
  const line = (text: string): Buffer => {
    const end = whole.indexOf('\r\n')
    return Buffer.concat([Buffer.from(text), whole.subarray(end)])
  }
  const withHeaders = (...more: (readonly [string, string])[]) =>
    bytesOf({ ...request, headers: [...request.headers, ...more], body })
  const one = (bytes: Buffer, ends = false): Bytes => ({ pieces: [bytes], methods: [method], ends })
  switch (
    random.weighted({ line: 5, flood: 2, length: 4, chunks: 4, pipeline: 3, cut: 3, noise: 2, pieces: 2 })
  ) {
    case 'line':
      return one(
        line(
          anyOf(random, [
            ...[
              `${method} ${request.target}`,
              `${method} ${request.target} HTTP/1.0`,
              `${method} ${request.target} HTTP/2.0`,
              `${method}  ${request.target}  HTTP/1.1`,
            ],
            ...[
              `${method}\t${request.target}\tHTTP/1.1`,
              ` ${method} ${request.target} HTTP/1.1`,
              `${method} HTTP/1.1`,
              'HTTP/1.1',
              '',
              'GET / HTTP/1.1 x',
            ],
            ...[
              `BREW ${request.target} HTTP/1.1`,
              `${method.toLowerCase()} ${request.target} HTTP/1.1`,
              `CONNECT 127.0.0.1:1 HTTP/1.1`,
              `TRACE ${request.target} HTTP/1.1`,
            ],
            ...[
              `${method} /${'a'.repeat(anyOf(random, [1_000, 8_000, 20_000, 70_000]))} HTTP/1.1`,
              `${method} /\u0000 HTTP/1.1`,
              `${method} /é HTTP/1.1`,
              `${method} \\ HTTP/1.1`,
              'PRI * HTTP/2.0',
            ],
          ]),
        ),
        true,
      )
    case 'flood': {
      const count = anyOf(random, [100, 500, 2_000])
      const flood = Array.from(
        { length: count },
        (_, i) => [`X-${i}`, 'a'.repeat(anyOf(random, [1, 50]))] as const,
      )
      const big = random.chance(0.5)
        ? flood
        : [['X-Big', 'a'.repeat(anyOf(random, [8_000, 16_000, 64_000, 200_000]))] as const]
      return one(withHeaders(...big), true)
    }
    case 'length': {
      const value = anyOf(random, [
        '-1',
        '0',
        '1',
        `${body.length - 1}`,
        `${body.length + 1}`,
        '99999999999999999999',
        'a',
        '',
        '1, 2',
        '0x10',
        '+5',
        '1e3',
        ' 5',
        '5 5',
      ])
      const twice: (readonly [string, string])[] = random.chance(0.3)
        ? [['Content-Length', `${body.length}`]]
        : []
      return one(withHeaders(['Content-Length', value], ...twice), true)
    }
    case 'chunks': {
      const good = chunked(body, [1 + random.below(50)])
      const bad = anyOf(random, [
        ...[
          good,
          good.subarray(0, random.below(good.length)),
          Buffer.from('zz\r\n'),
          Buffer.from('-1\r\n'),
          Buffer.from('ffffffffffffffff\r\na'),
        ],
        ...[
          Buffer.from('5\r\nab'),
          Buffer.from('5;\r\n{"a":\r\n0\r\n\r\n'),
          Buffer.from('0\r\nTrailer: a\r\n\r\n'),
          Buffer.from('5\nabcde\n0\n\n'),
          Buffer.from('0\r\n'),
          Buffer.from('80000000\r\n'),
        ],
      ])
      const coding = anyOf(random, [
        'chunked',
        'chunked',
        'Chunked',
        'gzip, chunked',
        'chunked, chunked',
        'identity',
        'xchunked',
        ' chunked',
        'chunked\t',
      ])
      const both: (readonly [string, string])[] = random.chance(0.3)
        ? [['Content-Length', `${body.length}`]]
        : []
      const headers = [...request.headers, ['Transfer-Encoding', coding] as const, ...both]
      return one(bytesOf({ ...request, headers, body: bad }), true)
    }
    case 'pipeline': {
      const count = 2 + random.below(6)
      const requests = Array.from({ length: count }, () => draw.right(anyOf(random, draw.operations), site))
      const bytes = Buffer.concat(requests.map((each) => bytesOf(each)))
      return { pieces: [bytes], methods: requests.map((each) => each.method), ends: random.chance(0.3) }
    }
    case 'cut':
      return one(whole.subarray(0, random.below(whole.length)), true)
    case 'noise':
      return one(
        Buffer.from(Array.from({ length: anyOf(random, [1, 10, 300, 5_000]) }, () => random.below(256))),
        true,
      )
    case 'pieces': {
      const at = Array.from({ length: 5 }, () => random.below(whole.length)).toSorted((a, b) => a - b)
      const cuts = [0, ...at, whole.length]
      return {
        pieces: cuts.slice(1).map((end, i) => whole.subarray(cuts[i], end)),
        methods: [method],
        ends: false,
      }
    }
  }
}
