import type { Logger } from 'pino';
import type { Config } from '../../core/config/schema.ts';
import { publicApiUrl } from '../../core/config/urls.ts';
import { deriveKey } from '../../core/crypto/derive-key.ts';
import { DatabaseListener } from '../../db/database-listener.ts';
import type { Em } from '../../db/orm.ts';
import { sweepRateLimitWindows } from '../../db/statements/access/lease-requests.ts';
import { createIdempotency } from '../access/idempotency.ts';
import { createProjectKeys } from '../access/project-keys.ts';
import { createRateLimiter } from '../access/rate-limiter.ts';
import { createSessionTokens } from '../access/session-tokens.ts';
import { createProjectPlaces, createSharedPlaces, sharedConnections } from '../services/project-places.ts';
import { hostOf } from './same-site.ts';
import { createVisitorPlaces } from './visitor-places.ts';

const sweepEveryMs = 5 * 60_000;
/** More than usual clients send at once; the rate limit is the real one. */
const mostWaiting = 1_000;

export type Edge = ReturnType<typeof createEdge>;

/**
 * What the middleware chains of all routes share.
 *
 * @param em a dedicated fork that never opens a transaction
 */
export function createEdge({ config, em, logger }: { config: Config; em: Em; logger: Logger }) {
  const databaseListener = new DatabaseListener({
    databaseUrl: config.DATABASE_URL,
    warn: (message, err) => logger.warn({ err }, message),
  });
  const limiter = (limit: number) => (limit === 0 ? null : createRateLimiter(em, limit));
  let sweep: NodeJS.Timeout | undefined;
  const places = sharedConnections(config);
  const [writes, reads] = [createSharedPlaces(places), createSharedPlaces(places)];
  const ofRequests = { what: 'requests', mostWaiting };

  return {
    em,
    databaseListener,
    projectKeys: createProjectKeys(em, deriveKey(config.APP_SECRET, 'api-key-lookup'), databaseListener),
    sessions: createSessionTokens(deriveKey(config.APP_SECRET, 'session')),
    /** Hosts (with port) whose pages may send the session cookie with an unsafe method. */
    trustedHosts: new Set([publicApiUrl(config), config.DASHBOARD_URL].map(hostOf)),
    limiters: {
      project: limiter(config.API_RATE_LIMIT_PER_MINUTE),
      user: limiter(config.USER_RATE_LIMIT_PER_MINUTE),
      address: limiter(config.AUTH_RATE_LIMIT_PER_MINUTE),
    },
    idempotency: createIdempotency(em, config.IDEMPOTENCY_KEY_TTL_HOURS),
    /** A write may wait for a lock, and holds a connection meanwhile: those of all projects share a few. */
    writes: createProjectPlaces(Number.POSITIVE_INFINITY, { inAll: writes, ...ofRequests }),
    /**
     * By links in emails. Few mail clients repeat an opt-out, so none is queued behind the project's other writes, nor
     * given up when its client leaves. A flood of them is refused for a while, once more wait than leave in seconds.
     */
    writesByLink: createProjectPlaces(1, { inAll: writes, ...ofRequests, refusal: 'SERVICE_UNAVAILABLE' }),
    /** Of emails as pages: they render, and many readers of a campaign may open theirs at once. */
    viewsByLink: createProjectPlaces(2, { inAll: reads, ...ofRequests, refusal: 'SERVICE_UNAVAILABLE' }),
    shortReads: createProjectPlaces(Number.POSITIVE_INFINITY, { inAll: reads, ...ofRequests }),
    visitorWrites: createVisitorPlaces(writes),
    visitorReads: createVisitorPlaces(reads),
    /** Of routes whose `place` is `elsewhere`. No other request waits for them, not even of the same project. */
    waitingElsewhere: createProjectPlaces(Math.max(2, Math.floor(places / 2)), ofRequests),
    /** Starts listening for project changes. Until connected, every key is looked up in the database. */
    start() {
      databaseListener.start();
      sweep = setInterval(() => {
        sweepRateLimitWindows(em).catch((err) =>
          logger.warn({ err }, 'Old rate limit windows were not deleted'),
        );
      }, sweepEveryMs).unref();
    },
    async close() {
      clearInterval(sweep);
      await databaseListener.close();
    },
  };
}
