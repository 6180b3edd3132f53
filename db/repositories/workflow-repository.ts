import { EntityRepository } from '@mikro-orm/postgresql';
import type { Workflow } from '../entities/workflow.ts';
import { containsText } from './contains-text.ts';

export class WorkflowRepository extends EntityRepository<Workflow> {
  /** @param search case-insensitive substring of the name, description or event name */
  listPage(
    search: string | undefined,
    window: { limit: number; offset: number },
  ): Promise<[Workflow[], number]> {
    return this.findAndCount(
      {
        ...(search && { [containsText(['name', 'description', 'event_name'], search)]: [] }),
      },
      { orderBy: { createdAt: 'desc', id: 'desc' }, ...window },
    );
  }
}
