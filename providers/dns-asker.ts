import { Resolver } from 'node:dns/promises';

const deadlineMs = 2_500;
// Leaves time to resend one lost packet within the deadline.
const tryTimeoutMs = 1_000;
const tries = 2;

/**
 * Asks DNS for up to 2.5 seconds.
 *
 * @param servers IP addresses of DNS servers, `host[:port]`; empty: the system's
 * @throws TypeError for an invalid address
 */
export function createDnsAsker(servers: readonly string[]) {
  const createResolver = () => {
    const resolver = new Resolver({ timeout: tryTimeoutMs, tries });
    if (servers.length > 0) resolver.setServers(servers);
    return resolver;
  };
  createResolver();
  return async <Answer>(ask: (resolver: Resolver) => Promise<Answer>): Promise<Answer> => {
    const resolver = createResolver();
    const deadline = setTimeout(() => resolver.cancel(), deadlineMs);
    try {
      return await ask(resolver);
    } finally {
      clearTimeout(deadline);
    }
  };
}
