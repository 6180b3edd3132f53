import { setTimeout as delay } from 'node:timers/promises';
import { DomainError, orNotFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { unlessAway } from '../../db/database-away.ts';
import { brokenConstraint } from '../../db/database-errors.ts';
import { ProjectErasure } from '../../db/entities/project-security.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { recordErasure } from '../../db/statements/projects/erasure-orders.ts';
import type { ProjectKeys } from '../access/project-keys.ts';
import { deleteProject } from './delete-project.ts';
import { lockProjectAs, requireAdministrator, requireOwner } from './project-access.ts';

const waitMs = 20_000;
const pollMs = 200;

export interface ProjectErasureOptions {
  orm: Orm;
  projectKeys: Pick<ProjectKeys, 'forget'>;
  committed: () => void;
  waitMs?: number;
}

/** All methods throw DomainError `NOT_FOUND` for non-members, `FORBIDDEN` for an insufficient role. */
export function createProjectErasureService(options: ProjectErasureOptions) {
  const { orm, projectKeys, committed } = options;

  function findLast(em: Em, projectId: string): Promise<ProjectErasure | null> {
    return em.findOne(ProjectErasure, { projectId, isReset: true }, { orderBy: { createdAt: 'desc' } });
  }

  async function follow(begun: ProjectErasure): Promise<ProjectErasure> {
    const endsAt = performance.now() + (options.waitMs ?? waitMs);
    for (let reset = begun; ; ) {
      if (reset.isErased() || performance.now() >= endsAt) return reset;
      await delay(pollMs);
      // The reset goes on without this call, so an outage does not deny it: a repeat would erase newer data.
      reset = (await unlessAway(findLast(orm.em.fork(), begun.projectId))) ?? reset;
    }
  }

  return {
    /** Deletes a project. Its keys stop working at once; its data is erased in the background. */
    async remove(userId: string, projectId: string) {
      await orm.em.fork().transactional(async (em) => {
        await lockProjectAs(em, projectId, userId, requireOwner);
        await recordErasure(em, { id: newId(), projectId, isReset: false });
        await deleteProject(em, projectId);
      });
      projectKeys.forget(projectId);
      committed();
    },

    /**
     * Deletes a project's data. Returns when it is gone from Postgres, or unfinished after 20 seconds; ClickHouse
     * follows.
     * @param confirm the project's name
     * @throws DomainError `BAD_REQUEST` when the name differs, `CONFLICT` while a reset is running
     */
    async reset(userId: string, projectId: string, confirm: string) {
      let begun: ProjectErasure;
      try {
        begun = await orm.em.fork().transactional(async (em) => {
          const { project } = await lockProjectAs(em, projectId, userId, requireAdministrator);
          if (project.name !== confirm) {
            throw new DomainError('BAD_REQUEST', 'Confirm with the name of the project');
          }
          await recordErasure(em, { id: newId(), projectId, isReset: true });
          return orNotFound(await findLast(em, projectId), 'Reset');
        });
      } catch (error) {
        if (brokenConstraint(error) !== 'project_erasures_reset') throw error;
        throw new DomainError('CONFLICT', 'This project is being reset', {
          suggestion: 'GET the same path for its progress.',
        });
      }
      committed();
      return follow(begun);
    },

    /**
     * The latest reset.
     * @throws DomainError `NOT_FOUND` when there was none
     */
    async findReset(userId: string, projectId: string) {
      const em = orm.em.fork();
      await requireAdministrator(em, projectId, userId);
      return orNotFound(await findLast(em, projectId), 'Reset');
    },
  };
}
