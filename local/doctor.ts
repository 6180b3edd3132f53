import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { main } from '../doctor/main.ts';
import { readSecrets } from './data-directory.ts';
import { chooseEmbeddedParts, productEnvironment, readLocalEnvironment } from './environment.ts';
import { readRememberedPorts } from './ports.ts';
import { postgresUrl } from './postgres.ts';

/** `npm run doctor`: checks the deployment named by the environment, or else that of `npm start`. */
const { env } = process;
await main(env.DATABASE_URL ? env : await localEnvironment(), process.argv.slice(2));

async function localEnvironment(): Promise<Record<string, string | undefined>> {
  const settings = readLocalEnvironment(env);
  const path = resolve(settings.DATA_DIR);
  const secrets = existsSync(path) ? await readSecrets(path) : undefined;
  // The doctor reports what is missing.
  if (secrets === undefined) return env;
  const ports = await readRememberedPorts(path);
  const databaseUrl = postgresUrl(ports.POSTGRES_PORT ?? 0, secrets.postgresPassword);
  return {
    NODE_ENV: 'development',
    ...productEnvironment(
      env,
      settings,
      chooseEmbeddedParts(settings),
      { path, secrets },
      { ports, databaseUrl },
    ),
  };
}
