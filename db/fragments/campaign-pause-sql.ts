import { isSenderVerifiedSql } from './is-sender-verified-sql.ts';

export const campaignPauses = ['project disabled', 'domain not verified'] as const;

const [disabled, notVerified] = campaignPauses;

/**
 * Why a SENDING campaign is paused; null while its emails may leave.
 *
 * @param campaign alias of `campaigns`
 * @param project alias of the campaign's row of `projects`
 */
export const campaignPauseSql = (campaign: string, project: string) => `case
  when ${project}.disabled then '${disabled}'
  when not ${isSenderVerifiedSql(`${campaign}.project_id`, `${campaign}.from_email`)} then '${notVerified}'
end`;
