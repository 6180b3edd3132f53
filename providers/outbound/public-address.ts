import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

// Public IPv6 unicast; anything outside is unassigned, maps to IPv4 or is local.
const unicast6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Serves Azure's virtual machines (DNS, DHCP, health, machine settings) from public address space.
 * Source: Azure documentation, "What is IP address 168.63.129.16?".
 */
const azurePlatform = '168.63.129.16';

/**
 * True for a host of the public internet, false for this machine, network or cloud. The ranges of the IANA
 * special-purpose registries come from `ipaddr.js`.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || address === azurePlatform) return false;
  return parsed.kind() === 'ipv4' || parsed.match(unicast6);
}
