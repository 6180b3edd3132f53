/** Tables without an entity, because only statements use them. Their columns are in `db/migrations`. */
export const statementTables = [
  // Hashes of the installed functions (`db/apply-functions.ts`).
  'schema_functions',

  // Password attempts within 15 minutes; `subject` hashes the account and the client's origin.
  'sign_in_attempts',
  // The requests with an `Idempotency-Key`; `status_code` is null while the first one is still running.
  'idempotency_keys',
  // Requests per minute leased to processes; `subject` is a project id, a user or a client address.
  'rate_limit_windows',
  // Invitations mailed within a clock hour; `subject` is the invited address or the inviting user's id.
  'invitation_hours',

  // Emails per calendar month (UTC), in shards (`lane`) to avoid lock contention: the total is their sum. A shard is
  // negative when emails counted in another one were released in it.
  'billing_usage',

  // Email outcomes per project and UTC day, without simulator addresses; bounces count on the day they arrive. Add the
  // unfolded changes for exact counts. `judged` is false from a change of the counts until the project is checked
  // against the limits.
  'project_email_days',
  // Appended, so that writers never contend for a row lock; folded every minute.
  'project_email_changes',

  // Audience figures as of the last fold: `contacts`, `subscribed`, `snoozed`, and `data.<key>` for the number of
  // contacts with that key. Add the unfolded changes for the exact figure.
  'contact_figures',
  // Appended by triggers on `contacts` in the same transaction: inserts never contend for a row lock. A sweep folds
  // them.
  'contact_figure_changes',

  // Members of static segments, and the last computed members of tracked dynamic ones. Membership in a dynamic segment is
  // always decided by its condition; these rows only record entries.
  'segment_members',
  // Deleted contacts. A row stays until all data about the contact is erased everywhere, including rows written by
  // transactions that did not see the deletion: a first pass ends at `passed_at`, a second one minutes later. In each pass,
  // `cleared_at` is set from the end of its part in Postgres to the end of its part in ClickHouse.
  'contact_erasures',

  // What the tracked segments of a project read: changes of anything else are not recorded. `clock` is a test relative
  // to now (`core/segments/segment-inputs.ts`); the instants at which its answer changes are recorded up to
  // `planned_until`.
  'segment_inputs',
  // Contacts that a round has yet to evaluate, appended by the transaction that changes them: one row per statement and
  // input. `id` contains the instant at which the change is due: that of the write, or later for a clock. `hops` are
  // those of a change that an execution caused (`core/workflows/endless.ts`); null for any other.
  'segment_changes',
  // The earliest next turn of a project with changes.
  'segment_rounds',

  // Counters of a campaign as of the last fold. Add the unfolded changes for the exact figures.
  'campaign_figures',
  // Appended in the transaction of the state transition: inserts never contend for a row lock. A sweep folds them.
  'campaign_figure_changes',

  // A template's content on one day, shared by all workflow emails sent with it.
  'template_contents',
  'email_attachments',
  // Emails held back by the send rate. A batch refreshes `seen_at` about every four minutes at least. Unlogged.
  'waiting_emails',
  // Token buckets (GCRA): when the next email of each may leave. `key` is `account`, a project id, or a share of either.
  'throttles',
  // Provider notifications that were applied. Partitioned by day of publication (UTC), which is the same for all
  // deliveries of one.
  'handled_notifications',
  // Used only by versions before 2026-11-23. Empty 30 days after the upgrade; drop it then.
  'provider_notifications',

  // How often and when a contact had an event; segments and conditions read this instead of the journal. Another index,
  // or volatile columns in this one, would cost a second index write per event.
  'contact_event_stats',
  // Event names the project has tracked. At most 10,000 per project (`db/functions/limit-project-rows.sql`).
  'event_names',
  // How far the journal has reached ClickHouse. `refused_rows` counts rows that ClickHouse refused: it has them without
  // their data, or not at all.
  'stream_positions',
];
