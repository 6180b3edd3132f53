import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { busy } from '../../../core/testing/busy.ts';
import { acceptEmails } from '../../../db/statements/emails/accept-emails.ts';
import { exampleEmail } from '../../../providers/testing/example-email.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput } from '../../../test/setup/inputs.ts';
import { oneByOne } from '../../../test/setup/one-by-one.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { RenderTurns } from '../sending/render-turns.ts';
import { dispatchEmails } from './dispatch-emails.ts';
import { createDispatchResources } from './email-dispatcher.ts';
import { dispatchContext } from './testing/dispatch-context.ts';

const database = useTestDatabase();
const { em } = database;

type Happened = 'rendered' | 'sent';

/** A process in which the emails of some projects take 40 ms to render. */
function createProcess() {
  const shared = createDispatchResources(database.orm, new RenderTurns(1), 256);
  const slow = new Set<string>();
  const log: { projectId: string; happened: Happened }[] = [];
  const context = () =>
    dispatchContext(database.orm, {
      ...shared,
      provider: {
        ...oneByOne(async ({ projectId }) => {
          log.push({ projectId, happened: 'sent' });
          return { outcome: 'accepted', messageId: 'm-1' };
        }),
        emailsPerCall: 50,
      },
      render: ({ id, projectId, toEmail }) => {
        log.push({ projectId, happened: 'rendered' });
        if (slow.has(projectId)) busy(40);
        return {
          ok: true,
          email: exampleEmail({ emailId: id, projectId, to: { email: toEmail, name: null } }),
        };
      },
    });
  const count = (projectId: string, happened: Happened) =>
    log.filter((entry) => entry.projectId === projectId && entry.happened === happened).length;
  return { slow, context, count };
}

async function acceptMany(projectId: string, count: number): Promise<string[]> {
  const addresses = Array.from({ length: count }, (_, n) => `reader-${n}@example.com`);
  const [emails = []] = await acceptEmails(em(), [acceptInput(projectId, addresses)]);
  return emails.map(({ emailId }) => emailId);
}

it('emails that render slowly hold up those of other projects for a few renderings only', async () => {
  const { slow, context, count } = createProcess();
  const [loud, quiet] = [await insertProject(em()), await insertProject(em())];
  slow.add(loud);
  const batches = await Promise.all(Array.from({ length: 20 }, () => acceptMany(loud, 5)));
  const [single = ''] = await acceptMany(quiet, 1);
  const runs = batches.map((ids) => dispatchEmails(context(), ids));
  while (count(loud, 'rendered') === 0) await delay(1);
  const before = count(loud, 'rendered');
  expect(await dispatchEmails(context(), [single])).toMatchObject({ sent: 1 });
  expect(count(loud, 'rendered') - before).toBeLessThan(25);
  // Few of its runs wait for their turn; the others leave their activity slots to other projects.
  const crowded = (await Promise.all(runs)).filter(({ retryInMs }) => retryInMs >= 5_000);
  expect(crowded.length).toBeGreaterThanOrEqual(5);
});

it('emails that render slowly leave a few at a time, so that their claim does not end before', async () => {
  const { slow, context } = createProcess();
  const loud = await insertProject(em());
  slow.add(loud);
  const ids = await acceptMany(loud, 15);
  expect(await dispatchEmails(context(), ids)).toMatchObject({ sent: 15, openIds: [] });
  const later = await acceptMany(loud, 30);
  const round = await dispatchEmails(context(), later);
  expect(round).toMatchObject({ sent: 10, openIds: later.slice(10), retryInMs: 50 });
});
