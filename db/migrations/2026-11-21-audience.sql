create table templates (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  description text,
  subject text not null,
  body text not null,
  from_email text not null,
  from_name text,
  reply_to text,
  type text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (id)
);
create index templates_project on templates (project_id, created_at, id);
alter table templates add constraint templates_type_check check (type in ('TRANSACTIONAL', 'MARKETING', 'HEADLESS'));

create table segments (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  description text,
  type text not null,
  condition jsonb,
  filter_count int not null default 0,
  refers_to uuid[] not null default '{}',
  slug text not null,
  track_membership boolean not null default false,
  member_count int not null default 0,
  counted_at timestamptz(3),
  computed_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (id)
);
create index segments_project on segments (project_id, created_at, id);
-- The two rounds over all projects: counts by age, computations by id.
create index segments_counted on segments (counted_at nulls first, id);
create index segments_tracked on segments (id) where track_membership and type = 'DYNAMIC';
alter table segments add constraint segments_slug unique (project_id, slug);
alter table segments add constraint segments_type_check check (type in ('DYNAMIC', 'STATIC'));

create table segment_members (
  segment_id uuid not null,
  contact_id uuid not null,
  created_at timestamptz(3) not null default now(),
  primary key (segment_id, contact_id)
);
create index segment_members_contact on segment_members (contact_id);

create table jobs (
  id uuid not null,
  project_id uuid not null,
  type text not null,
  state text not null default 'waiting',
  done int not null default 0,
  progress smallint not null default 0,
  result jsonb not null default '{}',
  failed_reason text,
  file jsonb,
  contact_ids uuid[],
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  primary key (id)
);
create index jobs_created on jobs (created_at);
alter table jobs add constraint jobs_state_check check (state in ('waiting', 'active', 'completed', 'failed'));

create table job_chunks (
  job_id uuid not null,
  position smallint not null,
  bytes bytea not null,
  primary key (job_id, position)
);

-- Lists of the subscribed, the unsubscribed and the snoozed, however few they are.
create index contacts_project_subscribed on contacts (project_id, subscribed, created_at, id);
create index contacts_snoozed on contacts (project_id, created_at, id) where snoozed_until is not null;

create table contact_figures (
  project_id uuid not null,
  figure text not null,
  value int not null,
  primary key (project_id, figure)
);

create table contact_figure_changes (
  project_id uuid not null,
  id uuid not null default uuidv7(),
  figure text not null,
  change int not null,
  primary key (project_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The indexes above have locked the table against writers until the end of the transaction, which also creates the triggers
-- that record changes of these figures (db/functions/record-contact-figure-changes.sql).
insert into contact_figures (project_id, figure, value)
select project_id, figure, count(*)
from contacts c
cross join lateral (
  select 'contacts'
  union all
  select 'subscribed' where c.subscribed
  union all
  select 'snoozed' where c.snoozed_until is not null
  union all
  select 'data.' || key from jsonb_object_keys(c.data) key
) counted (figure)
group by project_id, figure;

-- By project and name first, so that a segment finds everyone who had an event, and an event name can be deleted.
alter table contact_event_stats drop constraint contact_event_stats_pkey;
alter table contact_event_stats add primary key (project_id, name, contact_id);

-- Counts of an event within a window, for the contacts whose events straddle the start of it; all other questions
-- about events are answered by contact_event_stats. And all events of a name, for its deletion.
create index events_history on events (project_id, name, contact_id, occurred_at) where kind <> 'activity';

create table event_deletions (
  id uuid not null,
  project_id uuid not null,
  name text not null,
  before timestamptz(3) not null,
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null default now(),
  primary key (id)
);

create table contact_erasures (
  contact_id uuid not null,
  project_id uuid not null,
  erased_at timestamptz(3) not null default clock_timestamp(),
  primary key (contact_id)
);
-- What happened to a contact and that events_history does not have.
create index events_activity_contact on events (contact_id) where kind = 'activity' and contact_id is not null;
