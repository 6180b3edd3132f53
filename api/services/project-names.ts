import { LRUCache } from 'lru-cache';
import { inferFieldType } from '../../core/contact-data/infer-field-type.ts';
import type { JsonObject } from '../../core/json-value.ts';
import { limitReached } from '../../db/batching/is-rolled-back.ts';
import type { Em, Orm } from '../../db/orm.ts';
import {
  hasRoomForKeys,
  learnFieldTypes,
  type NewFieldType,
} from '../../db/repositories/contacts/contact-fields.ts';
import {
  type EventNameRow,
  hasRoomForName,
  learnEventNames,
} from '../../db/repositories/events/event-names.ts';
import type { ProjectChanges } from '../edge/project-changes.ts';
import { refuseNewKeys, refuseNewName } from './contact-errors.ts';

/** What a write does to the data of a contact; null removes a key. */
export interface NamingWrite {
  projectId: string;
  patch: JsonObject;
  /** Of an event that is tracked. */
  eventName?: string;
}

/** The keys of `data` and the names of events of projects, of which each project may have 10,000. */
export interface ProjectNames {
  /**
   * Runs what writes to contacts. The type of each key that a project sees for the first time is fixed in the same
   * transaction, and the name of each event noted, so that a write that is refused leaves none; costs nothing for
   * what is known.
   *
   * @param run throws to refuse the writes
   * @throws pg.DatabaseError `contact_fields_limit`, `event_names_limit` when a project would have too many
   */
  write<Result>(writes: readonly NamingWrite[], run: (em: Em) => Promise<Result>): Promise<Result>;
  /**
   * Refuses a write for which a project has no room, before it joins others: they would all be rolled back because of
   * it. Looks only at projects that have met a limit lately, and costs nothing for all others.
   *
   * @throws DomainError `VALIDATION_ERROR`
   */
  admit(write: NamingWrite): Promise<void>;
}

/** How long a project is looked at that has met a limit. */
const watchedForMs = 60_000;

interface NewNames {
  fields: Map<string, NewFieldType>;
  events: Map<string, EventNameRow>;
}

/**
 * Names of projects that are in the database. The type of a key never changes, but a field may be deleted, or the
 * events of a name, which every process is told of; one that can't be told looks at the database each time.
 */
export function createProjectNames(orm: Orm, changes: ProjectChanges): ProjectNames {
  const known = new LRUCache<string, true>({ max: 200_000 });
  /** Projects by the limit that they have met. */
  const watched = {
    contact_fields_limit: new LRUCache<string, true>({ max: 10_000, ttl: watchedForMs }),
    event_names_limit: new LRUCache<string, true>({ max: 10_000, ttl: watchedForMs }),
  };
  // Raised by each change: what was fixed before a change must not count as known after it.
  let generation = 0;
  changes.onChange((projectId) => {
    generation += 1;
    if (projectId === null) known.clear();
    else forgetNames(known, `${projectId} `);
  });

  const isKnown = (name: string) => changes.isConnected && known.has(name);

  function newNames(writes: readonly NamingWrite[]): NewNames {
    const fields = new Map<string, NewFieldType>();
    const events = new Map<string, EventNameRow>();
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

  return {
    async write(writes, run) {
      const { fields, events } = newNames(writes);
      if (fields.size === 0 && events.size === 0) return run(orm.em.fork());
      const asked = generation;
      try {
        const result = await orm.em.fork().transactional(async (em) => {
          const written = await run(em);
          await learnFieldTypes(em, [...fields.values()]);
          await learnEventNames(em, [...events.values()]);
          return written;
        });
        if (asked === generation && changes.isConnected)
          for (const name of [...fields.keys(), ...events.keys()]) known.set(name, true);
        return result;
      } catch (error) {
        const reached = limitReached(error);
        if (reached !== undefined) watched[reached.limit].set(reached.projectId, true);
        throw error;
      }
    },

    async admit(write) {
      const { projectId } = write;
      const isWatched = {
        fields: watched.contact_fields_limit.has(projectId),
        events: watched.event_names_limit.has(projectId),
      };
      if (!isWatched.fields && !isWatched.events) return;
      const { fields, events } = newNames([write]);
      const em = orm.em.fork();
      if (isWatched.fields && fields.size > 0) {
        const keys = [...fields.values()].map(({ key }) => key);
        if (!(await hasRoomForKeys(em, projectId, keys))) throw refuseNewKeys();
      }
      for (const { name } of isWatched.events ? events.values() : []) {
        if (!(await hasRoomForName(em, projectId, name))) throw refuseNewName();
      }
    },
  };
}

function forgetNames(known: LRUCache<string, true>, prefix: string): void {
  for (const name of known.keys()) if (name.startsWith(prefix)) known.delete(name);
}
