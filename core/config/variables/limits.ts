import { flag, integer, list } from './types.ts';

/** Limits, retention and intervals. */
export const limitsVariables = {
  SIGNUP_ENABLED: flag(true).describe('Whether `POST /auth/signup` is open.'),
  AUTO_PROJECT_DISABLE: flag(true).describe(
    'Whether a project is disabled when its bounces or complaints over seven days are critical.',
  ),
  API_RATE_LIMIT_PER_MINUTE: integer(1000).describe(
    'Requests per minute and project over all processes; 0 = off.',
  ),
  USER_RATE_LIMIT_PER_MINUTE: integer(1000).describe(
    'Requests per minute and signed-in user on `/users/@me` and `/projects` over all processes; 0 = off.',
  ),
  PROJECTS_PER_USER: integer(500).describe(
    'Projects that a user may own, of those that the user created; 0 = unlimited.',
  ),
  DOMAINS_PER_PROJECT: integer(100).describe('Sender domains that a project may have; 0 = unlimited.'),
  AUTH_RATE_LIMIT_PER_MINUTE: integer(100).describe(
    'Requests per minute and client address on `/auth/*` and for invitations, and invalid links on the ' +
      'public pages; 0 = off.',
  ),
  LOGIN_ATTEMPTS_PER_ACCOUNT: integer(10).describe(
    'Wrong passwords per account within 15 minutes, from all unknown devices and addresses together; each ' +
      'known one has the same allowance. 0 = off.',
  ),
  HEAVY_READS_PER_PROJECT: integer(4).describe(
    'Concurrent searches, field-value lists and counts of segments and audiences per project and ' +
      'process, and, counted separately, as many ClickHouse queries, but at most half of what all projects ' +
      'have together; a few more wait, the rest get 429. 0 = unlimited, for all projects too.',
  ),
  IDEMPOTENCY_KEY_TTL_HOURS: integer(24, 1).describe('How long an Idempotency-Key is remembered.'),
  EMAIL_BODY_RETENTION_DAYS: integer(7, 1).describe(
    'How long content and attachments of emails are kept, and the content of received ones. The content of a ' +
      'campaign is kept until it is sent or cancelled.',
  ),
  EVENT_RETENTION_MONTHS: integer(0).describe(
    'Months, in addition to the current one, for which Postgres keeps journal rows once ClickHouse has them; 0 = forever.',
  ),
  SEGMENT_ROUND_INTERVAL_SECONDS: integer(15, 1).describe(
    'How often contact changes are evaluated for tracked segments and entry and exit events are ' +
      'emitted. After a round that takes long, the project pauses for ten times as long as the ' +
      'round took, at most five minutes.',
  ),
  SEGMENT_COMPUTE_INTERVAL_MINUTES: integer(5, 1).describe(
    'How often new and edited tracked segments are computed over all contacts.',
  ),
  SEGMENT_COUNT_INTERVAL_MINUTES: integer(15, 1).describe('How often the members of segments are counted.'),
  OUTBOUND_ALLOW_HOSTS: list
    .transform((hosts) => hosts.map((host) => host.toLowerCase()))
    .describe('Non-public hosts that workflow webhooks may call, separated by commas.'),
  DNS_SERVERS: list.describe(
    'DNS servers for sender domains, `POST /v1/verify` and the hosts of webhooks, `host[:port]` separated by commas. ' +
      "Empty: the system's.",
  ),
};
