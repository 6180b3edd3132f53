import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput, providerEvent, trackInput } from '../../../test/setup/inputs.ts';
import { useProject } from '../../../test/setup/projects.ts';
import { upsertContact } from '../contacts/patch-contact.ts';
import { acceptEmails } from '../emails/accept-emails.ts';
import { applyProviderEvents } from '../emails/apply-provider-events.ts';
import { trackEvents } from './track-events.ts';

const everyone = '00000000-0000-0000-0000-000000000000';
const email = 'a@example.com';

const { em, sql } = useTestDatabase();
const project = useProject(em);

async function addWorkflow(eventName = 'signed_up', allowReentry = false, of = project.id): Promise<string> {
  const id = randomUUID();
  await sql(
    `insert into workflows (id, project_id, name, enabled, event_name, allow_reentry, version, live_version)
     values ($1, $2, 'Welcome', true, $3, $4, 3, 3)`,
    [id, of, eventName, allowReentry],
  );
  await sql('insert into event_listeners values ($1, $2, $3, $4, $4)', [of, eventName, everyone, id]);
  return id;
}

const track = (name = 'signed_up', data: Record<string, unknown> = {}, address = email) =>
  trackEvents(em(), [trackInput(project.id, address, { eventName: name, eventData: data })]);

interface Execution {
  id: string;
  workflow: string;
  version: number;
  contact: string;
  status: string;
  event: unknown;
}
const executions = () =>
  sql<Execution>(
    `select id, workflow_id as workflow, version, contact_id as contact, status, event
     from workflow_executions where project_id = $1 order by id`,
    [project.id],
  );
const commands = (kind: string) =>
  sql<{ id: string }>(
    `select subject_id as id from outbox where kind = $1 and subject_id in (
       select id from workflow_executions where project_id = $2)`,
    [kind, project.id],
  );
const endAll = () =>
  sql(`update workflow_executions set status = 'COMPLETED' where project_id = $1`, [project.id]);

describe('an event that a workflow listens for', () => {
  it('starts an execution at the live version, with its data, a command and a feed row', async () => {
    const workflow = await addWorkflow();
    const [tracked] = await track('signed_up', { plan: 'pro' });
    const [execution, ...others] = await executions();
    expect(others).toEqual([]);
    expect(execution).toMatchObject({
      workflow,
      version: 3,
      contact: tracked?.contactId,
      status: 'RUNNING',
      event: { plan: 'pro' },
    });
    expect(await commands('execution.start')).toEqual([{ id: execution?.id }]);
    const notes = await sql(
      `select kind, contact_id = $2 as "isHis", data from events where project_id = $1 and name = 'workflow.started'`,
      [project.id, tracked?.contactId],
    );
    expect(notes).toEqual([
      {
        kind: 'activity',
        isHis: true,
        data: { workflowId: workflow, workflowName: 'Welcome', executionId: execution?.id },
      },
    ]);
  });

  it('starts an execution even when a process of an older version writes it', async () => {
    await addWorkflow();
    const commandsFound = await sql(
      `with written as (
         insert into events (id, project_id, name, kind, contact_id, data, occurred_at)
         values (uuidv7(), $1, 'signed_up', 'tracked', $2, '{}', now())
         returning id, project_id, name, contact_id
       )
       select c.kind, c.of_project as project
       from (
         select array_agg(id) as ids, array_agg(project_id) as projects, array_agg(name) as names,
           array_agg(contact_id) as contacts
         from written
       ) e, hear_events(e.ids, e.projects, e.names, e.contacts) c`,
      [project.id, randomUUID()],
    );
    expect(commandsFound).toEqual([{ kind: 'execution.start', project: project.id }]);
    expect(await executions()).toHaveLength(1);
  });

  it('starts one for each listening workflow, and none in other projects', async () => {
    const workflows = [await addWorkflow(), await addWorkflow()];
    await addWorkflow('other');
    await addWorkflow('signed_up', false, randomUUID());
    await track();
    expect((await executions()).map(({ workflow }) => workflow).toSorted()).toEqual(workflows.toSorted());
    await track('unheard');
    expect(await executions()).toHaveLength(2);
  });

  it('may be emitted by the service itself', async () => {
    await addWorkflow('contact.unsubscribed');
    await track();
    expect(await executions()).toHaveLength(0);
    const { contactId, patch, flipId, occurredAt } = trackInput(project.id, email);
    await upsertContact(em(), {
      projectId: project.id,
      email,
      contactId,
      patch,
      flipId,
      occurredAt,
      subscribed: false,
    });
    expect(await executions()).toHaveLength(1);
  });

  it('starts nothing when its transaction is rolled back', async () => {
    await addWorkflow();
    const doomed = em().transactional(async (transaction) => {
      await trackEvents(transaction, [trackInput(project.id, email)]);
      throw new Error('no');
    });
    await expect(doomed).rejects.toThrow('no');
    expect(await executions()).toEqual([]);
    expect(await commands('execution.start')).toEqual([]);
  });

  it('starts nothing for a workflow without a valid graph or one that is being disabled', async () => {
    const draft = await addWorkflow();
    const off = await addWorkflow();
    await sql('update workflows set live_version = null where id = $1', [draft]);
    await sql('update workflows set enabled = false where id = $1', [off]);
    await track();
    expect(await executions()).toEqual([]);
  });
});

describe('a provider event about an email sent by a workflow', () => {
  const automatic = ['send', 'delivery', 'bounce', 'complaint'] as const;
  const personal = ['open', 'click'] as const;
  const kinds = [...automatic, ...personal];
  type Kind = (typeof kinds)[number];
  const nameOf = (kind: Kind) => (kind === 'send' ? 'email.sent' : `email.${kind}`);

  /** Reports an event about an email that the workflow sent, or one that no workflow sent. */
  async function report(kind: Kind, workflowId: string | null): Promise<void> {
    const [[accepted] = []] = await acceptEmails(em(), [acceptInput(project.id, [email])]);
    const emailId = accepted?.emailId ?? '';
    await sql('update emails set workflow_id = $2 where id = $1', [emailId, workflowId]);
    await applyProviderEvents(em(), [providerEvent(emailId, kind)]);
  }
  const started = async () => (await executions()).map(({ workflow }) => workflow);

  it.each(kinds)('does not start that workflow again: %s', async (kind) => {
    const own = await addWorkflow(nameOf(kind), true);
    await report(kind, own);
    expect(await started()).toEqual([]);
    await report(kind, null);
    expect(await started()).toEqual([own]);
  });

  it.each(kinds)('starts other workflows: %s', async (kind) => {
    const senders = [await addWorkflow('signed_up'), await addWorkflow('email.click')];
    const other = await addWorkflow(nameOf(kind), true);
    for (const sender of senders) {
      await report(kind, sender);
      expect((await started()).filter((id) => id === other)).toHaveLength(1);
      await sql('delete from workflow_executions where project_id = $1', [project.id]);
    }
  });

  it.each(automatic)('starts none when that workflow is triggered by such an event too: %s', async (kind) => {
    const sender = await addWorkflow('email.bounce', true);
    await addWorkflow(nameOf(kind), true);
    await report(kind, sender);
    expect(await started()).toEqual([]);
  });

  it.each(personal)('starts others whatever triggers that workflow: %s', async (kind) => {
    const sender = await addWorkflow('email.bounce', true);
    const other = await addWorkflow(nameOf(kind), true);
    await report(kind, sender);
    expect(await started()).toEqual([other]);
  });
});

describe('re-entry', () => {
  it('is refused permanently when not allowed', async () => {
    await addWorkflow();
    await track();
    await track();
    await endAll();
    await track();
    expect(await executions()).toHaveLength(1);
    await track('signed_up', {}, 'b@example.com');
    expect(await executions()).toHaveLength(2);
  });

  it('waits for the end of the execution when allowed', async () => {
    await addWorkflow('signed_up', true);
    await track();
    await track();
    expect(await executions()).toHaveLength(1);
    await endAll();
    await track();
    expect(await executions()).toHaveLength(2);
  });

  it.each([false, true])('is decided once for many concurrent events (allowed: %s)', async (allowed) => {
    await addWorkflow('signed_up', allowed);
    await track('known');
    await Promise.all(Array.from({ length: 16 }, () => track()));
    expect(await executions()).toHaveLength(1);
    expect(await commands('execution.start')).toHaveLength(1);
  });

  it('is decided once within one batch, by the earliest event', async () => {
    await addWorkflow('signed_up', true);
    const at = (ms: number) => new Date(Date.now() + ms);
    await trackEvents(em(), [
      trackInput(project.id, email, { eventData: { n: 2 }, occurredAt: at(20) }),
      trackInput(project.id, email, { eventData: { n: 1 }, occurredAt: at(10) }),
      trackInput(project.id, 'b@example.com', { eventData: { n: 3 } }),
    ]);
    expect((await executions()).map(({ event }) => event)).toEqual(
      expect.arrayContaining([{ n: 1 }, { n: 3 }]),
    );
    expect(await executions()).toHaveLength(2);
  });
});

describe('an event that an execution waits for', () => {
  async function addWaiting(name: string, contactId: string): Promise<string> {
    const id = randomUUID();
    const workflow = randomUUID();
    await sql(
      `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, status, only_once, visit)
       values ($1, $2, $3, 1, $4, 'WAITING', true, 2)`,
      [id, project.id, workflow, contactId],
    );
    await sql('insert into workflow_step_runs (execution_id, visit, step_id) values ($1, 2, $2)', [
      id,
      randomUUID(),
    ]);
    await sql('insert into event_listeners values ($1, $2, $3, $4, $5, $4, 2)', [
      project.id,
      name,
      contactId,
      id,
      workflow,
    ]);
    return id;
  }
  const runOf = async (id: string) =>
    (
      await sql<{ branch: string | null; output: { data?: unknown } | null }>(
        'select branch, output from workflow_step_runs where execution_id = $1',
        [id],
      )
    )[0];

  it('ends the wait once, with its data, even when several arrive at once', async () => {
    const [tracked] = await track('known');
    const contactId = tracked?.contactId ?? '';
    const ids = await Promise.all([addWaiting('paid', contactId), addWaiting('paid', contactId)]);
    const other = await addWaiting('refunded', contactId);
    await Promise.all(Array.from({ length: 12 }, (_, n) => track('paid', { n })));
    for (const id of ids) {
      expect(await runOf(id)).toMatchObject({ branch: 'event', output: { eventName: 'paid', data: {} } });
    }
    expect(await runOf(other)).toEqual({ branch: null, output: null });
    expect((await commands('execution.wake')).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  it('is not an event of another contact', async () => {
    const [tracked] = await track('known');
    const id = await addWaiting('paid', tracked?.contactId ?? '');
    await track('paid', {}, 'b@example.com');
    expect(await runOf(id)).toEqual({ branch: null, output: null });
    expect(await commands('execution.wake')).toEqual([]);
  });
});

it('provider events about several emails that would start very many executions are to be divided', async () => {
  await sql(
    `insert into event_listeners
     select $1, 'email.delivery', $2, id, id
     from (select gen_random_uuid() as id from generate_series(1, 2501)) listener`,
    [project.id, everyone],
  );
  const [emails = []] = await acceptEmails(em(), [acceptInput(project.id, [email, 'b@example.com'])]);
  const events = emails.map(({ emailId }) => providerEvent(emailId, 'delivery'));
  await expect(applyProviderEvents(em(), events)).rejects.toThrow('the events start or wake 5002 executions');
  for (const event of events) expect(await applyProviderEvents(em(), [event])).toEqual(['applied']);
});
