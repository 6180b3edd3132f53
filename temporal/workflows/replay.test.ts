import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTemporalRuntime } from '../../test/setup/temporal-runtime.ts';
import { loadWorkflowBundle } from '../worker/workflow-bundle.ts';

useTemporalRuntime();
const folder = new URL('../histories/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const read = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

/** A history with steps that differ from the code. */
const altered = 'altered';
function alteredHistory() {
  const history = read(files.find((file) => file.startsWith('email-batch-with-rounds')) ?? '');
  for (const event of history.events) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled !== undefined) scheduled.activityType.name = 'anotherActivity';
  }
  return history;
}

/** Errors by recording; one worker replays all, because each would load the workflow code. */
const errors = new Map<string, Error | undefined>();
beforeAll(async () => {
  const histories = files.map((file) => ({ workflowId: file, history: read(file) }));
  const options = { workflowBundle: await loadWorkflowBundle() };
  const replays = Worker.runReplayHistories(options, [
    ...histories,
    { workflowId: altered, history: alteredHistory() },
  ]);
  for await (const { workflowId, error } of replays) errors.set(workflowId, error);
});

describe('executions running during a code upgrade', () => {
  it('are covered by recordings', () => {
    expect(files.length).toBeGreaterThanOrEqual(6);
    expect([...errors.keys()]).toEqual([...files, altered]);
  });

  it.each(files)('continue: %s', (file) => {
    expect(errors.get(file)).toBeUndefined();
  });

  it('would fail if the code ordered other steps', () => {
    expect(errors.get(altered)?.message).toMatch(/nondeterminism/i);
  });
});
