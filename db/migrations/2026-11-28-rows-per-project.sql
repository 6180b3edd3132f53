-- While most projects have a single row, Postgres expects one row of any project, so an index that starts with the project
-- looks as good as the one on the whole key: each look-up by key, even by id, read all contacts of a project that had just
-- imported them. With five thousand expected, only the key is cheap. Applies from the next `analyze` on.
do $$
declare
  of_rows record;
begin
  for of_rows in
    select a.attrelid::regclass as name, a.attname as key
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    where c.relnamespace = current_schema::regnamespace and c.relkind = 'r' and not c.relispartition
      and a.attnum > 0 and not a.attisdropped
      and (a.attname = 'project_id' or (c.relname, a.attname) = ('workflow_executions', 'workflow_id'))
  loop
    execute format('alter table %s alter column %I set (n_distinct = -0.0002)', of_rows.name, of_rows.key);
  end loop;
end $$;
