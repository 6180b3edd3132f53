import { EntityRepository, raw } from '@mikro-orm/postgresql';
import { mostProjectNames } from '../../core/project-limits.ts';
import type { ContactField } from '../entities/contact.ts';

export class ContactFieldRepository extends EntityRepository<ContactField> {
  listTypes(projectId: string): Promise<ContactField[]> {
    return this.find(
      { projectId },
      { orderBy: { [raw('key collate "C"')]: 'asc' }, limit: mostProjectNames },
    );
  }
}
