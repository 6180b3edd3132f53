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

/** Percentages of the emails sent, 0 to 100 with two decimals; 0 when nothing was sent. */
export function campaignRates(counters: CampaignCounters) {
  const { sent } = counters;
  const rate = (count: number) => (sent === 0 ? 0 : Math.round((count / sent) * 10_000) / 100);
  return {
    deliveryRate: rate(counters.delivered),
    openRate: rate(counters.opened),
    clickRate: rate(counters.clicked),
    bounceRate: rate(counters.bounced),
    complaintRate: rate(counters.complained),
    unsubscribeRate: rate(counters.unsubscribed),
  };
}
