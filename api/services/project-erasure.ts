import { setTimeout as delay } from 'node:timers/promises';
import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { brokenConstraint } from '../../db/batching/is-rolled-back.ts';
import type { Orm } from '../../db/orm.ts';
import {
  deleteProject,
  findReset,
  type ProjectReset,
  recordErasure,
} from '../../db/repositories/projects/project-erasures.ts';
import { findProjectOfUser } from '../../db/repositories/projects/projects.ts';
import type { ProjectKeys } from '../edge/project-keys.ts';
import { holdAs, requireAdministrator, requireOwner } from './project-access.ts';

/** How long a call waits for its reset. */
const waitMs = 20_000;
const pollMs = 200;

/** Each: @throws DomainError `NOT_FOUND` for a project of others, `FORBIDDEN` where the role is not enough. */
export interface ProjectErasureService {
  /** Deletes a project. Its keys stop working at once; its data go in the background, everywhere. */
  remove(userId: string, projectId: string): Promise<void>;
  /**
   * Has the data of a project deleted. Answers when they are gone from Postgres, or after 20 seconds while they still go;
   * ClickHouse follows.
   * @param confirm the name of the project
   * @throws DomainError `BAD_REQUEST` for another name, `CONFLICT` while a reset runs
   */
  reset(userId: string, projectId: string, confirm: string): Promise<ProjectReset>;
  /** The last reset. @throws DomainError `NOT_FOUND` when there was none */
  findReset(userId: string, projectId: string): Promise<ProjectReset>;
}

export interface ProjectErasureOptions {
  orm: Orm;
  projectKeys: ProjectKeys;
  /** Called after a commit that left a command for Temporal. */
  committed: () => void;
  /** How long a call waits for its reset, instead of 20 seconds. */
  waitMs?: number;
}

/** What cannot be undone. */
export function createProjectErasureService(options: ProjectErasureOptions): ProjectErasureService {
  const { orm, projectKeys, committed } = options;

  /** The reset when it is done, or as it is when the time is up. */
  async function follow(projectId: string): Promise<ProjectReset> {
    const endsAt = performance.now() + (options.waitMs ?? waitMs);
    for (;;) {
      const reset = await findReset(orm.em.fork(), projectId);
      if (reset === undefined) throw notFound('Project');
      if (reset.erasedAt !== null || performance.now() >= endsAt) return reset;
      await delay(pollMs);
    }
  }

  return {
    async remove(userId, projectId) {
      await orm.em.fork().transactional(async (em) => {
        await holdAs(em, projectId, userId, requireOwner);
        await recordErasure(em, { id: newId(), projectId, isReset: false });
        await deleteProject(em, projectId);
      });
      projectKeys.forget(projectId);
      committed();
    },

    async reset(userId, projectId, confirm) {
      try {
        await orm.em.fork().transactional(async (em) => {
          await holdAs(em, projectId, userId, requireAdministrator);
          const project = await findProjectOfUser(em, userId, projectId);
          if (project?.name !== confirm) {
            throw new DomainError('BAD_REQUEST', 'Confirm with the name of the project');
          }
          await recordErasure(em, { id: newId(), projectId, isReset: true });
        });
      } catch (error) {
        if (brokenConstraint(error) !== 'project_erasures_reset') throw error;
        throw new DomainError('CONFLICT', 'A reset of this project is under way', {
          suggestion: 'GET the same path says how far it is.',
        });
      }
      committed();
      return follow(projectId);
    },

    async findReset(userId, projectId) {
      const em = orm.em.fork();
      await requireAdministrator(em, projectId, userId);
      const reset = await findReset(em, projectId);
      if (reset === undefined) throw notFound('Reset');
      return reset;
    },
  };
}
