import type { ProjectAnswer } from '../schemas/answers/project.ts';
import type { MemberProject } from '../services/projects.ts';

export function presentProject({ membership, publicKey, secretKey }: MemberProject): ProjectAnswer {
  const { project, role } = membership;
  return {
    id: project.id,
    name: project.name,
    role,
    publicKey,
    secretKey,
    disabled: project.disabled,
    disabledReason: project.disabledReason ?? null,
    suppressTransactional: project.suppressTransactional,
    brandColor: project.brandColor ?? null,
    logoUrl: project.logoUrl ?? null,
    footerAddress: project.footerAddress ?? null,
    language: project.language,
    createdAt: project.createdAt.toISOString(),
    updatedAt: project.updatedAt.toISOString(),
  };
}
