import { DomainError, notFound } from '../../core/errors.ts';
import type { Em } from '../../db/orm.ts';
import type { ApiProject } from '../../db/statements/access/find-callers.ts';
import { BillingUnavailable } from '../../providers/billing/billing-unavailable.ts';
import type { SessionUser } from '../access/identity.ts';
import { requireAdministrator } from './project-access.ts';

export interface BillingCaller {
  user: SessionUser | null;
  project: Pick<ApiProject, 'id'> | null;
}

/**
 * Admits owners and admins of the project, and its own secret key.
 * @throws DomainError `NOT_FOUND` for non-members and other projects' keys, `FORBIDDEN` for the role MEMBER
 */
export async function requireBillingAccess(
  em: Em,
  { user, project }: BillingCaller,
  projectId: string,
): Promise<void> {
  if (user !== null) await requireAdministrator(em, projectId, user.id);
  else if (project?.id !== projectId) throw notFound('Project');
}

/** @throws DomainError `SERVICE_UNAVAILABLE` in place of `BillingUnavailable` */
export async function askProcessor<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (cause) {
    if (!(cause instanceof BillingUnavailable)) throw cause;
    throw new DomainError('SERVICE_UNAVAILABLE', 'Stripe gave an unexpected answer; nothing has changed', {
      suggestion: 'Try again in a moment.',
      cause,
    });
  }
}

export function requireProvider<Provider>(provider: Provider | null): Provider {
  if (provider !== null) return provider;
  throw new DomainError('SERVICE_UNAVAILABLE', 'Billing is not configured on this deployment');
}
