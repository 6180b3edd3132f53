-- Partitions the journal by id: see db/partitioned-table.ts. The rows so far become the oldest partition, up to the first month
-- without any; Postgres reads their ids to attach it. The new table has the same columns, indexes and grants.
do $$
declare
  until uuid;
  names text[];
  definitions text[];
  name text;
  statement text;
begin
  if (select relkind from pg_class where oid = 'events'::regclass) = 'p' then
    return;
  end if;
  lock table events in access exclusive mode;
  select lpad(to_hex((extract(epoch from greatest(date_trunc('month', now() at time zone 'UTC'),
    date_trunc('month', max(uuid_extract_timestamp(id)) at time zone 'UTC') + interval '1 month')) * 1000)::bigint), 12, '0')
    || repeat('0', 20)
  into until
  from (select id from events order by id desc limit 1) last;
  select array_agg(c.relname), array_agg(pg_get_indexdef(c.oid)) filter (where not i.indisprimary)
  into names, definitions
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = 'events'::regclass;

  foreach name in array names loop
    execute format('alter index %I rename to %I', name, replace(name, 'events', 'events_legacy'));
  end loop;
  alter table events rename to events_legacy;
  create table events (like events_legacy including defaults) partition by range (id);
  alter table events add constraint events_pkey primary key (id);
  foreach statement in array definitions loop
    execute statement;
  end loop;
  execute format('alter table events attach partition events_legacy for values from (minvalue) to (%L)', until);
  create table events_default partition of events default;

  -- Grants by an operator, for reports or a backup: a new table has only its owner's.
  for statement in
    select format('grant %s on events to %s', privilege_type,
        case grantee when 0 then 'public' else grantee::regrole::text end)
      || case when is_grantable then ' with grant option' else '' end
    from pg_class c, aclexplode(c.relacl)
    where c.oid = 'events_legacy'::regclass and grantee <> c.relowner
  loop
    execute statement;
  end loop;
end $$;
