-- Somebody who signs in with Google or GitHub only has no password.
alter table users alter column password_hash drop not null;

create table account_tokens (
  id uuid not null,
  user_id uuid not null,
  purpose text not null,
  token_hash bytea not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
create index account_tokens_user on account_tokens (user_id, purpose, created_at);
create index account_tokens_expiry on account_tokens (expires_at);
alter table account_tokens add constraint account_tokens_token_hash_unique unique (token_hash);
alter table account_tokens add constraint account_tokens_purpose_check check (purpose in ('verify-email', 'reset-password'));
alter table account_tokens add constraint account_tokens_user_id_foreign
  foreign key (user_id) references users (id) on delete cascade;

create table oauth_identities (
  provider text not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamptz(3) not null default now(),
  primary key (provider, subject)
);
create index oauth_identities_user_id_index on oauth_identities (user_id);
alter table oauth_identities add constraint oauth_identities_provider_check check (provider in ('google', 'github'));
alter table oauth_identities add constraint oauth_identities_user_id_foreign
  foreign key (user_id) references users (id) on delete cascade;

create table invitations (
  id uuid not null,
  project_id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
create index invitations_email on invitations (email);
alter table invitations add constraint invitations_project_email unique (project_id, email);
alter table invitations add constraint invitations_token_hash_unique unique (token_hash);
alter table invitations add constraint invitations_role_check check (role in ('OWNER', 'ADMIN', 'MEMBER'));
alter table invitations add constraint invitations_project_id_foreign
  foreign key (project_id) references projects (id) on delete cascade;

-- What became of a project's emails by UTC day: figures plus the changes that are not folded into them yet.
create table project_email_days (
  project_id uuid not null,
  day date not null,
  sent int not null default 0,
  bounced int not null default 0,
  complained int not null default 0,
  primary key (project_id, day)
);

create table project_email_changes (
  project_id uuid not null,
  id uuid not null default uuidv7(),
  day date not null,
  sent int not null default 0,
  bounced int not null default 0,
  complained int not null default 0,
  primary key (project_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Simulator addresses are no recipients.
insert into project_email_days (project_id, day, sent, bounced, complained)
select project_id, day, sum(sent), sum(bounced), sum(complained)
from emails e
cross join lateral (
  select (e.sent_at at time zone 'UTC')::date, 1, 0, 0 where e.sent_at is not null
  union all
  select (e.bounced_at at time zone 'UTC')::date, 0, 1, 0 where e.bounced_at is not null
  union all
  select (e.complained_at at time zone 'UTC')::date, 0, 0, 1 where e.complained_at is not null
) counted (day, sent, bounced, complained)
where e.to_email not like '%@simulator.amazonses.com'
group by project_id, day;

create table project_suspensions (
  id uuid not null,
  project_id uuid not null,
  reason text not null,
  sent int not null,
  bounced int not null,
  complained int not null,
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
create index project_suspensions_project on project_suspensions (project_id, created_at);
alter table project_suspensions add constraint project_suspensions_project_id_foreign
  foreign key (project_id) references projects (id) on delete cascade;

create table project_erasures (
  id uuid not null,
  project_id uuid not null,
  before timestamptz(3) not null,
  done jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  primary key (id)
);
create index project_erasures_project on project_erasures (project_id);
