import { isIPv4, isIPv6 } from 'node:net';

/**
 * The name under which the requests of a client address are counted. An IPv6 customer owns at least a /64, so its
 * first 64 bits count as one address; IPv4 written as IPv6 counts as IPv4.
 */
export function addressSubject(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return `address ${mapped}`;
  if (isIPv6(address)) return `address ${networkOf(address)}`;
  return isIPv4(address) ? `address ${address}` : 'address unknown';
}

/** The first four groups, written in full. */
function networkOf(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const groups = groupsOf(head);
  const after = groupsOf(tail ?? '');
  if (tail !== undefined) while (groups.length + after.length < 8) groups.push('0');
  const first = [...groups, ...after].slice(0, 4);
  return `${first.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
