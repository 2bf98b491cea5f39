import { describe, expect, it } from 'vitest'
import { hostNameOf } from '../../src/contract/host.ts'

describe('the name of a Host', () => {
  it.each([
    ['qr.example', 'qr.example'],
    ['QR.Example:8443', 'qr.example'],
    ['localhost:8787', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]:80', '[::1]'],
    ['[0:0:0:0:0:0:0:1]', '[::1]'],
    ['fps_qr', 'fps_qr'],
    ['xn--e1afmkfd.xn--p1ai', 'xn--e1afmkfd.xn--p1ai'],
    [`${'a'.repeat(63)}.example:65535`, `${'a'.repeat(63)}.example`],
  ])('%s is %s', (host, name) => expect(hostNameOf(host)).toBe(name))

  it.each([
    '',
    'user@evil.example',
    'evil.example/path',
    'evil.example?query',
    'evil.example#fragment',
    'evil.example\\path',
    'evil example',
    'qr.example, evil.example',
    'qr.example:',
    'qr.example:port',
    'qr.example:65536',
    '::1',
    '[::zz]',
    '[::1',
    '.example',
    '*',
    'e%41vil.example',
    'пример.рф',
    '999.999.999.999',
    'a'.repeat(254),
    'a'.repeat(3000),
  ])('%j is not valid', (host) => expect(hostNameOf(host)).toBeUndefined())
})
