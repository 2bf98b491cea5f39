// Finds the addresses at which this machine serves the service.
import type { NetworkInterfaceInfo } from 'node:os'

/** What `os.networkInterfaces()` returns. */
export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>

/** The hosts that only this machine can open. */
export const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Whether an `--ip` means every address of the machine. */
export const isWildcard = (ip: string): boolean => ['0.0.0.0', '::', '*'].includes(ip)

/** What workerd listens on. */
export const socketAddress = (ip: string, port: number): string => `${host(ip)}:${port}`

/** A host that a phone in the same network can open, if the service listens on it; otherwise the service's own host. */
export function reachableHost(ip: string, interfaces: Interfaces): string {
  if (!isWildcard(ip)) return host(ip)
  const lan = addressesOf(interfaces).find(({ family, internal }) => family === 'IPv4' && !internal)
  return lan?.address ?? '127.0.0.1'
}

/** The value of ALLOWED_HOSTS (contract, section 1): the hosts that requests to this machine can name. */
export function allowedHosts(ip: string, interfaces: Interfaces, publicUrl: string | undefined): string {
  const own = isWildcard(ip) ? addressesOf(interfaces).map(({ address }) => host(address)) : [host(ip)]
  const named = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  return [...new Set([...LOOPBACK, ...named, ...own])].join(',')
}

const addressesOf = (interfaces: Interfaces) =>
  Object.values(interfaces).flatMap((addresses) => addresses ?? [])

/** The form of an address in a URL: IPv6 in brackets, without its zone. */
const host = (address: string) => (address.includes(':') ? `[${address.replace(/%.*$/, '')}]` : address)
