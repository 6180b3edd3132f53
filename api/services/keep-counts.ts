import { LRUCache } from 'lru-cache';
import type { Orm } from '../../db/orm.ts';
import { readAudienceFigures } from '../../db/statements/contacts/contact-figures.ts';

/** Projects with more contacts use stored or cached counts. Counting this many takes some 10 ms. */
export const contactsCountedLive = 50_000;

const keptMs = 30_000;
const mostKept = 10_000;

/** Caches the counts of large projects for 30 seconds; concurrent calls share one count. */
export function keepCounts<Subject extends { projectId: string }, Count extends object | number>(
  orm: Orm,
  count: (subject: Subject) => Promise<Count>,
  keyOf: (subject: Subject) => string,
  countedLive = contactsCountedLive,
): (subject: Subject) => Promise<Count> {
  const kept = new LRUCache<string, Count, { subject: Subject }>({
    max: mostKept,
    ttl: keptMs,
    fetchMethod: (_key, _stale, { context }) => count(context.subject),
  });
  return async (subject) => {
    const { contacts } = await readAudienceFigures(orm.em.fork(), subject.projectId);
    if (contacts <= countedLive) return count(subject);
    return (await kept.fetch(keyOf(subject), { context: { subject } })) ?? count(subject);
  };
}
