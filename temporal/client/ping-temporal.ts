import type { Client } from '@temporalio/client';

/**
 * Asks for the namespace, so a server without its database, a missing namespace and a wrong API key do not pass for one
 * that works. The connection itself reports a lost one as connected.
 *
 * @throws when Temporal does not answer in time
 */
export async function pingTemporal(client: Client, timeoutMs: number): Promise<void> {
  const { namespace } = client.options;
  await client.withDeadline(Date.now() + timeoutMs, () =>
    client.workflowService.describeNamespace({ namespace }),
  );
}
