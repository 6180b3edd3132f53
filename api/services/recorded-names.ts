import { LRUCache } from 'lru-cache';
import { atMost } from '../../core/at-most.ts';
import { inferFieldType } from '../../core/contact-data/infer-field-type.ts';
import type { JsonObject } from '../../core/json-value.ts';
import { createChangeCache } from '../../db/change-cache.ts';
import { limitReached } from '../../db/database-errors.ts';
import type { DatabaseListener } from '../../db/database-listener.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  canAddKeys,
  type NewFieldType,
  recordFieldTypes,
} from '../../db/statements/contacts/contact-keys.ts';
import {
  canAddEventName,
  recordEventNames,
  type TrackedName,
} from '../../db/statements/events/event-names.ts';
import { refuseNewKeys, refuseNewName } from './contact-errors.ts';

/** `patch` changes the contact's data; null removes a key. */
export interface NamingWrite {
  projectId: string;
  patch: JsonObject;
  eventName?: string;
}

export type RecordedNames = ReturnType<typeof createRecordedNames>;

const watchedForMs = 60_000;

/**
 * Tracks the keys of `data` and the event names of projects; each project may have 10,000 of either.
 *
 * Caches stored names. The type of a key never changes, but fields and event names can be deleted, which notifies
 * every process. A process that is cut off from notifications does not use the cache.
 */
export function createRecordedNames(
  orm: Orm,
  changes: Pick<DatabaseListener, 'isConnected' | 'onProjectChange'>,
) {
  const known = createChangeCache<true>(changes, {
    most: 200_000,
    projectOf: (name) => name.slice(0, name.indexOf(' ')),
  });
  const watched = watchedProjects();
  const isKnown = (name: string) => known.get(name) === true;

  return {
    /**
     * Runs a write of contacts. In the same transaction, fixes the types of new keys and records new event names, so
     * that a refused write leaves none. Known names cost no query.
     * @param run throws to roll back the writes
     * @throws pg.DatabaseError `contact_fields_limit`, `event_names_limit` when a project would exceed a limit
     */
    async write<Result>(writes: readonly NamingWrite[], run: (em: Em) => Promise<Result>) {
      const { fields, events } = newNames(isKnown, writes);
      if (fields.size === 0 && events.size === 0) return run(orm.em.fork());
      const keep = known.beforeRead();
      try {
        const result = await orm.em.fork().transactional(async (em) => {
          const written = await run(em);
          await recordFieldTypes(em, [...fields.values()]);
          await recordEventNames(em, [...events.values()]);
          return written;
        });
        for (const name of [...fields.keys(), ...events.keys()]) keep(name, true);
        return result;
      } catch (error) {
        const reached = limitReached(error);
        if (reached !== undefined) watched[reached.limit].set(reached.projectId, true);
        throw error;
      }
    },

    /**
     * Refuses a write that would exceed a limit before it joins a batch and rolls it back. Queries the database only
     * for projects that hit a limit in the last minute.
     * @throws DomainError `VALIDATION_ERROR`
     */
    async admit(write: NamingWrite) {
      const { projectId } = write;
      const isWatched = {
        fields: watched.contact_fields_limit.has(projectId),
        events: watched.event_names_limit.has(projectId),
      };
      if (!isWatched.fields && !isWatched.events) return;
      const { fields, events } = newNames(isKnown, [write]);
      const em = orm.em.fork();
      if (isWatched.fields && fields.size > 0) {
        const keys = [...fields.values()].map(({ key }) => key);
        if (!(await canAddKeys(em, projectId, keys))) throw refuseNewKeys();
      }
      for (const { name } of isWatched.events ? events.values() : []) {
        if (!(await canAddEventName(em, projectId, name))) throw refuseNewName();
      }
    },
  };
}

function newNames(isKnown: (name: string) => boolean, writes: readonly NamingWrite[]) {
  const fields = new Map<string, NewFieldType>();
  const events = new Map<string, TrackedName>();
  for (const { projectId, patch, eventName } of writes) {
    for (const [key, value] of Object.entries(patch)) {
      const name = `${projectId} data ${key}`;
      if (value === null || fields.has(name) || isKnown(name)) continue;
      fields.set(name, { projectId, key, type: inferFieldType(value) });
    }
    const name = `${projectId} event ${eventName}`;
    if (eventName !== undefined && !isKnown(name)) events.set(name, { projectId, name: eventName });
  }
  return { fields, events };
}

const watchedProjects = () => ({
  contact_fields_limit: new LRUCache<string, true>({ ...atMost(10_000), ttl: watchedForMs }),
  event_names_limit: new LRUCache<string, true>({ ...atMost(10_000), ttl: watchedForMs }),
});
