import { BlockList, isIP } from 'node:net';

/** IPv4 that is not one host of the public internet (IANA special-purpose registry). */
const special4 = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  special4.addSubnet(network, prefix, 'ipv4');
}

/** Unicast IPv6 of the public internet; everything outside is loopback, local, mapped, NAT64, multicast or unused. */
const unicast6 = new BlockList();
unicast6.addSubnet('2000::', 3, 'ipv6');

/** Within it: protocol assignments with Teredo and ORCHID, documentation, 6to4. */
const special6 = new BlockList();
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  special6.addSubnet(network, prefix, 'ipv6');
}

/** Whether an IP address is a host of the public internet, and not one of this machine, network or cloud. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special4.check(address, 'ipv4');
    case 6:
      return unicast6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
    default:
      return false;
  }
}
