import { campaignCounters } from './campaign-rates.ts';

/**
 * Outcomes of a campaign's email for one recipient; several can apply at once. `failed`: the provider refused it.
 * `skipped`: withheld or cancelled before it left. `pending`: it has not had its turn, or its outcome is not known yet.
 * `unopened`: delivered, but not opened.
 */
export const recipientOutcomes = [...campaignCounters, 'unopened', 'failed', 'skipped', 'pending'] as const;

export type RecipientOutcome = (typeof recipientOutcomes)[number];
