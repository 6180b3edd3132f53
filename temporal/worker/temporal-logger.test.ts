import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { createLogger } from '../../runtime/logger.ts';
import { createTemporalLogger } from './temporal-runtime.ts';

function linesOf(write: (log: ReturnType<typeof createTemporalLogger>) => void): unknown[] {
  const lines: unknown[] = [];
  write(createTemporalLogger(createLogger('debug', { write: (line) => lines.push(JSON.parse(line)) })));
  return lines;
}

it('logs why an activity failed', () => {
  const cause = new Error('connection refused');
  const error = ApplicationFailure.create({ message: 'The database is away', cause });
  const lines = linesOf((log) => log.warn('Activity failed', { activityType: 'runStep', error }));
  expect(lines).toEqual([
    expect.objectContaining({
      component: 'temporal',
      msg: 'Activity failed',
      activityType: 'runStep',
      error: expect.objectContaining({
        message: 'The database is away',
        cause: expect.objectContaining({ message: 'connection refused' }),
      }),
    }),
  ]);
});

it('keeps DEBUG messages of the SDK out of the log', () => {
  const lines = linesOf((log) => {
    log.debug('Workflow started');
    log.info('Worker state changed');
  });
  expect(lines).toEqual([expect.objectContaining({ level: 20, msg: 'Worker state changed' })]);
});
