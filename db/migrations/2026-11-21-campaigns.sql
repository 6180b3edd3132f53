create table campaigns (
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
  status text not null default 'DRAFT',
  audience_type text not null,
  audience_condition jsonb,
  segment_id uuid,
  scheduled_for timestamptz(3),
  total_recipients int not null default 0,
  content_id uuid,
  started_at timestamptz(3),
  frozen_until timestamptz(3),
  frozen_contact_id uuid,
  frozen_at timestamptz(3),
  sent_at timestamptz(3),
  cancelled_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (id)
);
create index campaigns_project on campaigns (project_id, created_at, id);
create index campaigns_open on campaigns (status, scheduled_for) where status in ('SCHEDULED', 'SENDING');
alter table campaigns add constraint campaigns_type_check check (type in ('TRANSACTIONAL', 'MARKETING', 'HEADLESS'));
alter table campaigns add constraint campaigns_status_check
  check (status in ('DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED'));
alter table campaigns add constraint campaigns_audience_type_check
  check (audience_type in ('ALL', 'SEGMENT', 'FILTERED'));

create table campaign_batches (
  campaign_id uuid not null,
  number int not null,
  first_email_id uuid not null,
  last_email_id uuid not null,
  recipients int not null,
  ended_at timestamptz(3),
  primary key (campaign_id, number)
);

create table campaign_figures (
  campaign_id uuid not null,
  sent int not null default 0,
  delivered int not null default 0,
  opened int not null default 0,
  clicked int not null default 0,
  bounced int not null default 0,
  complained int not null default 0,
  unsubscribed int not null default 0,
  held int not null default 0,
  primary key (campaign_id)
);

create table campaign_figure_changes (
  campaign_id uuid not null,
  id uuid not null default uuidv7(),
  sent int not null default 0,
  delivered int not null default 0,
  opened int not null default 0,
  clicked int not null default 0,
  bounced int not null default 0,
  complained int not null default 0,
  unsubscribed int not null default 0,
  held int not null default 0,
  primary key (campaign_id, id)
);

alter table emails add confirmed_at timestamptz(3);
-- Nobody is a recipient of a campaign twice. Partial, so that other emails pay nothing for it.
create unique index emails_campaign_contact on emails (campaign_id, contact_id) where campaign_id is not null;
