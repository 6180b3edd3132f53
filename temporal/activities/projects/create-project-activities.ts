import type { ClickHouse } from '../../../analytics/clickhouse.ts';
import type { Orm } from '../../../db/orm.ts';
import { closeErasure } from '../../../db/statements/projects/close-erasure.ts';
import type { DomainIdentities } from '../../../providers/domains/domain-identities.ts';
import type { ProjectErasureActivities } from '../../contracts/project-erasure.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { eraseRecordedProject } from './erase-recorded-project.ts';
import type { RemoveImage } from './erase-uploads.ts';

export interface ProjectActivityDependencies {
  orm: Orm;
  clickhouse: ClickHouse;
  identities: DomainIdentities;
  removeImage: RemoveImage;
}

export function createProjectActivities({
  orm,
  ...stores
}: ProjectActivityDependencies): ProjectErasureActivities {
  return {
    eraseProject: ({ erasureId }) =>
      withHeartbeat((signal) => eraseRecordedProject(orm.em.fork(), stores, erasureId, signal)),
    closeProjectErasure: ({ erasureId }) => closeErasure(orm.em.fork(), erasureId),
  };
}
