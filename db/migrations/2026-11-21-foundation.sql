create table contacts (
  id uuid not null,
  project_id uuid not null,
  email text not null,
  subscribed boolean not null default true,
  snoozed_until timestamptz(3),
  data jsonb not null default '{}',
  suppression_reason text,
  suppressed_at timestamptz(3),
  suppressed_email_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (id)
) with (fillfactor = 90);
create index contacts_project_created on contacts (project_id, created_at, id);
alter table contacts add constraint contacts_project_email unique (project_id, email);
alter table contacts add constraint contacts_data_size check (json_text_bytes(data) <= 65536);
alter table contacts add constraint contacts_suppression_reason_check check (suppression_reason in ('bounce', 'complaint'));

create table contact_event_stats (
  contact_id uuid not null,
  name text not null,
  project_id uuid not null,
  count int not null,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  last_event_id uuid not null,
  primary key (contact_id, name)
) with (fillfactor = 80);

create table contact_fields (
  project_id uuid not null,
  key text not null,
  type text not null,
  created_at timestamptz(3) not null default now(),
  primary key (project_id, key)
);
alter table contact_fields add constraint contact_fields_type_check check (type in ('string', 'number', 'boolean', 'date'));

create table emails (
  id uuid not null,
  project_id uuid not null,
  contact_id uuid,
  content_id uuid,
  source text not null,
  type text not null default 'TRANSACTIONAL',
  template_id uuid,
  campaign_id uuid,
  workflow_id uuid,
  to_email text not null,
  to_name text,
  from_email text not null,
  subject text,
  status text not null default 'QUEUED',
  reason text,
  message_id text,
  attempts smallint not null default 0,
  claim_token uuid,
  claimed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  sent_at timestamptz(3),
  delivered_at timestamptz(3),
  opened_at timestamptz(3),
  clicked_at timestamptz(3),
  bounced_at timestamptz(3),
  complained_at timestamptz(3),
  unsubscribed_at timestamptz(3),
  opens int not null default 0,
  clicks int not null default 0,
  primary key (id)
) with (fillfactor = 60);
create index emails_contact on emails (contact_id);

create table email_contents (
  id uuid not null,
  project_id uuid not null,
  subject text not null,
  body text not null,
  from_email text not null,
  from_name text,
  reply_to text,
  headers jsonb not null default '{}',
  variables jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
create index email_contents_created on email_contents (created_at);

create table email_attachments (
  content_id uuid not null,
  position smallint not null,
  filename text not null,
  content_type text not null,
  cid text,
  disposition text not null,
  bytes bytea not null,
  primary key (content_id, position)
);
alter table email_attachments add constraint email_attachments_disposition_check check (disposition in ('attachment', 'inline'));

create table events (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  kind text not null,
  contact_id uuid,
  email_id uuid,
  campaign_id uuid,
  workflow_id uuid,
  data jsonb not null default '{}',
  occurred_at timestamptz(3) not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (id)
);
create index events_stream on events (xid, id);

create table idempotency_keys (
  project_id uuid not null,
  key text not null,
  request text not null,
  token uuid not null,
  status_code smallint,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  primary key (project_id, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

create table outbox (
  id uuid not null,
  kind text not null,
  subject_id uuid not null,
  attempts smallint not null default 0,
  next_attempt_at timestamptz(3) not null default now(),
  last_error text,
  dead_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index outbox_due on outbox (next_attempt_at, id) where dead_at is null;
create index outbox_dead on outbox (dead_at) where dead_at is not null;

create table projects (
  id uuid not null,
  name text not null,
  public_key_hash bytea not null,
  secret_key_hash bytea not null,
  public_key_encrypted bytea not null,
  secret_key_encrypted bytea not null,
  disabled boolean not null default false,
  disabled_reason text,
  suppress_transactional boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (id)
);
alter table projects add constraint projects_public_key_hash_unique unique (public_key_hash);
alter table projects add constraint projects_secret_key_hash_unique unique (secret_key_hash);

create table domains (
  id uuid not null,
  project_id uuid not null,
  domain text not null,
  status text not null default 'pending',
  dkim_tokens text[] not null default '{}',
  found_records text[] not null default '{}',
  checked_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (id)
);
create index domains_project_id_index on domains (project_id);
alter table domains add constraint domains_domain_unique unique (domain);
alter table domains add constraint domains_status_check check (status in ('pending', 'verified'));

create table domain_removals (
  id uuid not null,
  project_id uuid not null,
  domain text not null,
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
create index domain_removals_project_id_index on domain_removals (project_id);

create table provider_notifications (
  id uuid not null,
  received_at timestamptz(3) not null default now(),
  primary key (id)
);
create index provider_notifications_received on provider_notifications (received_at);

create unlogged table rate_limit_windows (
  subject text not null,
  window_start timestamptz(3) not null,
  used int not null,
  primary key (subject, window_start)
);

create table stream_positions (
  name text not null,
  xid xid8 not null,
  event_id uuid not null,
  updated_at timestamptz(3) not null default now(),
  primary key (name)
);

create table throttles (
  key text not null,
  next_free_at timestamptz(6) not null,
  primary key (key)
) with (fillfactor = 10);

create table users (
  id uuid not null,
  email text not null,
  name text,
  password_hash text not null,
  email_verified boolean not null default false,
  session_version int not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (id)
);
alter table users add constraint users_email_unique unique (email);

create table memberships (
  project_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamptz(3) not null default now(),
  primary key (project_id, user_id)
);
create index memberships_user_id_index on memberships (user_id);
alter table memberships add constraint memberships_role_check check (role in ('OWNER', 'ADMIN', 'MEMBER'));

alter table email_attachments add constraint email_attachments_content_id_foreign foreign key (content_id) references email_contents (id) on delete cascade;

alter table domains add constraint domains_project_id_foreign foreign key (project_id) references projects (id) on delete cascade;

alter table memberships add constraint memberships_project_id_foreign foreign key (project_id) references projects (id) on update cascade on delete cascade;
alter table memberships add constraint memberships_user_id_foreign foreign key (user_id) references users (id) on update cascade on delete cascade;
