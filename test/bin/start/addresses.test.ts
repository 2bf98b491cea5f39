import { expect, it } from 'vitest'
import { allowedHosts, type Interfaces, reachableHost } from '../../../bin/start/addresses.ts'

const address = (family: 'IPv4' | 'IPv6', text: string, internal = false) => ({
  address: text,
  internal,
  netmask: '',
  mac: '',
  cidr: null,
  ...(family === 'IPv4' ? { family } : { family, scopeid: 0 }),
})
const INTERFACES: Interfaces = {
  lo: [address('IPv4', '127.0.0.1', true), address('IPv6', '::1', true)],
  eth0: [address('IPv6', 'fe80::1'), address('IPv4', '192.0.2.7')],
  eth1: [address('IPv4', '198.51.100.7')],
}

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', 'localhost'],
  ['::1', '[::1]'],
  ['198.51.100.7', '198.51.100.7'],
  ['0.0.0.0', '192.0.2.7'],
  ['::', '192.0.2.7'],
  ['*', '192.0.2.7'],
])('listening to %s, the service is reached at %s', (ip, host) => {
  expect(reachableHost(ip, INTERFACES)).toBe(host)
})

it('a machine without a network reaches itself', () => {
  expect(reachableHost('0.0.0.0', { lo: INTERFACES.lo })).toBe('127.0.0.1')
})

const LOOPBACK = 'localhost,127.0.0.1,[::1]'
it.each([
  ['127.0.0.1', undefined, LOOPBACK],
  ['127.0.0.1', 'https://qr.example:8443/base', `${LOOPBACK},qr.example`],
  ['192.0.2.7', undefined, `${LOOPBACK},192.0.2.7`],
  ['0.0.0.0', undefined, `${LOOPBACK},[fe80::1],192.0.2.7,198.51.100.7`],
  ['*', 'http://[2001:db8::1]/', `${LOOPBACK},[2001:db8::1],[fe80::1],192.0.2.7,198.51.100.7`],
])('listening to %s with PUBLIC_URL %s, requests can name %s', (ip, publicUrl, hosts) => {
  expect(allowedHosts(ip, INTERFACES, publicUrl)).toBe(hosts)
})
