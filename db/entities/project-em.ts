import { type EntityManager, LockMode, type MikroORM } from '@mikro-orm/postgresql';

/** Applied to `projectRecords`; see `createOrm`. */
export const projectFilter = 'project';

/**
 * An entity manager that finds, updates and deletes only records of this project. MikroORM adds the condition to its
 * own queries, not to statements or query-builder queries.
 */
export function projectEm(orm: MikroORM, projectId: string): EntityManager {
  const em = orm.em.fork();
  em.setFilterParams(projectFilter, { projectId });
  return em;
}

/** For queries that begin with a record's own id or cover all projects. */
export const allProjects = { filters: { [projectFilter]: false } };

/** Like `allProjects`; locks the records until the transaction ends. */
export const lockedOfAllProjects = { ...allProjects, lockMode: LockMode.PESSIMISTIC_WRITE } as const;
