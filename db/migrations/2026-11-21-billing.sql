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

create function usage_month(at timestamptz) returns date language sql immutable parallel safe
  return date_trunc('month', at at time zone 'UTC')::date;

insert into billing_usage (project_id, month, category, lane, emails)
select project_id, usage_month(created_at),
  case source when 'TRANSACTIONAL' then 'transactional' when 'CAMPAIGN' then 'campaigns' else 'workflows' end, 0, count(*)
from emails
where source in ('TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW') and status <> 'CANCELLED'
group by 1, 2, 3;

-- Most recipients of a campaign of a project with a limit: as many as there were when it was sent.
alter table campaigns add column recipient_limit int;
alter table campaigns add column cancel_reason text;

-- What counts against a project's limit in this month: its emails, and what campaigns have before them whose audience is
-- being frozen. Volatile, as what calls it: each statement sees what was committed until then.
create function emails_used(project uuid, kind text) returns bigint language sql
begin atomic
  select coalesce(sum(emails), 0)::bigint + case when kind = 'campaigns' then coalesce((
      select sum(greatest(0, recipient_limit - total_recipients)) from campaigns
      where project_id = project and status = 'SENDING' and frozen_at is null), 0)
    else 0 end
  from billing_usage
  where project_id = project and category = kind and month = usage_month(now());
end;

-- Emails that a project may still send in this month, at least 0; null when it may send any number. Callers go one
-- after the other until the end of their transactions, so that the answer is exact. Where `spare` is not null they only
-- do so near the limit: as long as more than that are left after those that are wanted, they share the limit, and who
-- comes near it waits for them. `spare` has to be what all transactions of one moment can want together.
create function emails_left(project uuid, kind text, wanted int, spare int) returns int language plpgsql as $$
declare
  most bigint;
  used bigint;
begin
  select emails into most from billing_limits where project_id = project and category = kind;
  if most is null then
    return null;
  end if;
  if emails_used(project, kind) + wanted + 2 * spare <= most then
    select emails into most from billing_limits where project_id = project and category = kind for share;
    used := emails_used(project, kind);
    if most is null or used + wanted + spare <= most then
      return most - used;
    end if;
  end if;
  select emails into most from billing_limits where project_id = project and category = kind for no key update;
  return greatest(0, most - emails_used(project, kind));
end
$$;

create function count_emails(project uuid, kind text, wanted int) returns void language sql
begin atomic
  insert into billing_usage (project_id, month, category, lane, emails)
  values (project, usage_month(now()), kind, pg_backend_pid() % 16, wanted)
  on conflict (project_id, month, category, lane) do update set emails = billing_usage.emails + excluded.emails;
end;

-- Counts emails that are about to be queued, unless they would go beyond the limit; then nothing is counted.
create function take_emails(project uuid, kind text, wanted int, spare int) returns boolean language plpgsql as $$
begin
  if emails_left(project, kind, wanted, spare) < wanted then
    return false;
  end if;
  perform count_emails(project, kind, wanted);
  return true;
end
$$;

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
