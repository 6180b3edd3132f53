import { Client, Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';

/**
 * Uses Temporal's own environment configuration, so local, self-hosted and cloud servers are configured the same way.
 */
export function temporalConnectionConfig(environment: Record<string, string | undefined>) {
  // Empty means not set, as elsewhere: an empty API key would enable TLS.
  const present = Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    ),
  );
  const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: present });
  return { connectionOptions, namespace: namespace ?? 'default' };
}

/** Connects lazily and reconnects, so a process starts and keeps accepting requests while Temporal is down. */
export function createTemporalClient(
  environment: Record<string, string | undefined>,
  dataConverter: DataConverter = {},
): Client {
  const { connectionOptions, namespace } = temporalConnectionConfig(environment);
  return new Client({
    connection: Connection.lazy({ ...connectionOptions, connectTimeout: '5 seconds' }),
    namespace,
    dataConverter,
  });
}

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
