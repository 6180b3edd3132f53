-- Raises check_violation when a statement leaves a project with more than 10,000 event names or contact fields; anyone with
-- its public key can create them. Inserts are serialised per project, so that concurrent ones cannot exceed the limit. The
-- error's detail is the project id.
create or replace function limit_project_rows() returns trigger language plpgsql as $$
declare
  project uuid;
  rows_now int;
begin
  for project in select distinct project_id from added order by 1 loop
    perform pg_advisory_xact_lock(hashtextextended(tg_table_name || ' ' || project, 0));
    execute format('select count(*) from %I where project_id = $1', tg_table_name) into rows_now using project;
    if rows_now > 10000 then
      raise exception '% has more than 10000 rows for a project', tg_table_name
        using errcode = 'check_violation', constraint = tg_table_name || '_limit', detail = project::text;
    end if;
  end loop;
  return null;
end
$$;

create or replace trigger event_names_limit after insert on event_names referencing new table as added
  for each statement execute function limit_project_rows();
create or replace trigger contact_fields_limit after insert on contact_fields referencing new table as added
  for each statement execute function limit_project_rows();
