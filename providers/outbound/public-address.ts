import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Unicast IPv6 of the public internet; everything outside is not assigned, or reaches IPv4 or this network. */
const unicast6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Serves the virtual machines of Azure, from public address space (DNS, DHCP, health, and settings of the machine).
 * Source: Azure documentation, "What is IP address 168.63.129.16?".
 */
const azurePlatform = '168.63.129.16';

/**
 * Whether an IP address is a host of the public internet, and not one of this machine, network or cloud. The ranges
 * of the IANA special-purpose registries are the library's.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || address === azurePlatform) return false;
  return parsed.kind() === 'ipv4' || parsed.match(unicast6);
}
