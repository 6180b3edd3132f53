import { describe, expect, it } from 'vitest';
import { campaignRates } from './campaign-rates.ts';
import { type CampaignAction, campaignStatuses, canDo } from './campaign-state.ts';

const table: [CampaignAction, boolean[]][] = [
  ['edit', [true, true, false, false, false]],
  ['send', [true, true, false, false, false]],
  ['cancel', [true, true, true, false, false]],
  ['delete', [true, false, false, true, true]],
];

describe('a campaign', () => {
  it.each(table)('accepts to %s in the states of the contract', (action, expected) => {
    expect(campaignStatuses.map((status) => canDo(action, status))).toEqual(expected);
  });
});

describe('the rates of a campaign', () => {
  const counters = {
    sent: 3,
    delivered: 2,
    opened: 1,
    clicked: 0,
    bounced: 3,
    complained: 1,
    unsubscribed: 2,
  };

  it('are percentages of what was sent, with two decimals', () => {
    expect(campaignRates(counters)).toEqual({
      deliveryRate: 66.67,
      openRate: 33.33,
      clickRate: 0,
      bounceRate: 100,
      complaintRate: 33.33,
      unsubscribeRate: 66.67,
    });
  });

  it('are 0 when nothing was sent', () => {
    expect(Object.values(campaignRates({ ...counters, sent: 0 }))).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
