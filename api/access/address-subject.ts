import ipaddr from 'ipaddr.js';

/** As in the `X-Forwarded-For` of some proxies, such as Azure Application Gateway. */
const withPort = /^(?:\[(.+)\]|([\d.]+)):\d+$/;

/**
 * Rate limit key of a client address. An IPv6 customer owns at least a /64, so only the first 64 bits count;
 * IPv4-mapped IPv6 counts as IPv4, and a port does not count.
 */
export function addressSubject(text: string): string {
  const [, v6, v4] = withPort.exec(text) ?? [];
  const address = v6 ?? v4 ?? text;
  if (!ipaddr.isValid(address)) return 'address unknown';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return `address ${parsed}`;
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `address ${network.join(':')}::/64`;
}
