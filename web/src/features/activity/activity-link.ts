import type { LinkProps } from '@tanstack/react-router';
import { z } from 'zod';
import type { Schema } from '../../api/client.ts';

const id = z.string().optional().catch(undefined);
const subjectSchema = z.object({
  name: id,
  emailId: id,
  inboundId: id,
  campaignId: id,
  workflowId: id,
  executionId: id,
});

type Subject = Pick<Schema<'Activity'>, 'type' | 'metadata'>;

/** The ids of the records that an activity is about, if it has them. */
export const subjectOf = ({ metadata }: Subject) => subjectSchema.parse(metadata);

/** Links to what an activity is about: its email, campaign, execution or event; null if there is nothing to link to. */
export function linkOf(projectId: string, activity: Subject): LinkProps | null {
  const { type } = activity;
  const { name, emailId, inboundId, campaignId, workflowId, executionId } = subjectOf(activity);
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
  // The email log has no received emails. Link to the email that this one answers.
  if (type === 'email.received') {
    if (inboundId === undefined) return null;
    return {
      to: '/projects/$projectId/activity',
      params: { projectId },
      search: (before: object) => ({ ...before, received: inboundId }),
    };
  }
  if (type.startsWith('email.') && emailId !== undefined) {
    return { to: '/projects/$projectId/emails', params: { projectId }, search: { email: emailId } };
  }
  return null;
}
