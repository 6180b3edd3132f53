import { issueWords } from '../issue-words.ts';
import { type Config, environmentSchema } from './schema.ts';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  /** @param faults such as `PORT: must be a number` */
  constructor(...faults: string[]) {
    super(['The configuration is not valid:', ...faults].join('\n  '));
  }
}

/** What is missing because of another variable. */
function* missingIn(given: Partial<Record<keyof Config, unknown>>): Generator<string> {
  const isSet = (name: keyof Config) => String(given[name] ?? '') !== '';
  const needs: [name: keyof Config, other: keyof Config][] = [
    ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID'],
    ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
    ['OAUTH_GOOGLE_CLIENT_SECRET', 'OAUTH_GOOGLE_CLIENT_ID'],
    ['OAUTH_GOOGLE_CLIENT_ID', 'OAUTH_GOOGLE_CLIENT_SECRET'],
    ['OAUTH_GITHUB_CLIENT_SECRET', 'OAUTH_GITHUB_CLIENT_ID'],
    ['OAUTH_GITHUB_CLIENT_ID', 'OAUTH_GITHUB_CLIENT_SECRET'],
    ['STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY'],
    ['STRIPE_PRICE_IDS', 'STRIPE_SECRET_KEY'],
  ];
  for (const [name, other] of needs) {
    if (isSet(other) && !isSet(name)) yield `${name}: Required with ${other}`;
  }
  if (given.EMAIL_PROVIDER === 'smtp' && !isSet('SMTP_URL')) {
    yield 'SMTP_URL: Required with EMAIL_PROVIDER=smtp';
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
  const issues = parsed.error?.issues ?? [];
  const faults = issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  faults.push(...missingIn(parsed.data ?? present));
  if (parsed.success && faults.length === 0) return parsed.data;
  throw new ConfigError(...faults);
}
