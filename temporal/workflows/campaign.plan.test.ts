import { describe, expect, it } from 'vitest';
import type { CampaignView, OpenBatches } from '../contracts/campaign.ts';
import {
  type CampaignStep,
  describeCampaign,
  nextSendingStep,
  nextStep,
  type SendingStep,
} from './campaign.plan.ts';

const now = 1_000_000;
const view = (changes: Partial<CampaignView>): CampaignView => ({
  projectId: 'p',
  name: 'News',
  status: 'SENDING',
  dueAt: null,
  isFrozen: false,
  totalRecipients: 0,
  ...changes,
});

describe('the next step of a campaign', () => {
  it.each<[string, CampaignView | null, CampaignStep]>([
    ['that was deleted', null, { do: 'end' }],
    ['that is a draft', view({ status: 'DRAFT' }), { do: 'end' }],
    ['that was sent', view({ status: 'SENT', isFrozen: true }), { do: 'end' }],
    ['that was canceled', view({ status: 'CANCELLED' }), { do: 'cancel' }],
    [
      'that was canceled in the middle',
      view({ status: 'CANCELLED', isFrozen: true, dueAt: now + 1 }),
      { do: 'cancel' },
    ],
    ['that is due later', view({ status: 'SCHEDULED', dueAt: now + 5_000 }), { do: 'wait', ms: 5_000 }],
    ['that is due now', view({ status: 'SCHEDULED', dueAt: now }), { do: 'begin' }],
    ['that is overdue', view({ status: 'SCHEDULED', dueAt: now - 60_000 }), { do: 'begin' }],
    ['that is scheduled without a time', view({ status: 'SCHEDULED' }), { do: 'begin' }],
    ['that has just begun', view({}), { do: 'freeze' }],
    ['that had been scheduled', view({ dueAt: now + 5_000 }), { do: 'freeze' }],
    ['whose audience is frozen', view({ isFrozen: true }), { do: 'send' }],
  ])('%s', (_, given, expected) => {
    expect(nextStep(given, now)).toEqual(expected);
  });
});

describe('the next step of sending', () => {
  const open = (numbers: number[], more = false): OpenBatches => ({ numbers, more });

  it.each<[string, OpenBatches, number, SendingStep]>([
    ['an empty audience', open([]), 0, { do: 'finish' }],
    [
      'a first page with everything',
      open([1, 2, 3]),
      0,
      { do: 'batches', batches: [1, 2, 3], last: 3, startsNewRun: false },
    ],
    [
      'a page with more to follow',
      open([4, 5, 6], true),
      3,
      { do: 'batches', batches: [4, 5, 6], last: 6, startsNewRun: true },
    ],
    ['reopened batches', open([2, 7]), 0, { do: 'batches', batches: [2, 7], last: 7, startsNewRun: false }],
    ['all batches ended', open([]), 7, { do: 'settle' }],
  ])('%s', (_, given, after, expected) => {
    expect(nextSendingStep(given, after)).toEqual(expected);
  });
});

it('describes a campaign by its name, and by its time until it is due', () => {
  const dueAt = Date.parse('2026-12-01T08:30:00Z');
  expect(describeCampaign(view({ status: 'SCHEDULED', dueAt }))).toBe(
    'The campaign **News** is **SCHEDULED** for 2026-12-01 08:30 UTC.',
  );
  expect(describeCampaign(view({ totalRecipients: 60 }), { ended: 0, ofBatches: 1 })).toBe(
    'The campaign **News** is **SENDING** with **60** recipients; **0** of **1** open batches are through.',
  );
  expect(describeCampaign(view({ status: 'SENT', totalRecipients: 60 }))).toBe(
    'The campaign **News** is **SENT** with **60** recipients.',
  );
});
