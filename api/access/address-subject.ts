import ipaddr from 'ipaddr.js';

/**
 * Rate limit key of a client address. An IPv6 customer owns at least a /64, so only the first 64 bits count;
 * IPv4-mapped IPv6 counts as IPv4.
 */
export function addressSubject(address: string): string {
  if (!ipaddr.isValid(address)) return 'address unknown';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return `address ${parsed}`;
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `address ${network.join(':')}::/64`;
}
