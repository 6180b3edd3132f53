import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { useTemporalRuntime } from '../../test/setup/temporal-runtime.ts';
import { loadWorkflowBundle } from '../worker/workflow-bundle.ts';

useTemporalRuntime();
const folder = new URL('../histories/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const read = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
const replay = async (history: unknown) =>
  Worker.runReplayHistory({ workflowBundle: await loadWorkflowBundle() }, history);

describe('executions that are running while the code is upgraded', () => {
  it('has recordings to prove it with', () => {
    expect(files.length).toBeGreaterThanOrEqual(6);
  });

  it.each(files)('go on: %s', async (file) => {
    await replay(read(file));
  });

  it('would be found out if the code ordered other steps', async () => {
    const history = read(files.find((file) => file.startsWith('email-batch-with-rounds')) ?? '');
    for (const event of history.events) {
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (scheduled !== undefined) scheduled.activityType.name = 'anotherActivity';
    }
    await expect(replay(history)).rejects.toThrow(/nondeterminism/i);
  });
});
