import type { ProjectSecurityAnswer } from '../schemas/answers/project-security.ts';
import type { SecurityState } from '../services/project-security.ts';

export function presentProjectSecurity(state: SecurityState): ProjectSecurityAnswer {
  return {
    ...state,
    suspensions: state.suspensions.map(({ createdAt, ...rest }) => ({
      ...rest,
      createdAt: createdAt.toISOString(),
    })),
  };
}
