import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { connectionsToClickHouse } from '../../analytics/client/connection.ts';
import { accountEmailSettings } from '../../core/config/account-email.ts';
import { deriveKey } from '../../core/crypto/derive-key.ts';
import type { DatabaseListener } from '../../db/database-listener.ts';
import type { ProductMetrics } from '../../runtime/product-metrics.ts';
import { version } from '../../runtime/version.ts';
import type { ProcessResources } from '../../temporal/client/open-temporal.ts';
import type { ProjectKeys } from '../access/project-keys.ts';
import type { RateLimiter } from '../access/rate-limiter.ts';
import type { SessionTokens } from '../access/session-tokens.ts';
import { createAccountLinksService } from './account-links.ts';
import { createLinkMailer } from './link-mailer.ts';
import { createLinkRequestsService } from './link-requests.ts';
import { createOneTimeLinks } from './one-time-links.ts';
import { createPasswords } from './passwords.ts';
import {
  createProjectPlaces,
  createSharedPlaces,
  type ProjectPlaces,
  sharedConnections,
} from './project-places.ts';
import { publicConfig } from './public-config.ts';
import { createRecordedNames } from './recorded-names.ts';
import { createSessionsService } from './sessions.ts';
import { shareClickHouse } from './share-clickhouse.ts';
import { createSignInGuard } from './sign-in-guard.ts';
import { createTemplateTurns } from './template-turns.ts';

/** Of all projects, so that inserts and the readiness check have connections to ClickHouse left. */
const questionsAtOnce = Math.floor(connectionsToClickHouse * 0.8);

export type ServiceContext = ReturnType<typeof createServiceContext>;

export interface EdgeParts {
  databaseListener: DatabaseListener;
  projectKeys: ProjectKeys;
  sessions: SessionTokens;
  limiters: { address: RateLimiter | null };
  /** For routes that take no place themselves: requests that took two places could wait for each other forever. */
  writes: ProjectPlaces;
  writesByLink: ProjectPlaces;
  viewsByLink: ProjectPlaces;
}

export interface ServiceParts {
  metrics: ProductMetrics;
  /** Call it after commits that wrote to the journal. */
  wakeJournal: () => void;
  clickhouse: ClickHouse;
}

/** Dependencies that the services share. */
export function createServiceContext(resources: ProcessResources, edge: EdgeParts, parts: ServiceParts) {
  const { config, log, orm, relay } = resources;
  const warn = (message: string, err: unknown) => log.warn({ err }, message);
  const committed = () => {
    relay.wake();
    parts.wakeJournal();
  };
  const emailsQueued = () => {
    relay.wakeEmails();
    parts.wakeJournal();
  };
  // For services that queue no commands: waking the relay for nothing costs a tenth of a busy process's CPU.
  const journaled = parts.wakeJournal;
  const recordedNames = createRecordedNames(orm, edge.databaseListener);
  const heavyReads = createProjectPlaces(config.HEAVY_READS_PER_PROJECT, {
    inAll: createSharedPlaces(sharedConnections(config)),
  });
  const templateTurns = createTemplateTurns();
  const passwords = createPasswords();
  const guard = createSignInGuard({
    orm,
    key: deriveKey(config.APP_SECRET, 'sign-in-source'),
    limit: config.LOGIN_ATTEMPTS_PER_ACCOUNT,
  });
  const { from, siteUrl } = accountEmailSettings(config);
  const shown = publicConfig(config, version);
  const linkKey = deriveKey(config.APP_SECRET, 'public-link');
  const oneTimeLinks = createOneTimeLinks({
    from,
    siteUrl,
    tokenKey: deriveKey(config.APP_SECRET, 'one-time-token'),
    linkKey: deriveKey(config.APP_SECRET, 'account-link'),
  });
  const sessions = createSessionsService({ orm, tokens: edge.sessions, guard });
  const shared = {
    ...resources,
    ...parts,
    ...edge,
    clickhouse: shareClickHouse(parts.clickhouse, config.HEAVY_READS_PER_PROJECT, questionsAtOnce),
    committed,
    emailsQueued,
    journaled,
    warn,
    recordedNames,
    heavyReads,
  };
  const account = { passwords, guard, oneTimeLinks, sessions, signupEnabled: config.SIGNUP_ENABLED };
  const accountLinks = createAccountLinksService({ ...shared, ...account });
  const linkMailer = createLinkMailer({ ...shared, oneTimeLinks });
  const linkRequests = createLinkRequestsService({ orm, oneTimeLinks, linkMailer });
  return {
    ...shared,
    ...account,
    accountLinks,
    linkMailer,
    linkRequests,
    templateTurns,
    from,
    shown,
    linkKey,
  };
}
