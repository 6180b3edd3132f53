import type { ProjectRole } from '../../core/project-roles.ts';
import type { ApiProject } from '../../db/statements/access/find-callers.ts';

/** `role` is the user's role in the request's project; null without a project. */
export interface SessionUser {
  id: string;
  role: ProjectRole | null;
}

export interface Identity {
  project: ApiProject | null;
  user: SessionUser | null;
}
