import { lookup } from 'node:dns/promises';
import { createDnsAsker } from '../dns-asker.ts';

/** Throws an error with a code, such as ENOTFOUND, for a host that has no address. */
export type ResolveHost = (host: string) => Promise<string[]>;

/**
 * Asks DNS directly. The system's resolver looks up two hosts at a time for the whole process, and each lookup takes
 * ten seconds or more while the domain's name server is silent: webhooks of one project would hold up new connections
 * to the email provider.
 *
 * @param systemHosts in lower case; may be names that only the system knows, such as those of its hosts file
 * @param dnsServers IP addresses, `host[:port]`; empty: the system's
 */
export function createHostResolver(
  systemHosts: readonly string[],
  dnsServers: readonly string[],
): ResolveHost {
  const askDns = createDnsAsker(dnsServers);
  return async (host) => {
    if (systemHosts.includes(host)) return (await lookup(host, { all: true })).map(({ address }) => address);
    // RFC 6761: not a name of DNS.
    if (/(^|\.)localhost\.?$/.test(host)) return ['127.0.0.1'];
    const [v4, v6] = await askDns((dns) => Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]));
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    const code = v4.status === 'rejected' ? v4.reason.code : 'ENODATA';
    throw Object.assign(new Error(`DNS has no address for ${host}`), {
      code: code === 'ECANCELLED' ? 'ETIMEOUT' : code,
    });
  };
}
