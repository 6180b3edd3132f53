-- The sessions of a user, which can be listed and ended one by one. Tokens from before name no row here; they are
-- accepted until they expire, or until the user ends the other sessions.
create table sessions (
  id uuid not null primary key,
  user_id uuid not null,
  version int not null,
  browser text,
  system text,
  last_used_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  constraint sessions_user_id_foreign foreign key (user_id) references users (id) on delete cascade
);
create index sessions_user on sessions (user_id, id);
create index sessions_expiry on sessions (expires_at);
alter table users add unlisted_sessions boolean not null default true;
