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

it('does not warn about the task queues of activities, which have no workflows', () => {
  const lines = linesOf((log) => log.warn('No workflows registered, not polling for workflow tasks'));
  expect(lines).toEqual([expect.objectContaining({ level: 20 })]);
});

it('logs the retries of the pollers once a minute and call, and other errors always', () => {
  const lines = linesOf((log) => {
    for (let n = 16; n < 20; n += 1) {
      log.error(`gRPC call poll_workflow_task_queue retried ${n} times`);
      log.error(`gRPC call poll_activity_task_queue retried ${n} times`);
      log.error('Worker failed');
    }
  });
  const counts = Map.groupBy(lines, (line) => Reflect.get(Object(line), 'msg'));
  expect([...counts].map(([msg, { length }]) => [msg, length])).toEqual([
    ['gRPC call poll_workflow_task_queue retried 16 times', 1],
    ['gRPC call poll_activity_task_queue retried 16 times', 1],
    ['Worker failed', 4],
  ]);
});
