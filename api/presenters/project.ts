import { type ProjectAnswer, projectSchema } from '../schemas/answers/project.ts';
import type { MemberProject } from '../services/projects.ts';
import { present } from './present.ts';

const withoutSecret = projectSchema.omit({ secretKey: true });

export function presentProject({ membership, publicKey, secretKey }: MemberProject): ProjectAnswer {
  const { project, role } = membership;
  return { ...present(withoutSecret, { ...project, role, publicKey }), secretKey };
}
