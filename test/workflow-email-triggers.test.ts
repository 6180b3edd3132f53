import { expect, it } from 'vitest';
import { eventually } from './setup/eventually.ts';
import { messageOf, reportEvent } from './setup/inbox.ts';
import { readCounts, readEvents } from './setup/read-database.ts';
import { buildWorkflow, onlyExecution, trackEvent } from './setup/running-workflows.ts';
import { useSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { createTemplate } from './setup/templates.ts';

const stack = useSharedProduct();
const sender = useSender(stack);

const reader = 'reader@example.com';

async function send(): Promise<string> {
  const from = `hello@${sender.domain}`;
  const sent = await sender.post('/v1/send', { to: reader, from, subject: 'First', body: 'Hi' });
  expect(sent.status, JSON.stringify(sent.body)).toBe(200);
  return sent.body.data.emails[0].email;
}

/** Waits until the journal has this many events of the name; what they start is written with them. */
const journaled = (name: string, count: number) =>
  eventually(
    async () => (await readEvents(stack.em(), sender.projectId)).filter((one) => one.name === name),
    (events) => events.length >= count,
  );

/** Opens an email once it has arrived. */
async function open(emailId: string): Promise<void> {
  const { id } = await messageOf(stack.ses, emailId, 30_000);
  await reportEvent(stack.ses, id, { type: 'open' });
}

it('sends one email in reaction to another and none to its own, alone and beside a workflow of its kind', async () => {
  const fields = { eventName: 'email.sent', allowReentry: true };
  const config = { templateId: await createTemplate(sender, { subject: 'Second' }) };
  const build = () =>
    buildWorkflow(sender, { mail: { type: 'SEND_EMAIL', config } }, [['start', 'mail']], fields);
  const ids = [await build(), await build()];
  await send();
  await journaled('email.sent', 3);
  for (const id of ids) await onlyExecution(sender, id, 'COMPLETED');
  expect(await journaled('email.sent', 3)).toHaveLength(3);
});

it('waits until its email is opened, which does not start it again', async () => {
  const id = await buildWorkflow(
    sender,
    {
      mail: {
        type: 'SEND_EMAIL',
        config: { templateId: await createTemplate(sender, { subject: 'Second' }) },
      },
      wait: { type: 'WAIT_FOR_EVENT', config: { eventName: 'email.open' } },
      read: { type: 'EXIT', config: { reason: 'read' } },
    },
    [
      ['start', 'mail'],
      ['mail', 'wait'],
      ['wait', 'read', 'event'],
    ],
    { eventName: 'email.open', allowReentry: true },
  );
  await open(await send());
  const waiting = await onlyExecution(sender, id, 'WAITING');
  const { emailId } = waiting.steps[0].output;
  await open(emailId);
  await onlyExecution(sender, id, 'EXITED');
  await open(emailId);
  await journaled('email.open', 3);
  expect(await onlyExecution(sender, id, 'EXITED')).toMatchObject({ id: waiting.id, exitReason: 'read' });
});

it('outcomes of an email to a custom address are not activities of the contact', async () => {
  const recipient = { type: 'CUSTOM', email: 'sales@example.org' };
  const config = {
    templateId: await createTemplate(sender, { subject: '{{ email }} signed up' }),
    recipient,
  };
  const note = await buildWorkflow(sender, { note: { type: 'SEND_EMAIL', config } }, [['start', 'note']]);
  const ended = { end: { type: 'EXIT' } };
  const follow = await buildWorkflow(sender, ended, [['start', 'end']], { eventName: 'email.open' });
  await trackEvent(sender, 'signup', {}, reader);
  const execution = await onlyExecution(sender, note, 'COMPLETED');
  const { emailId } = execution.steps.at(-1).output;
  await open(emailId);
  const [opened] = await journaled('email.open', 1);
  // Like an event of an erased contact: it counts, but nothing in it tells whom the email was about.
  expect(opened).toMatchObject({ contactId: null, emailId, data: { emailId, opens: 1, isFirst: true } });
  expect(opened?.data).not.toHaveProperty('subject');
  expect(await journaled('email.sent', 1)).toMatchObject([{ contactId: null, emailId }]);
  expect(await readCounts(stack.em(), execution.contactId)).toEqual({ signup: 1 });
  expect((await sender.get(`/workflows/${follow}/executions`)).body.total).toBe(0);
  await open(emailId);
  await journaled('email.open', 2);
  const { openedAt, timeline } = (await sender.get(`/emails/${emailId}`)).body;
  expect(openedAt).toEqual(expect.any(String));
  expect(timeline.filter(({ type }: { type: string }) => type === 'opened')).toHaveLength(2);
});

it('an email to a custom address is sent even if the contact is suppressed', async () => {
  const recipient = { type: 'CUSTOM', email: 'sales@example.org' };
  const config = { templateId: await createTemplate(sender, { subject: 'Lost {{ email }}' }), recipient };
  const note = await buildWorkflow(sender, { note: { type: 'SEND_EMAIL', config } }, [['start', 'note']]);
  await stack.sql('update projects set suppress_transactional = true where id = $1', [sender.projectId]);
  await trackEvent(sender, 'seen', {}, reader);
  await stack.sql(
    `update contacts set subscribed = false, suppression_reason = 'bounce', suppressed_at = now() where project_id = $1`,
    [sender.projectId],
  );
  await trackEvent(sender, 'signup', {}, reader);
  const { steps } = await onlyExecution(sender, note, 'COMPLETED');
  expect(await messageOf(stack.ses, steps.at(-1).output.emailId, 30_000)).toMatchObject({
    subject: `Lost ${reader}`,
  });
});
