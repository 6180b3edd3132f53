import { issueWords } from '../issue-words.ts';
import { type Config, environmentSchema } from './schema.ts';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  /** @param faults such as `PORT: must be a number` */
  constructor(...faults: string[]) {
    super(['The configuration is not valid:', ...faults].join('\n  '));
  }
}

/**
 * Parses the environment of one process. Empty strings count as unset, so that `VARIABLE=` in a compose file
 * means the default.
 *
 * @throws ConfigError when a variable is missing or malformed; never includes a value, which may be a secret
 */
export function loadConfig(environment: Record<string, string | undefined>): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(present, { error: issueWords });
  if (parsed.success) return parsed.data;
  throw new ConfigError(...parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
}
