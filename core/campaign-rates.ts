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

export type CampaignCounters = Record<(typeof campaignCounters)[number], number>;

/** 0 to 100 with two decimals; 0 of nothing. */
export const percentOf = (part: number, whole: number) =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

/** Percentages of the emails sent. */
export function campaignRates(counters: CampaignCounters) {
  const rate = (count: number) => percentOf(count, counters.sent);
  return {
    deliveryRate: rate(counters.delivered),
    openRate: rate(counters.opened),
    clickRate: rate(counters.clicked),
    bounceRate: rate(counters.bounced),
    complaintRate: rate(counters.complained),
    unsubscribeRate: rate(counters.unsubscribed),
  };
}
