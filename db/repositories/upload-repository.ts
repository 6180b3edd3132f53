import { EntityRepository } from '@mikro-orm/postgresql';
import type { Upload } from '../entities/upload.ts';
import { allProjects } from '../project-em.ts';

/** The process of an upload left unfinished for this long is considered dead. */
const unfinishedForMs = 60 * 60 * 1000;

export type UploadPosition = Pick<Upload, 'createdAt' | 'key'>;

export class UploadRepository extends EntityRepository<Upload> {
  listPage(after: UploadPosition | undefined, limit: number): Promise<Upload[]> {
    const position = after && {
      // Bounds the index scan, which the `$or` below does not.
      createdAt: { $lte: after.createdAt },
      $or: [{ createdAt: { $lt: after.createdAt } }, { key: { $lt: after.key } }],
    };
    return this.find({ stored: true, ...position }, { orderBy: { createdAt: 'desc', key: 'desc' }, limit });
  }

  listOfProject(projectId: string, until: Date, limit: number): Promise<Upload[]> {
    return this.find(
      { projectId, createdAt: { $lte: until } },
      { ...allProjects, orderBy: { createdAt: 'asc', key: 'asc' }, limit },
    );
  }

  listUnfinished(limit: number): Promise<Upload[]> {
    const before = new Date(Date.now() - unfinishedForMs);
    return this.find(
      { stored: false, createdAt: { $lt: before } },
      { ...allProjects, orderBy: { createdAt: 'asc' }, limit },
    );
  }
}
