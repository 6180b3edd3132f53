import type { z } from 'zod';
import type { LoggedEmail } from '../../db/statements/emails/email-log-row.ts';
import type { emailDetailSchema, emailSchema } from '../schemas/emails.ts';
import type { EmailDetail } from '../services/email-detail.ts';
import type { TemporalRuns } from '../services/temporal-runs.ts';
import { presentTimeline } from './email-timeline.ts';

export function presentEmail(email: LoggedEmail): z.output<typeof emailSchema> {
  return {
    id: email.id,
    to: email.toEmail,
    toName: email.toName,
    from: email.fromEmail,
    subject: email.subject,
    status: email.status,
    reason: email.reason,
    source: email.source,
    type: email.type,
    contactId: email.contactId,
    campaignId: email.campaignId,
    campaignName: email.campaignName,
    workflowId: email.workflowId,
    workflowName: email.workflowName,
    templateId: email.templateId,
    templateName: email.templateName,
    opens: email.opens,
    clicks: email.clicks,
    createdAt: email.createdAt.toISOString(),
    sentAt: toText(email.sentAt),
    deliveredAt: toText(email.deliveredAt),
    openedAt: toText(email.openedAt),
    clickedAt: toText(email.clickedAt),
    bouncedAt: toText(email.bouncedAt),
    complainedAt: toText(email.complainedAt),
  };
}

const toText = (instant: Date | null) => instant?.toISOString() ?? null;

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
