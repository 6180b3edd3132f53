import { defineEntity, type FilterQuery } from '@mikro-orm/core';
import { EntityRepository, raw } from '@mikro-orm/postgresql';
import type { ContentType } from '../../core/content-types.ts';
import { containsText, folded, type ListOrder, listOrder } from '../fragments/contains-sql.ts';
import { contentColumns, createdAt, updatedAt } from './columns.ts';

const TemplateSchema = defineEntity({
  name: 'Template',
  tableName: 'templates',
  repository: () => TemplateRepository,
  indexes: [{ name: 'templates_project', properties: ['projectId', 'createdAt', 'id'] }],
  properties: { ...contentColumns(), createdAt: createdAt(), updatedAt: updatedAt() },
});

export class Template extends TemplateSchema.class {}
TemplateSchema.setClass(Template);

export interface TemplateQuery extends ListOrder {
  type?: ContentType | undefined;
  /** Case-insensitive substring of the name, description or subject. */
  search?: string | undefined;
  /** When false, `body` of the records is missing. */
  body: boolean;
}

export class TemplateRepository extends EntityRepository<Template> {
  async listPage(
    { type, search, body, ...order }: TemplateQuery,
    window: { limit: number; offset: number },
  ): Promise<[Template[], number]> {
    const except = body ? [] : ['body'];
    const where: FilterQuery<Template> = {
      ...(type && { type }),
      ...(search && { [containsText(['name', 'description', 'subject'], search)]: [] }),
    };
    // as: callers that omit the body do not read it.
    const rows = await this.find(where, { orderBy: listOrder(order), ...window, exclude: except as never[] });
    // Not at the same time, as by `findAndCount`: a request's place stands for one connection.
    return [rows, await this.count(where)];
  }

  async findByDomain(domain: string, limit: number): Promise<{ id: string; name: string }[]> {
    const templates = await this.find(
      { [raw(`split_part(from_email, '@', 2)`)]: domain },
      { fields: ['id', 'name'], orderBy: [{ [folded('name')]: 'asc' }, { id: 'asc' }], limit },
    );
    return templates.map(({ id, name }) => ({ id, name }));
  }
}
