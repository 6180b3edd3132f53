import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { main } from '../doctor/main.ts';
import { readSecrets } from './data-directory.ts';
import { chooseEmbeddedParts, productEnvironment, readLocalEnvironment } from './environment.ts';
import { readRememberedPorts } from './ports.ts';
import { postgresUrl } from './postgres.ts';

/** `npm run doctor`: checks the deployment named by the environment, or else that of `npm start`. */
const { env } = process;
const environment = env.DATABASE_URL ? env : await localEnvironment();
if (environment === undefined) process.exitCode = 1;
else await main(environment, process.argv.slice(2));

/** Undefined, with a message, where nothing was started. */
async function localEnvironment(): Promise<Record<string, string | undefined> | undefined> {
  const settings = readLocalEnvironment(env);
  const path = resolve(settings.DATA_DIR);
  const secrets = existsSync(path) ? await readSecrets(path) : undefined;
  if (secrets === undefined) {
    process.stderr.write(
      `Nothing was started in ${path}. Run \`npm start\` first, set DATA_DIR to its folder, or set the variables of a deployment (docs/configuration.md).\n`,
    );
    return undefined;
  }
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
