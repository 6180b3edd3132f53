import type { Logger } from 'pino';
import { publicApiUrl } from '../../core/config/public-api-url.ts';
import type { Config } from '../../core/config/schema.ts';
import { deriveKey } from '../../core/crypto/derive-key.ts';
import type { Em } from '../../db/orm.ts';
import { type Authenticator, createAuthenticator } from './authenticate.ts';
import { createIdempotency, type Idempotency } from './idempotency.ts';
import { createProjectChanges, type ProjectChanges } from './project-changes.ts';
import { createProjectKeys, type ProjectKeys } from './project-keys.ts';
import { sweepRateLimitWindows } from './rate-limit-leases.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { hostOf } from './same-site.ts';
import { createSessionUsers } from './session-users.ts';
import { createSessions, type Sessions } from './sessions.ts';

const sweepEveryMs = 5 * 60_000;

/** The parts of the edge that need the database. */
export interface Edge {
  authenticate: Authenticator;
  projectKeys: ProjectKeys;
  /** Tells caches that a project has changed, in whichever process. */
  projectChanges: ProjectChanges;
  sessions: Sessions;
  /** Null where the limit is off. */
  projectLimiter: RateLimiter | null;
  userLimiter: RateLimiter | null;
  addressLimiter: RateLimiter | null;
  idempotency: Idempotency;
  /** Starts to listen for changed projects; until it is connected every key is looked up in the database. */
  start(): void;
  close(): Promise<void>;
}

export interface EdgeOptions {
  config: Config;
  /** A fork of its own, which never opens a transaction. */
  em: Em;
  logger: Logger;
}

/** Key look-up, sessions, rate limits and idempotency over one database. */
export function createEdge({ config, em, logger }: EdgeOptions): Edge {
  const apiUrl = publicApiUrl(config);
  const changes = createProjectChanges({
    databaseUrl: config.DATABASE_URL,
    warn: (message, err) => logger.warn({ err }, message),
  });
  const projectKeys = createProjectKeys({
    em,
    lookupKey: deriveKey(config.APP_SECRET, 'api-key-lookup'),
    changes,
  });
  const sessions = createSessions({
    key: deriveKey(config.APP_SECRET, 'session'),
    isHttps: apiUrl.startsWith('https:'),
  });
  const trustedHosts = new Set(
    [hostOf(apiUrl), hostOf(config.DASHBOARD_URL)].filter((host) => host !== undefined),
  );
  const limiter = (limit: number) => (limit === 0 ? null : createRateLimiter({ em, limit }));
  let sweep: NodeJS.Timeout | undefined;

  return {
    authenticate: createAuthenticator({
      keys: projectKeys,
      sessions,
      sessionUsers: createSessionUsers(em),
      trustedHosts,
    }),
    projectKeys,
    projectChanges: changes,
    sessions,
    projectLimiter: limiter(config.API_RATE_LIMIT_PER_MINUTE),
    userLimiter: limiter(config.USER_RATE_LIMIT_PER_MINUTE),
    addressLimiter: limiter(config.AUTH_RATE_LIMIT_PER_MINUTE),
    idempotency: createIdempotency({ em, ttlHours: config.IDEMPOTENCY_KEY_TTL_HOURS }),
    start: () => {
      changes.start();
      sweep = setInterval(() => {
        sweepRateLimitWindows(em).catch((err) =>
          logger.warn({ err }, 'Old rate limit windows were not deleted'),
        );
      }, sweepEveryMs).unref();
    },
    close: async () => {
      clearInterval(sweep);
      await changes.close();
    },
  };
}
