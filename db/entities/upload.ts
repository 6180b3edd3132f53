import { defineEntity, p } from '@mikro-orm/core';
import { UploadRepository } from '../repositories/upload-repository.ts';
import { createdAt } from './columns.ts';

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

const UploadTotalSchema = defineEntity({
  name: 'UploadTotal',
  tableName: 'upload_totals',
  properties: {
    projectId: p.uuid().primary(),
    files: p.integer(),
    bytes: p.bigint('number'),
  },
});

export class UploadTotal extends UploadTotalSchema.class {}
UploadTotalSchema.setClass(UploadTotal);
