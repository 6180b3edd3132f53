import { defineEntity } from '@mikro-orm/core';
import { TemplateRepository } from '../repositories/template-repository.ts';
import { contentColumns, createdAt, updatedAt } from './columns.ts';

const TemplateSchema = defineEntity({
  name: 'Template',
  tableName: 'templates',
  repository: () => TemplateRepository,
  indexes: [{ name: 'templates_project', properties: ['projectId', 'createdAt', 'id'] }],
  properties: {
    ...contentColumns(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export class Template extends TemplateSchema.class {}
TemplateSchema.setClass(Template);
