import type { Client } from '@temporalio/client';

/**
 * Asks for the namespace, so that a server without its database, a missing namespace or a wrong API key is not mistaken
 * for a working one. The connection alone reports a lost server as connected.
 *
 * @throws when Temporal does not answer in time
 */
export async function pingTemporal(client: Client, timeoutMs: number): Promise<void> {
  const { namespace } = client.options;
  await client.withDeadline(Date.now() + timeoutMs, () =>
    client.workflowService.describeNamespace({ namespace }),
  );
}
