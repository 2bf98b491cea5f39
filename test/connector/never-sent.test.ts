// Which failures of a request say that the bank has not got it: any other leaves a charge or a refund in doubt.
import { expect, it } from 'vitest'
import { Unavailable } from '../../connector/banks/bank-errors.ts'
import { send } from '../../connector/banks/http.ts'

const errorOf = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall })

/** As the runtime's fetch fails. */
const failed = (cause: unknown) => new TypeError('fetch failed', { cause })

async function isInDoubt(error: Error): Promise<boolean> {
  const network = { fetch: () => Promise.reject(error), whyUnverified: async () => 'a reason' }
  const request = { operation: 'charge', method: 'POST', url: 'https://bank.example/' } as const
  const thrown = await send(request, network).catch((caught: unknown) => caught)
  if (!(thrown instanceof Unavailable)) throw new Error('it succeeded')
  return thrown.isInDoubt
}

const CONNECT = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']

it.each<[string, unknown]>([
  ...CONNECT.map((code): [string, unknown] => [`${code} of connect`, errorOf(code, 'connect')]),
  ['a name that does not resolve', errorOf('ENOTFOUND', 'getaddrinfo')],
  ['a connection that takes too long', errorOf('UND_ERR_CONNECT_TIMEOUT')],
  ['a certificate that has expired', errorOf('CERT_HAS_EXPIRED')],
  ['a certificate of an authority that is not known', errorOf('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
  ['an intermediate certificate of an authority that is not known', errorOf('UNABLE_TO_GET_ISSUER_CERT')],
  ['every address that refuses', new AggregateError(CONNECT.map((code) => errorOf(code, 'connect')))],
])('was not sent: %s', async (_, cause) => expect(await isInDoubt(failed(cause))).toBe(false))

it.each<[string, unknown]>([
  ...CONNECT.flatMap((code) =>
    ['read', 'write', undefined].map((syscall): [string, unknown] => [
      `${code} of ${syscall}`,
      errorOf(code, syscall),
    ]),
  ),
  ['a connection that is reset', errorOf('ECONNRESET', 'read')],
  ['an error without a code', new Error('other side closed')],
  [
    'one address of which it is not known',
    new AggregateError([errorOf('ECONNREFUSED', 'connect'), errorOf('EPIPE')]),
  ],
  ['no error of any address', new AggregateError([])],
])('may have been sent: %s', async (_, cause) => expect(await isInDoubt(failed(cause))).toBe(true))

it('may have been sent: a signal that ends it', async () =>
  expect(await isInDoubt(new DOMException('timeout', 'TimeoutError'))).toBe(true))
