import { defineEntity, p } from '@mikro-orm/core';
import { EntityRepository } from '@mikro-orm/postgresql';
import { createdAt } from './columns.ts';
import { allProjects } from './project-em.ts';

const UploadSchema = defineEntity({
  name: 'Upload',
  tableName: 'uploads',
  repository: () => UploadRepository,
  indexes: [
    { name: 'uploads_project', properties: ['projectId', 'createdAt', 'key'] },
    { name: 'uploads_unfinished', properties: ['createdAt'], where: 'not stored' },
  ],
  properties: {
    key: p.text().primary(),
    projectId: p.uuid(),
    size: p.bigint('number').defaultRaw('0'),
    /** False until the file is complete and counted. */
    stored: p.boolean().default(false),
    createdAt: createdAt(),
  },
});

/** An uploaded image. Its row is written before the file and deleted after it. */
export class Upload extends UploadSchema.class {}
UploadSchema.setClass(Upload);

export const UploadTotal = defineEntity({
  name: 'UploadTotal',
  tableName: 'upload_totals',
  properties: { projectId: p.uuid().primary(), files: p.integer(), bytes: p.bigint('number') },
});

/** The process of an upload left unfinished for this long is considered dead. */
const unfinishedForMs = 60 * 60 * 1000;

export class UploadRepository extends EntityRepository<Upload> {
  listPage(after: Pick<Upload, 'createdAt' | 'key'> | undefined, limit: number): Promise<Upload[]> {
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

  /** Oldest first. @param except projects */
  listUnfinished(except: string[], limit: number): Promise<Upload[]> {
    const before = new Date(Date.now() - unfinishedForMs);
    return this.find(
      { stored: false, createdAt: { $lt: before }, projectId: { $nin: except } },
      { ...allProjects, orderBy: { createdAt: 'asc' }, limit },
    );
  }
}
