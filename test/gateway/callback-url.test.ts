import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callbackUrlProblem } from '../../src/gateway/callback-url.ts'

const OWN_HOSTS = ['qr.example', 'qr.example:8443', '[2606:4700::1]:9000', 'пример.рф']
const onlyPublic = (url: string) => callbackUrlProblem(url, { anyHost: false, ownHosts: OWN_HOSTS })
const anyHost = (url: string) => callbackUrlProblem(url, { anyHost: true, ownHosts: OWN_HOSTS })

const SYNTAX = 'an absolute https URL without user info or white space'
const PUBLIC =
  'a URL of a public host: not a private or reserved address, nor a name without a dot or within localhost, local, internal, home.arpa'
const OTHER = 'a URL of another service than this one'

/** Hosts that are not public, by what they are. */
const NON_PUBLIC_HOSTS: Record<string, string[]> = {
  'this network': ['0.0.0.0', '0', '0x0', '256', '0.1.2.3', '0.255.255.255', '[::]'],
  loopback: ['127.0.0.1', '127.255.255.255', '127.0.0.1.', '[::1]', '[0:0:0:0:0:0:0:1]', '[::0.0.0.1]'],
  'loopback in a short form': ['127.1', '127.0.1', '127'],
  'loopback in decimal': ['2130706433', '2130706433.'],
  'loopback in octal': ['0177.0.0.1', '0177.0.0.01', '017700000001', '00000177.1'],
  'loopback in hex': ['0x7f.0.0.1', '0x7f000001', '0X7F.1', '0x7f.0x0.0x0.0x1', '0x7F000001'],
  'loopback in encoded or other digits': ['%31%32%37.0.0.1', '１２７.0.0.1', '127。0。0。1', '①②⑦.0.0.1'],
  private: [
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '0xa.1',
    '167772161',
  ],
  'private, IPv6': ['[fc00::1]', '[fd12:3456:789a::1]', '[fd00:ec2::254]', '[FEC0::1]'],
  'link-local': [
    '169.254.169.254',
    '0xA9FEA9FE',
    '2852039166',
    '0251.0376.0251.0376',
    '[fe80::1]',
    '[febf::1]',
  ],
  shared: ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
  'protocol assignments': ['192.0.0.1', '192.0.0.192', '192.88.99.1', '[2001:1::1]', '[2001:1ff::1]'],
  'of a cloud': ['168.63.129.16'],
  documentation: [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.255',
    '[2001:db8::1]',
    '[2001:db8:ffff::1]',
    '[3fff::1]',
    '[3fff:fff::1]',
  ],
  benchmarking: ['198.18.0.1', '198.19.255.255', '[2001:2::1]'],
  multicast: ['224.0.0.1', '239.255.255.255', '[ff02::1]', '[ff0e::1]'],
  'reserved or broadcast': [
    '240.0.0.1',
    '255.255.255.255',
    '4294967295',
    '[100::1]',
    '[4000::1]',
    '[5f00::1]',
  ],
  'IPv4-mapped': ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:10.0.0.1]', '[::ffff:8.8.8.8]'],
  'IPv4-compatible': ['[::127.0.0.1]', '[::7f00:1]', '[::8.8.8.8]'],
  'IPv4-translated': ['[::ffff:0:127.0.0.1]'],
  '6to4': ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:808:808::1]'],
  NAT64: ['[64:ff9b::127.0.0.1]', '[64:ff9b::a00:1]', '[64:ff9b::808:808]', '[64:ff9b:1::a00:1]'],
  Teredo: ['[2001::1]', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
  ORCHID: ['[2001:10::1]', '[2001:20::1]'],
  'a name of loopback': [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'a.b.LocalHost.',
    'loc%61lhost',
  ],
  'a local name': [
    'printer.local',
    'PRINTER.Local.',
    'a.b.internal',
    'metadata.google.internal',
    'nas.home.arpa',
  ],
  'a name without a dot': ['shop', 'shop.', 'local', 'internal.', 'xn--e1afmkfd', 'com'],
  'a name with an empty label': ['shop..example', 'shop.example..', 'localhost..', '127.0.0.1..'],
}

describe('a callback URL whose host is not public is refused', () => {
  for (const [kind, hosts] of Object.entries(NON_PUBLIC_HOSTS)) {
    it.each(hosts)(`${kind}: %s`, (host) => {
      for (const url of [`https://${host}/callback`, `https://${host}:8443`, `HTTPS://${host}?a=b`]) {
        expect(onlyPublic(url), url).toBe(PUBLIC)
      }
    })
  }
})

describe('a callback URL that is malformed is refused', () => {
  it.each([
    '',
    ' ',
    'shop.example',
    '/callback',
    '//shop.example/callback',
    'https:',
    'https://',
    'https:///callback',
    'https:shop.example',
    'https:/shop.example',
    'https:\\\\shop.example',
    'https://shop.example\\@127.0.0.1/',
    ' https://shop.example',
    'https://shop.example/a b',
    'https://shop.exa\nmple',
    'https://shop.example/\t',
    'https://shop.example/\0',
    'https://shop.example/\ud800',
    'https://shop example',
    'https://shop.example:port',
    'https://shop.example:65536',
    'https://[::1',
    'https://[::zz]',
    'https://[fe80::1%eth0]',
    'https://[fe80::1%25eth0]',
    'https://[2606:4700::1%25lo]',
    'https://1.2.3.256',
    'https://1.2.3.4.5',
    'https://4294967296',
    'https://0x100000000',
    'https://08.1.1.1',
    'https://shop.example.1',
    'https://%00shop.example',
    'https://sh%2Fop.example',
    'https://merchant:secret@shop.example/callback',
    'https://merchant@shop.example/callback',
    'https://@shop.example/callback',
    'https://:@shop.example/callback',
    'https://shop.example@127.0.0.1/',
    'http://shop.example/callback',
    'HTTP://shop.example/callback',
    'ftp://shop.example/callback',
    'ws://shop.example/callback',
    'file:///etc/passwd',
    'data:text/plain,a',
    'javascript:alert(1)',
  ])('%j', (url) => expect(onlyPublic(url)).toBe(SYNTAX))

  it.each(['https://shop.example/#', 'https://shop.example/callback#fragment', 'https://shop.example#@a'])(
    'with a fragment: %s',
    (url) => expect(onlyPublic(url)).toBe('a URL without a fragment'),
  )

  it('with more than 500 characters, not bytes', () => {
    const url = (path: string) => `https://shop.example/${path}`
    expect(onlyPublic(url('a'.repeat(479)))).toBeUndefined()
    expect(onlyPublic(url('😀'.repeat(479)))).toBeUndefined()
    expect(onlyPublic(url('a'.repeat(480)))).toBe('a URL of at most 500 characters')
  })
})

describe('this service’s own host and port are refused, whatever else the deployment allows', () => {
  it.each([
    'https://qr.example',
    'https://qr.example/payin/v1',
    'https://qr.example:443',
    'https://QR.EXAMPLE.:0443/',
    'https://qr%2Eexample',
    'https://qr。example',
    'https://qr.example:80',
    'https://qr.example:8443',
    'https://[2606:4700:0::1]:9000',
    'https://пример.рф',
    'https://xn--e1afmkfd.xn--p1ai:443',
  ])('%s', (url) => {
    expect(onlyPublic(url)).toBe(OTHER)
    expect(anyHost(url)).toBe(OTHER)
  })

  it.each(['http://qr.example', 'http://qr.example:80', 'http://qr.example:443', 'http://qr.example:8443'])(
    '%s',
    (url) => expect(anyHost(url)).toBe(OTHER),
  )

  it.each([
    'https://qr.example:9000',
    'https://www.qr.example',
    'https://qr.example.com',
    'https://[2606:4700::1]',
    'https://пример.рф:8443',
  ])('another port or name is not: %s', (url) => expect(onlyPublic(url)).toBeUndefined())
})

describe('a callback URL of a public host is accepted', () => {
  it.each([
    'https://shop.example',
    'https://shop.example/',
    'https://shop.example/callback?key=value&other=%20',
    'HTTPS://Shop.Example/Callback',
    'https://shop.example:8443/callback',
    'https://shop.example:443',
    'https://shop.example.',
    'https://a.b.c.shop.example/~a/b;c=d',
    'https://under_score.shop.example',
    'https://магазин.рф/уведомления',
    'https://xn--80aaxitdbjk.xn--p1ai',
    'https://shop.example/a@b',
    'https://shop.example/?a=https://127.0.0.1/',
    'https://localhost.shop.example',
    'https://notlocalhost.example',
    'https://internal.shop.example',
    'https://mylocal.example',
    'https://127.0.0.1.shop.example',
    'https://0x7f.shop.example',
    'https://10.shop.example',
    'https://8.8.8.8/callback',
    'https://1.1',
    'https://134744072',
    'https://0x08080808',
    'https://010.8.8.8',
    'https://9.255.255.255',
    'https://11.0.0.0',
    'https://100.63.255.255',
    'https://100.128.0.0',
    'https://172.15.255.255',
    'https://172.32.0.0',
    'https://192.167.255.255',
    'https://198.20.0.0',
    'https://223.255.255.255',
    'https://[2606:4700:4700::1111]/callback',
    'https://[2001:200::1]',
    'https://[2a00:1450:4001:81b::200e]:8443',
    'https://[2003::1]',
    'https://[3fff:1000::1]',
  ])('%s', (url) => expect(onlyPublic(url)).toBeUndefined())

  it.each([
    ...[
      'https://shop.example',
      'http://shop.example',
      'http://127.0.0.1:3000/callback',
      'http://localhost:3000',
    ],
    ...[
      'http://[::1]:3000',
      'https://printer.local',
      'http://receiver:8080',
      'http://10.0.0.1',
      'http://2130706433',
    ],
  ])('any host is accepted where the deployment says so: %s', (url) => expect(anyHost(url)).toBeUndefined())

  it.each(['ftp://127.0.0.1', 'http://merchant@localhost', 'http://localhost/#', 'https://shop example'])(
    'but not %s',
    (url) => expect(anyHost(url)).toBeDefined(),
  )
})

describe('an address is judged alike in every form', () => {
  /** First and last addresses of the ranges that the Internet does not route. */
  const NON_PUBLIC = (
    [
      ['0.0.0.0', '0.255.255.255'],
      ['10.0.0.0', '10.255.255.255'],
      ['100.64.0.0', '100.127.255.255'],
      ['127.0.0.0', '127.255.255.255'],
      ['168.63.129.16', '168.63.129.16'],
      ['169.254.0.0', '169.254.255.255'],
      ['172.16.0.0', '172.31.255.255'],
      ['192.0.0.0', '192.0.0.255'],
      ['192.0.2.0', '192.0.2.255'],
      ['192.88.99.0', '192.88.99.255'],
      ['192.168.0.0', '192.168.255.255'],
      ['198.18.0.0', '198.19.255.255'],
      ['198.51.100.0', '198.51.100.255'],
      ['203.0.113.0', '203.0.113.255'],
      ['224.0.0.0', '255.255.255.255'],
    ] as const
  ).map(([first, last]): [number, number] => [numberOf(first), numberOf(last)])
  const isPublic = (address: number) => NON_PUBLIC.every(([first, last]) => address < first || last < address)

  function numberOf(dotted: string): number {
    return dotted.split('.').reduce((number, octet) => number * 256 + Number(octet), 0)
  }

  const digits = fc.constantFrom(
    (part: number) => `${part}`,
    (part: number) => `0${part.toString(8)}`,
    (part: number) => `0x${part.toString(16)}`,
    (part: number) => `0X000${part.toString(16).toUpperCase()}`,
  )
  /** An address in one to four parts, each decimal, octal or hex; the last part has the bytes that remain. */
  const written = (address: number) =>
    fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.array(digits, { minLength: 4, maxLength: 4 }))
      .map(([count, formats]) =>
        Array.from({ length: count }, (_, index) => {
          const part =
            index < count - 1 ? Math.floor(address / 256 ** (3 - index)) % 256 : address % 256 ** (5 - count)
          return formats[index]?.(part)
        }).join('.'),
      )

  const inRange = ([min, max]: [number, number]) => fc.integer({ min, max })

  it('no IPv4 address that is not public is accepted', () => {
    const host = fc.oneof(...NON_PUBLIC.map(inRange)).chain(written)
    fc.assert(
      fc.property(host, (written) => onlyPublic(`https://${written}/`) === PUBLIC),
      { numRuns: 2000 },
    )
  })

  it('every public IPv4 address is accepted', () => {
    const neighbours = NON_PUBLIC.flatMap(([first, last]) => [first - 1, last + 1])
    const host = fc
      .oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.constantFrom(...neighbours))
      .filter((address) => address >= 0 && address <= 0xffffffff && isPublic(address))
      .chain(written)
    fc.assert(
      fc.property(host, (written) => onlyPublic(`https://${written}/`) === undefined),
      { numRuns: 2000 },
    )
  })

  const group = fc.integer({ min: 0, max: 0xffff })
  const ipv6 = (first: fc.Arbitrary<number>) =>
    fc
      .tuple(first, fc.array(group, { minLength: 7, maxLength: 7 }))
      .map(([first, rest]) => [first, ...rest].map((part) => part.toString(16)).join(':'))

  it('no IPv6 address outside 2000::/3 is accepted', () => {
    const outside = fc.oneof(fc.integer({ min: 0, max: 0x1fff }), fc.integer({ min: 0x4000, max: 0xffff }))
    fc.assert(fc.property(ipv6(outside), (host) => onlyPublic(`https://[${host}]/`) === PUBLIC))
  })

  it('every IPv6 address of the registries’ networks is accepted', () => {
    const allocated = fc.constantFrom(0x2400, 0x2600, 0x2800, 0x2a00, 0x2c00, 0x2003)
    fc.assert(fc.property(ipv6(allocated), (host) => onlyPublic(`https://[${host}]/`) === undefined))
  })
})
