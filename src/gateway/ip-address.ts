// Says which IP addresses in URLs are public.
import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * Networks that are not public. Of IPv6 all but global unicast (RFC 4291, section 2.4) is in it: what the IANA has not
 * allocated, and every form that contains an IPv4 address (mapped, compatible, NAT64). The addresses by which a machine
 * of a cloud reaches its platform are in it too. A self-hosted service checks resolved addresses by it (workerd-config.ts).
 */
export const NON_PUBLIC_NETWORKS = [
  '0.0.0.0/8', // this network, RFC 1122, section 3.2.1.3
  '10.0.0.0/8', // private, RFC 1918
  '100.64.0.0/10', // shared, RFC 6598; 100.100.100.200 is the metadata of Alibaba Cloud
  '127.0.0.0/8', // loopback, RFC 1122, section 3.2.1.3
  '168.63.129.16/32', // the host of a machine on Azure, Microsoft's documentation
  '169.254.0.0/16', // link-local, RFC 3927; 169.254.169.254 is the metadata of most clouds
  '172.16.0.0/12', // private, RFC 1918
  '192.0.0.0/24', // protocol assignments, RFC 6890, section 2.1; 192.0.0.192 is the metadata of Oracle Cloud
  '192.0.2.0/24', // documentation, RFC 5737
  '192.88.99.0/24', // 6to4 relays, RFC 7526
  '192.168.0.0/16', // private, RFC 1918
  '198.18.0.0/15', // benchmarking, RFC 2544
  '198.51.100.0/24', // documentation, RFC 5737
  '203.0.113.0/24', // documentation, RFC 5737
  '224.0.0.0/4', // multicast, RFC 5771
  '240.0.0.0/4', // reserved, RFC 1112, and broadcast, RFC 919
  '::/3', // loopback, and the forms that contain an IPv4 address
  '2001::/23', // protocol assignments, RFC 2928: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation, RFC 3849
  '2002::/16', // 6to4, RFC 3056: leads to the IPv4 address within
  '3fff::/20', // documentation, RFC 9637
  '4000::/2', // not allocated
  '8000::/1', // not allocated, private (fd00:ec2::254 is the metadata of AWS), link-local, multicast
] as const

// One list for each family: Node compares an IPv4 address with networks of IPv6 too, as ::ffff:0:0/96, and workerd does not.
const NON_PUBLIC = { ipv4: new BlockList(), ipv6: new BlockList() }
const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
for (const prefix of NON_PUBLIC_NETWORKS) {
  const [address = '', length] = prefix.split('/')
  const family = familyOf(address)
  NON_PUBLIC[family].addSubnet(address, Number(length), family)
}

/**
 * Whether the Internet routes to an address.
 * @param host `hostname` of a URL, as the URL parser writes it: it knows the short, decimal, octal and hex forms of IPv4
 * @returns undefined if the host is a name
 */
export function isPublicAddress(host: string): boolean | undefined {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) === 0) return undefined
  const family = familyOf(address)
  return !NON_PUBLIC[family].check(address, family)
}
