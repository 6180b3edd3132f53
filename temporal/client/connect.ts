import { Client, Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';

export interface TemporalConnectionOptions {
  /** The process environment: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, `TEMPORAL_API_KEY`, TLS and profiles. */
  environment: Record<string, string | undefined>;
  dataConverter: DataConverter | undefined;
}

/** Where and how to connect, by the Temporal environment configuration: the same for local, own and cloud servers. */
export function temporalConnectionConfig(environment: Record<string, string | undefined>) {
  // Empty counts as not set, as everywhere: an empty API key would switch TLS on.
  const present = Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    ),
  );
  const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: present });
  return { connectionOptions, namespace: namespace ?? 'default' };
}

/**
 * A client whose connection is made at the first call and again after each loss, so that a process starts and
 * keeps accepting while Temporal is away.
 */
export function createTemporalClient(options: TemporalConnectionOptions): Client {
  const { connectionOptions, namespace } = temporalConnectionConfig(options.environment);
  return new Client({
    connection: Connection.lazy({ ...connectionOptions, connectTimeout: '5 seconds' }),
    namespace,
    ...(options.dataConverter === undefined ? {} : { dataConverter: options.dataConverter }),
  });
}
