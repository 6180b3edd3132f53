import { z } from 'zod';
import type { Em } from '../../orm.ts';
import { queryValue } from '../../sql.ts';
import { readAudienceFigures } from './contact-figures.ts';
import { type ContactFilter, contactFilterSql, isByAddressAlone } from './contact-filter.ts';
import type { ContactPosition } from './contact-order.ts';
import { findAddresses } from './find-addresses.ts';
import { type ContactsCounted, countInScan } from './scan-contacts.ts';

/** A search by address counts a project of up to this many contacts at once: 40 ms with an index-only scan. */
const mostAtOnce = 200_000;

interface Reach {
  perScan?: number | undefined;
  atOnce?: number | undefined;
}

/**
 * Counts the matches among the next `perScan` contacts, newest first, or all of them at once where that is cheap: by
 * address alone in a small project, or by part of an address that few contacts have.
 */
export async function countContacts(
  em: Em,
  projectId: string,
  filter: ContactFilter,
  after: ContactPosition | undefined,
  { perScan, atOnce = mostAtOnce }: Reach = {},
): Promise<ContactsCounted> {
  if (after === undefined && filter.search !== undefined) {
    const isSmall = (await readAudienceFigures(em, projectId)).contacts <= atOnce;
    const isAtOnce = isSmall && isByAddressAlone(filter);
    const emails = isAtOnce ? undefined : await findAddresses(em, projectId, filter.search);
    if (isAtOnce || emails !== undefined) {
      return { count: await countAll(em, projectId, filter, emails), scannedUntil: undefined };
    }
  }
  const order = { by: 'createdAt', direction: 'desc' } as const;
  return countInScan(em, { projectId, filter, order, after }, perScan);
}

function countAll(
  em: Em,
  projectId: string,
  filter: ContactFilter,
  emails: readonly string[] | undefined,
): Promise<number> {
  const { where, parameters } = contactFilterSql(projectId, filter, emails);
  const text = `select count(*)::int as count from contacts c where ${where}`;
  return queryValue(em, z.int(), text, parameters);
}
