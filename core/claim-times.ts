/**
 * No hand-over begins later than this after its claim. Together with `providerAnswerSeconds` it stays well
 * below `claimLiveSeconds`.
 */
export const claimLeaseSeconds = 20;

export const providerAnswerSeconds = 30;

/** A claim older than this belongs to a dead run. */
export const claimLiveSeconds = 60;

export const deferralLimitMs = 24 * 60 * 60 * 1000;

/**
 * Limit for campaign emails: a daily provider quota may spread a campaign over days, which its sender sees and can end
 * by cancelling.
 */
export const campaignDeferralLimitMs = 14 * deferralLimitMs;
