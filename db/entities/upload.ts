import { defineEntity, p } from '@mikro-orm/core';
import { createdAt } from './columns.ts';

/** An uploaded image; the row stands before the file and goes after it. */
export const Upload = defineEntity({
  name: 'Upload',
  tableName: 'uploads',
  indexes: [
    { name: 'uploads_project', properties: ['projectId', 'createdAt', 'key'] },
    {
      name: 'uploads_unfinished',
      expression: 'create index uploads_unfinished on uploads (created_at) where not stored',
    },
  ],
  properties: {
    key: p.text().primary(),
    projectId: p.uuid(),
    /** Bytes. */
    size: p.bigint('number').defaultRaw('0'),
    /** False until the file is whole and counted. */
    stored: p.boolean().default(false),
    createdAt: createdAt(),
  },
});

/** What the stored images of a project come to. */
export const UploadTotal = defineEntity({
  name: 'UploadTotal',
  tableName: 'upload_totals',
  properties: {
    projectId: p.uuid().primary(),
    files: p.integer(),
    bytes: p.bigint('number'),
  },
});
