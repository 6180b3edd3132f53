import { expect, it, vi } from 'vitest';
import { acceptEmails } from '../../db/statements/emails/accept-emails.ts';
import { sql as run } from '../../db/testing/sql.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { acceptInput } from '../../test/setup/inputs.ts';
import { useProject } from '../../test/setup/projects.ts';
import { untilBlocking } from '../../test/setup/until-blocking.ts';
import { createContactsService } from './contacts.ts';
import { createProjectPlaces } from './project-places.ts';
import type { RecordedNames } from './recorded-names.ts';

const database = useTestDatabase();
const { em, sql } = database;
const project = useProject(em);
// as: a deletion names nothing.
const deletingService = () =>
  createContactsService(database.orm, {} as RecordedNames, createProjectPlaces(0), () => undefined);

it('is deleted without a lock on all of its earlier emails at once', async () => {
  const addresses = ['ada@example.com', 'ada@example.com', 'ada@example.com'];
  const [emails = []] = await acceptEmails(em(), [acceptInput(project.id, addresses)]);
  const [first, second, last] = emails.map(({ emailId }) => emailId).toSorted();
  const set = 'update emails set status = $2 where id = any($1::uuid[])';
  await sql(set, [[first, second], 'DELIVERED']);
  await sql(set, [[last], 'SENDING']);
  const contacts = deletingService();
  let removing: Promise<void> | undefined;
  await em().transactional(async (holder) => {
    await run(holder, 'select from emails where id = $1 for update', [last]);
    removing = contacts.remove(project.id, emails[0]?.contactId ?? '');
    await untilBlocking(holder);
    const free = await sql(
      'select to_email, contact_id from emails where id = any($1::uuid[]) for update nowait',
      [[first, second]],
    );
    expect(free).toEqual(Array(2).fill({ to_email: '', contact_id: null }));
  });
  await removing;
  expect(await sql("select from emails where to_email <> '' or contact_id is not null")).toEqual([]);
});

it('is created again when another call deletes it while an unchanged one is read', async () => {
  const names: Pick<RecordedNames, 'write'> = { write: (_names, write) => write(em()) };
  // as: it is used for nothing else.
  const contacts = createContactsService(
    database.orm,
    names as RecordedNames,
    createProjectPlaces(0),
    () => undefined,
  );
  const body = {
    email: 'bob@example.com',
    subscribed: undefined,
    data: { set: { plan: 'pro' }, remove: [], transient: {}, eventData: {} },
  };
  const { contact: before } = await contacts.upsert(project.id, body);
  const deletes = vi.fn(() => contacts.remove(project.id, before.id));
  let isFirst = true;
  database.orm.em.getEventManager().registerSubscriber({
    afterTransactionStart({ transaction }) {
      // Once only: the subscriber stays.
      if (!isFirst) return;
      isFirst = false;
      const run = transaction.executeQuery.bind(transaction);
      vi.spyOn(transaction, 'executeQuery').mockImplementationOnce(async (text: unknown) => {
        const result = await run(text);
        await deletes();
        return result;
      });
    },
  });
  const { contact, isNew } = await contacts.upsert(project.id, body);
  expect(deletes).toHaveBeenCalledOnce();
  expect(isNew).toBe(true);
  expect(contact.id).not.toBe(before.id);
  expect(await sql('select id from contacts where email = $1', [body.email])).toEqual([{ id: contact.id }]);
});

it('is deleted without a lock on all of its ended executions at once', async () => {
  const [contact] = await sql<{ id: string }>(
    `insert into contacts (id, project_id, email) values (uuidv7(), $1, 'ada@example.com') returning id`,
    [project.id],
  );
  const insertExecution = async (status: string, allowReentry: boolean) => {
    const [execution] = await sql<{ id: string }>(
      `with workflow as (
         insert into workflows (id, project_id, name, event_name, allow_reentry)
         values (uuidv7(), $1, 'Welcome', 'signed up', $4) returning id
       ), execution as (
         insert into workflow_executions (id, project_id, workflow_id, version, contact_id, status, only_once, event)
         select uuidv7(), $1, id, 1, $2, $3, not $4, '{"plan": "pro"}' from workflow returning id
       )
       insert into workflow_step_runs (execution_id, visit, step_id, output)
       select id, 1, uuidv7(), '{"plan": "pro"}' from execution returning execution_id as id`,
      [project.id, contact?.id, status, allowReentry],
    );
    return execution?.id;
  };
  const ended = await insertExecution('COMPLETED', true);
  const once = await insertExecution('COMPLETED', false);
  const active = await insertExecution('WAITING', true);
  const stateOf = (id: string | undefined, lock = '') =>
    sql(
      `select contact_id as contact, event, status,
         (select output from workflow_step_runs where execution_id = x.id) as output
       from workflow_executions x where id = $1 ${lock}`,
      [id],
    );
  const forgotten = { contact: null, event: {}, status: 'COMPLETED', output: null };
  const contacts = deletingService();
  let removing: Promise<void> | undefined;
  await em().transactional(async (holder) => {
    await run(holder, 'select from workflow_executions where id = $1 for update', [active]);
    removing = contacts.remove(project.id, contact?.id ?? '');
    await untilBlocking(holder);
    expect(await stateOf(ended, 'for update nowait')).toEqual([forgotten]);
    // It keeps the contact from entering again until it is deleted.
    expect(await stateOf(once)).toMatchObject([{ contact: contact?.id }]);
  });
  await removing;
  expect(await stateOf(once)).toEqual([forgotten]);
  expect(await stateOf(active)).toEqual([{ ...forgotten, status: 'CANCELLED' }]);
});
