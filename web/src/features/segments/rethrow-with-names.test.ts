import { expect, it } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import { rethrowWithNames } from './rethrow-with-names.ts';

const refusal = (details: Record<string, unknown>) =>
  new ApiError(409, 'request', { message: 'Refused', details, suggestion: 'Wait for them to end' });

const rethrown = (error: unknown): unknown => {
  try {
    return rethrowWithNames('The segment is used by')(error);
  } catch (thrown) {
    return thrown;
  }
};

it('names what uses the segment', () => {
  const uses = { segments: [{ name: 'VIP' }], workflows: [{ name: 'Greets' }, { name: 'Thanks' }] };
  expect(rethrown(refusal(uses))).toMatchObject({
    message: 'The segment is used by segments: “VIP”; workflows: “Greets”, “Thanks”.',
    suggestion: 'Remove it there first.',
  });
});

it('names each workflow once whose earlier versions executions follow, and says how they end', () => {
  const workflowVersions = [1, 2].map((version) => ({ workflowId: 'id', workflowName: 'Greets', version }));
  expect(rethrown(refusal({ workflowVersions }))).toMatchObject({
    message: 'The segment is used by executions that follow an earlier version of “Greets”.',
    suggestion: 'Wait for them to end',
  });
});

it.each([{}, { updatedAt: '2026-01-31T09:00:00.000Z' }, { segments: 2_000, conditionBytes: 1 }])(
  'leaves other refusals as they are: %j',
  (details) => {
    const error = refusal(details);
    expect(rethrown(error)).toBe(error);
  },
);
