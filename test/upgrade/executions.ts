import { successOf } from '../setup/answer.ts';
import type { TestSender } from '../setup/sender.ts';
import { createTemplate } from '../setup/templates.ts';

/** The step at which an execution waits during the version change; each execution ends with one email. */
export type Wait = 'delay' | 'event' | 'timeout' | 'webhook' | 'branches';

interface Step {
  name: string;
  type: string;
  config?: object;
}
type Way = [from: string, to: string, branch?: string];

const delay = { type: 'DELAY', config: { amount: 4, unit: 'minutes' } };

function graphs(templateId: string, sinkUrl: string): Record<Wait, { steps: Step[]; ways: Way[] }> {
  const mail = { name: 'mail', type: 'SEND_EMAIL', config: { templateId } };
  const wait = (name: string, eventName: string, timeout: number) => ({
    ...{ name, type: 'WAIT_FOR_EVENT', config: { eventName, timeout } },
  });
  const end = (name: string) => ({ name, type: 'EXIT', config: { reason: name } });
  return {
    delay: {
      steps: [{ name: 'nap', ...delay }, mail],
      ways: [
        ['start', 'nap'],
        ['nap', 'mail'],
      ],
    },
    event: {
      steps: [wait('wait', 'bought', 86_400), mail, end('too late')],
      ways: [
        ['start', 'wait'],
        ['wait', 'mail', 'event'],
        ['wait', 'too late', 'timeout'],
      ],
    },
    timeout: {
      steps: [wait('wait', 'never', 240), mail, end('came')],
      ways: [
        ['start', 'wait'],
        ['wait', 'mail', 'timeout'],
        ['wait', 'came', 'event'],
      ],
    },
    branches: {
      steps: [
        { name: 'mark', type: 'UPDATE_CONTACT', config: { data: { marked: true } } },
        {
          name: 'is marked',
          type: 'CONDITION',
          config: { field: 'data.marked', operator: 'equals', value: true },
        },
        { name: 'nap', ...delay },
        mail,
        end('unmarked'),
      ],
      ways: [
        ['start', 'mark'],
        ['mark', 'is marked'],
        ['is marked', 'nap', 'yes'],
        ['is marked', 'unmarked', 'no'],
        ['nap', 'mail'],
      ],
    },
    // Last, because webhook calls are retried only for a short time.
    webhook: {
      steps: [{ name: 'hook', type: 'WEBHOOK', config: { url: sinkUrl, body: '{}' } }, mail],
      ways: [
        ['start', 'hook'],
        ['hook', 'mail'],
      ],
    },
  };
}

export const eventOf = (wait: string) => `starts ${wait}`;
export const addressOf = (wait: string, n: number) => `${wait}-${n}@example.org`;

/** Creates one workflow for each kind of wait. @returns the kinds */
export async function createWorkflows(sender: TestSender, sinkUrl: string): Promise<Wait[]> {
  const all = graphs(await createTemplate(sender), sinkUrl);
  for (const [wait, { steps, ways }] of Object.entries(all)) {
    const workflow = await successOf(sender.post('/workflows', { name: wait, eventName: eventOf(wait) }));
    const ids: Record<string, string> = { start: workflow.steps[0].id };
    for (const step of steps) {
      const added = await successOf(sender.post(`/workflows/${workflow.id}/steps`, step));
      ids[step.name] = added.id ?? added.step?.id;
    }
    for (const [from, to, branch] of ways) {
      const way = { fromStepId: ids[from], toStepId: ids[to], branch };
      await successOf(sender.post(`/workflows/${workflow.id}/transitions`, way));
    }
    await successOf(sender.patch(`/workflows/${workflow.id}`, { enabled: true }));
  }
  // as: the keys are those of the type.
  return Object.keys(all) as Wait[];
}
