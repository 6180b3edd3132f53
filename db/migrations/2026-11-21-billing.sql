-- Emails that a project may send in a calendar month (UTC); without a row there is no limit.
create table billing_limits (
  project_id uuid not null,
  category text not null,
  emails int not null,
  updated_at timestamptz(3) not null default now(),
  primary key (project_id, category)
);
alter table billing_limits add constraint billing_limits_category_check check (category in ('transactional', 'campaigns', 'workflows'));
alter table billing_limits add constraint billing_limits_emails_check check (emails >= 0);
alter table billing_limits add constraint billing_limits_project_id_foreign
  foreign key (project_id) references projects (id) on delete cascade;

-- Emails of a project by calendar month. Each connection counts in a lane of its own, so that nobody waits for
-- anybody; the figure is the sum of at most sixteen rows.
create table billing_usage (
  project_id uuid not null,
  month date not null,
  category text not null,
  lane smallint not null,
  emails int not null,
  primary key (project_id, month, category, lane)
) with (fillfactor = 50);

insert into billing_usage (project_id, month, category, lane, emails)
select project_id, usage_month(created_at),
  case source when 'TRANSACTIONAL' then 'transactional' when 'CAMPAIGN' then 'campaigns' else 'workflows' end, 0, count(*)
from emails
where source in ('TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW') and status <> 'CANCELLED'
group by 1, 2, 3;

-- Most recipients of a campaign of a project with a limit: as many as there were when it was sent.
alter table campaigns add column recipient_limit int;
alter table campaigns add column cancel_reason text;

-- What Stripe said last of a project's customer. The rows of deleted projects stay until their subscriptions have ended.
create table billing_customers (
  project_id uuid not null,
  customer_id text not null,
  checkout_session_id text,
  subscription jsonb,
  version int not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (project_id)
);
alter table billing_customers add constraint billing_customers_customer_id_unique unique (customer_id);

create table stripe_events (
  id text not null,
  type text not null,
  received_at timestamptz(3) not null default now(),
  primary key (id)
);
create index stripe_events_received on stripe_events (received_at);
