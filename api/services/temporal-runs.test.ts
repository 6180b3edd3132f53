import { expect, test } from 'vitest';
import { createTemporalRuns } from './temporal-runs.ts';

test('a run links to its page in the Temporal UI', () => {
  const runs = createTemporalRuns({ url: 'https://temporal.example.com/ui/', namespace: 'mail & more' });
  expect(runs('campaign/1/batch/2')).toEqual({
    temporalWorkflowId: 'campaign/1/batch/2',
    temporalUrl:
      'https://temporal.example.com/ui/namespaces/mail%20%26%20more/workflows/campaign%2F1%2Fbatch%2F2',
  });
  expect(runs(null)).toEqual({ temporalWorkflowId: null, temporalUrl: null });
  expect(createTemporalRuns(null)('campaign/1')).toEqual({
    temporalWorkflowId: 'campaign/1',
    temporalUrl: null,
  });
});
