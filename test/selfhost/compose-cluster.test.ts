// deploy/compose.cluster.yml: its instances are what npm run serve takes, and what the balancer and the store beside them expect.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { expect, it } from 'vitest'
import { CLUSTER_OPTIONS, clusterOf } from '../../bin/serve/cluster.ts'

const compose = readFileSync('deploy/compose.cluster.yml', 'utf8')

/** The services by their names: the lines below each. */
const services = new Map(
  compose
    .slice(compose.indexOf('\nservices:\n'), compose.indexOf('\nnetworks:\n'))
    .split(/^ {2}(?=\w+:$)/m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf(':')), text] as const),
)

/** What a service has under a name, on one line. */
const fieldOf = (service: string, name: string): string => {
  const [, value] = new RegExp(`^ {4}${name}: (.*)$`, 'm').exec(services.get(service) ?? '') ?? []
  if (value === undefined) throw new Error(`${service} has no ${name}`)
  return value
}

/** The words of its entrypoint, which can be on several lines. */
const entrypointOf = (service: string): string[] => {
  const [, words = ''] = /^ {4}entrypoint:\s*\[([^\]]*)\]/m.exec(services.get(service) ?? '') ?? []
  return Array.from(words.matchAll(/"([^"]*)"/g), ([, word = '']) => word)
}

const addressOf = (service: string): string =>
  /ipv4_address: ([\d.]+)/.exec(fieldOf(service, 'networks'))?.[1] ?? ''

it.each(['a', 'b', 'c'])(
  'instance %s has options that are right, and the address that the balancer calls',
  (name) => {
    const [program, command, ...args] = entrypointOf(name)
    expect([program, command]).toEqual(['/opt/fps-qr/fps-qr', 'serve'])
    const { values } = parseArgs({
      args,
      options: { data: { type: 'string' }, ip: { type: 'string' }, ...CLUSTER_OPTIONS },
    })
    const [, AWS_ENDPOINT_URL] = /AWS_ENDPOINT_URL: (\S+)/.exec(compose) ?? []
    const credentials = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
    const key = 'k'.repeat(32)
    const settings = { CLUSTER_KEY: key, AWS_ENDPOINT_URL, ...credentials }
    expect(clusterOf(values, settings)).toEqual({
      ...{ bucket: 's3://fps-qr/production', address: `${addressOf(name)}:7000`, key },
      advertise: undefined,
    })
    expect(values.data).toBe('/data')
    expect(fieldOf(name, 'volumes')).toBe(`["${name}:/data"]`)
    const balancer = readFileSync('deploy/haproxy.cfg', 'utf8')
    expect(balancer).toContain(`\n  server ${name} ${addressOf(name)}:8080\n`)
    expect(AWS_ENDPOINT_URL).toBe(`http://${addressOf('store')}:9000`)
  },
)

it('the store has the bucket, and a stop is longer than the supervisor waits', () => {
  expect(entrypointOf('store').at(-1)).toContain('mkdir -p /data/fps-qr ')
  expect(Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1])).toBeGreaterThan(12)
})
