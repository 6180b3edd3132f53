import type { LinkProps } from '@tanstack/react-router';
import { z } from 'zod';
import type { Schema } from '../../api/client.ts';

const id = z.string().optional().catch(undefined);
const subjectSchema = z.object({
  name: id,
  emailId: id,
  campaignId: id,
  workflowId: id,
  executionId: id,
});

/** Leads to what an activity is about: its email, campaign, execution or event; null without one. */
export function linkOf(
  projectId: string,
  { type, metadata }: Pick<Schema<'Activity'>, 'type' | 'metadata'>,
): LinkProps | null {
  const { name, emailId, campaignId, workflowId, executionId } = subjectSchema.parse(metadata);
  if (type === 'event.tracked' && name !== undefined) {
    return { to: '/projects/$projectId/events', params: { projectId }, search: { name } };
  }
  if (type.startsWith('campaign.') && campaignId !== undefined) {
    return { to: '/projects/$projectId/campaigns/$campaignId', params: { projectId, campaignId } };
  }
  if (type.startsWith('workflow.') && workflowId !== undefined && executionId !== undefined) {
    return {
      to: '/projects/$projectId/workflows/$workflowId/executions/$executionId',
      params: { projectId, workflowId, executionId },
    };
  }
  // Received emails are not in the log.
  if (type.startsWith('email.') && type !== 'email.received' && emailId !== undefined) {
    return { to: '/projects/$projectId/emails', params: { projectId }, search: { email: emailId } };
  }
  return null;
}
