import { z } from 'zod';
import { type DomainStatus, domainStatuses } from '../../../core/domains.ts';
import type { Em } from '../../orm.ts';
import { query } from '../../sql.ts';

const row = z.object({ status: z.enum(domainStatuses) });

/**
 * In a transaction: keeps a domain from being removed until the commit, so that records may refer to it. A statement
 * because the mapper lacks `for key share`, which does not block checks and other senders.
 *
 * @returns its status; undefined when the project has no such domain
 */
export async function holdDomain(
  em: Em,
  projectId: string,
  domain: string,
): Promise<DomainStatus | undefined> {
  const [held] = await query(
    em,
    row,
    'select status from domains where project_id = $1 and domain = $2 for key share',
    [projectId, domain],
  );
  return held?.status;
}
