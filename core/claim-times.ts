/**
 * No hand-over begins later than this after its claim. Together with `providerAnswerSeconds` it stays well
 * below `claimLiveSeconds`.
 */
export const claimLeaseSeconds = 20;

/** Of an email without attachments; one with attachments may take `uploadSeconds` longer. */
export const providerAnswerSeconds = 30;

const slowestBytesPerSecond = 64 * 1024;
/** With the lease and `providerAnswerSeconds` it stays below the time limit of a run. */
const longestUploadSeconds = 180;

/**
 * Time to send attachments, encoded as base64, on a slow connection. The claim is prolonged by it when the hand-over
 * begins.
 */
export function uploadSeconds(attachmentBytes: number): number {
  return Math.min(longestUploadSeconds, Math.ceil((attachmentBytes * 4) / 3 / slowestBytesPerSecond));
}

/** A claim older than this belongs to a dead run. */
export const claimLiveSeconds = 60;

/** Counted from the first try, so an email may wait longer for its project to be enabled. */
export const deferralLimitMs = 24 * 60 * 60 * 1000;

/**
 * Limit for campaign emails: a daily provider quota may spread a campaign over days, which its sender sees and can end
 * by cancelling.
 */
export const campaignDeferralLimitMs = 14 * deferralLimitMs;

/** RFC 5321, 4.5.4.1 "Sending Strategy": mail servers retry every half an hour, and sooner at first. */
export const longestBackOffMs = 30 * 60 * 1000;
