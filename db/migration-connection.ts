import pg from 'pg';

/**
 * Opens a connection outside of the pools, whose limits do not apply to it. When it breaks, its statement fails and the
 * process goes on: without a listener, the error would end it.
 */
export async function openMigrationConnection(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'posthaste-migration' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
