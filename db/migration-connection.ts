import pg from 'pg';

/**
 * Opens a connection outside of the pools and their limits. The listener keeps a broken connection from ending the
 * process: only the running statement fails.
 */
export async function openMigrationConnection(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'posthaste-migration' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
