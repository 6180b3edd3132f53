import type { ProjectRole } from '../../core/project-roles.ts';

export interface ApiProject {
  id: string;
  disabled: boolean;
  disabledReason: string | null;
  suppressTransactional: boolean;
  hasSendLimit: boolean;
}

/** `role` is the user's role in the request's project; null without a project. */
export interface SessionUser {
  id: string;
  role: ProjectRole | null;
}

export interface Identity {
  project: ApiProject | null;
  user: SessionUser | null;
}
