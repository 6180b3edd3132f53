import type { z } from 'zod';
import type { LoggedEmail } from '../../db/statements/emails/email-log-row.ts';
import { type emailDetailSchema, emailSchema } from '../schemas/emails.ts';
import type { EmailDetail } from '../services/email-detail.ts';
import type { TemporalRuns } from '../services/temporal-runs.ts';
import { presentTimeline } from './email-timeline.ts';
import { present } from './present.ts';

export const presentEmail = (email: LoggedEmail) =>
  present(emailSchema, { ...email, to: email.toEmail, from: email.fromEmail });

export function presentEmailDetail(
  { email, events, body, runId }: EmailDetail,
  runs: TemporalRuns,
): z.output<typeof emailDetailSchema> {
  return {
    ...presentEmail(email),
    messageId: email.messageId,
    timeline: presentTimeline(email, events),
    bodyAvailable: body !== null,
    body,
    ...runs(runId),
  };
}
