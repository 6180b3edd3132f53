import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { migrateDatabase } from './migrate.ts';
import { createOrm, type Orm } from './orm.ts';
import { execute, query } from './sql.ts';

let admin: pg.Client;
let name: string;
let url: string;
let orm: Orm;

beforeAll(async () => {
  // Not the test template: nobody may be connected to it while it is copied.
  admin = new pg.Client({ connectionString: databaseUrl('postgres') });
  await admin.connect();
});
afterAll(() => admin.end());

beforeEach(async () => {
  name = `migrate_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`create database ${name}`);
  url = databaseUrl(name);
  orm = openOrm();
});
afterEach(async () => {
  await orm.close();
  await admin.query(`drop database ${name} with (force)`);
});

function databaseUrl(database: string): string {
  const address = new URL(inject('databaseUrl'));
  address.pathname = `/${database}`;
  return address.href;
}

function openOrm(): Orm {
  // Below the three seconds for which a migration waits for a lock, above what a busy machine needs for a small
  // statement.
  const limits = { statementMs: 2_000, lockMs: 2_000 };
  return createOrm({ url, poolSize: 3, limits, validateRows: true, warn: () => undefined });
}

/** Every function and trigger, as Postgres prints it. */
async function functions(): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `select pg_get_functiondef(oid) as text from pg_proc where pronamespace = 'public'::regnamespace
     union all
     select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
     order by 1`,
  );
  await client.end();
  return rows.map(({ text }) => text);
}

it('retries while a lock is held, without a statement timeout', async () => {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin; create table contacts (id int)');
  let isOver = false;
  const migrated = migrateDatabase(orm, url).finally(() => {
    isOver = true;
  });
  // Longer than a migration waits.
  await delay(4_000);
  expect(isOver).toBe(false);
  await holder.query('rollback');
  await holder.end();
  await migrated;
  const [row] = await query(
    orm.em.fork(),
    z.object({ migrations: z.int() }),
    'select count(*)::int as migrations from schema_migrations',
  );
  expect(row?.migrations).toBeGreaterThan(5);
});

it('retries after a deadlock with running processes', async () => {
  const em = orm.em.fork();
  // Sequences do not roll back: only the first statement of the first attempt fails.
  await execute(
    em,
    `create schema hindrance;
     create sequence hindrance.commands;
     create function hindrance.raise() returns event_trigger language plpgsql as $$ begin
       if nextval('hindrance.commands') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
     end $$;
     create event trigger hinder on ddl_command_start execute function hindrance.raise()`,
  );
  await migrateDatabase(orm, url);
  expect(await functions()).toContainEqual(expect.stringContaining('public.take_send_slots('));
});

it('is safe with three processes starting at once', async () => {
  const orms = [orm, openOrm(), openOrm()];
  await Promise.all(orms.map((one) => migrateDatabase(one, url)));
  for (const one of orms.slice(1)) await one.close();
  expect(await functions()).toContainEqual(expect.stringContaining('public.take_send_slots('));
});

it('reapplies a function when its text has changed since it was last applied', async () => {
  await migrateDatabase(orm, url);
  const before = await functions();
  const em = orm.em.fork();
  const changed = `create or replace function usage_month(at timestamptz) returns date language sql immutable
    return '2000-01-01'::date`;
  await execute(em, changed);
  await migrateDatabase(orm, url);
  expect(await functions()).not.toEqual(before);
  await execute(em, `update schema_functions set hash = 'of another text' where name = 'usage-month'`);
  await migrateDatabase(orm, url);
  expect(await functions()).toEqual(before);
});

it('leaves the functions of a newer version alone', async () => {
  await migrateDatabase(orm, url);
  const before = await functions();
  const em = orm.em.fork();
  await execute(
    em,
    `insert into schema_migrations (name) values ('2999-01-01-of-a-newer-version');
     create or replace function usage_month(at timestamptz) returns date language sql immutable
       return '2000-01-01'::date;
     update schema_functions set hash = 'of a newer text' where name = 'usage-month'`,
  );
  const newer = await functions();
  await migrateDatabase(orm, url);
  expect(await functions()).toEqual(newer);
  await execute(em, `delete from schema_migrations where name = '2999-01-01-of-a-newer-version'`);
  await migrateDatabase(orm, url);
  expect(await functions()).toEqual(before);
});

it('replaces the functions and triggers that migrations used to create', async () => {
  await migrateDatabase(orm, url);
  const fresh = await functions();
  const em = orm.em.fork();
  await execute(
    em,
    `drop table schema_functions;
     delete from schema_migrations where name = '2026-11-22-function-files';
     drop function record_contact_figure_changes, limit_project_rows cascade;
     drop function start_and_wake_executions, hear_events, distribute_round_robin;
     create function note_contact_figures() returns trigger language plpgsql as 'begin return null; end';
     create function bound_project_rows() returns trigger language plpgsql as 'begin return null; end';
     create function deal_in_turns(wants int[], count int) returns int[] language sql as 'select wants';
     create function hear_events(event_ids uuid[], projects uuid[], names text[], contacts uuid[])
       returns table (kind text, subject_id uuid, of_project uuid) language plpgsql as 'begin return; end';
     create trigger contacts_inserted after insert on contacts
       referencing new table as new_contacts for each statement execute function note_contact_figures();
     create trigger contacts_updated after update on contacts referencing old table as old_contacts
       new table as new_contacts for each statement execute function note_contact_figures();
     create trigger contacts_deleted after delete on contacts
       referencing old table as old_contacts for each statement execute function note_contact_figures();
     create trigger event_names_limit after insert on event_names
       referencing new table as added for each statement execute function bound_project_rows();
     create trigger contact_fields_limit after insert on contact_fields
       referencing new table as added for each statement execute function bound_project_rows();`,
  );
  await migrateDatabase(orm, url);
  expect(await functions()).toEqual(fresh);
});
