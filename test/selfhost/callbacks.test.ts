// Where notifications of the production build go: a name is judged by the address to which it leads when it is called.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { requires } from '../support/requires.ts'
import { temporaryDirectory } from '../support/serve.ts'

const PUBLIC = ['93.184.216.34', '100.128.0.1', '168.63.129.17', '2606:4700::1111', '2a02:6b8::1']
/** One address of each network that is not public, and those of the platforms. */
const NON_PUBLIC = [
  ...['10.1.2.3', '100.64.0.1', '127.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.1.1'],
  ...['192.0.2.1', '192.88.99.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1'],
  ...['168.63.129.16', '169.254.169.254', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'],
  ...['64:ff9b::a00:1', '2001::1', '2001:db8::1', '2002:a00:1::1', '3fff::1', '4000::1', 'fc00::1'],
]
const ADDRESSES = [...PUBLIC, ...NON_PUBLIC]

/** A network of its own, in which each address is this machine's, and the names are in its file of hosts. */
const NAMESPACE = ['unshare', '--map-root-user', '--mount', '--net', 'sh', '-c']
const SETUP = `ip link set lo up
  for address in ${ADDRESSES.join(' ')}; do ip address add "$address" dev lo; done 2>/dev/null
  mount --bind "$1" /etc/hosts && shift && exec "$@"`
const [command = '', ...options] = NAMESPACE
// Where the system allows no namespaces to its users, only an administrator could make one.
const canIsolate = requires('namespaces', spawnSync(command, [...options, 'ip link set lo up']).status === 0)

/** What the process in that network writes. */
const Written = z.object({ reached: z.array(z.string()), failures: z.array(z.unknown()) })

describe.runIf(canIsolate)('a notification', () => {
  it('goes to no address that is not public, whatever a name leads to, and to all others', () => {
    const directory = temporaryDirectory()
    const hosts = join(directory, 'hosts')
    writeFileSync(
      hosts,
      ADDRESSES.map((address, index) => `${address} name-${index}.shop.example\n`).join(''),
    )
    const { status, stdout, stderr } = spawnSync(
      command,
      [
        ...[...options, SETUP, 'sh', hosts, process.execPath, '--disable-warning=ExperimentalWarning'],
        ...['test/support/callbacks.ts', join(directory, 'data'), ...ADDRESSES],
      ],
      { encoding: 'utf8' },
    )
    expect([status, stderr]).toEqual([0, ''])
    const { reached, failures } = Written.parse(JSON.parse(stdout))
    expect(reached).toEqual(PUBLIC)
    // The service's own lines, with the site: workerd writes of each refused connection too, without it.
    expect(failures.length).toBeGreaterThan(0)
    for (const failure of failures) {
      expect(failure).toMatchObject({
        level: 'warning',
        message: 'a notification was not delivered',
        site: 'demo',
      })
    }
  })
})
