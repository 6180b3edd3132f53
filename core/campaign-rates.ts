import { recordOf } from './record-of.ts';

/** Counters of a campaign's sent emails. */
export const campaignCounters = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
] as const;

/** When an email was first counted by each: `sentAt` and so on. */
export const counterTimes = campaignCounters.map((counter) => `${counter}At` as const);

export type CampaignCounters = Record<(typeof campaignCounters)[number], number>;

/** 0 to 100 with two decimals; 0 of nothing. */
export const percentOf = (part: number, whole: number) =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

const ratedCounters = {
  deliveryRate: 'delivered',
  openRate: 'opened',
  clickRate: 'clicked',
  bounceRate: 'bounced',
  complaintRate: 'complained',
  unsubscribeRate: 'unsubscribed',
} as const;

// as: the type of `Object.keys` is wider.
export const rateNames = Object.keys(ratedCounters) as (keyof typeof ratedCounters)[];

/** Percentages of the emails sent. */
export const campaignRates = (counters: CampaignCounters) =>
  recordOf(rateNames, (name) => percentOf(counters[ratedCounters[name]], counters.sent));
