import { z } from 'zod';
import type { KeyVault } from '../../core/crypto/project-keys.ts';
import { mayAdminister } from '../../core/project-roles.ts';
import { roles } from '../../db/entities/membership.ts';
import type { MemberProjectRow } from '../../db/repositories/projects/projects.ts';

export const projectSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    role: z.enum(roles).describe("The caller's place in the project."),
    publicKey: z.string(),
    secretKey: z.string().optional().describe('Only for ADMIN and OWNER.'),
    disabled: z.boolean(),
    disabledReason: z.string().nullable(),
    suppressTransactional: z
      .boolean()
      .describe('Whether contacts that bounced or complained get no transactional email either.'),
    brandColor: z
      .string()
      .nullable()
      .describe('Of the buttons on public pages, `#rrggbb`; null for the default.'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Project' });

export type ProjectAnswer = z.output<typeof projectSchema>;

export function presentProject(project: MemberProjectRow, vault: KeyVault): ProjectAnswer {
  const answer: ProjectAnswer = {
    id: project.id,
    name: project.name,
    role: project.role,
    publicKey: vault.openPublicKey(project.id, project.publicKeyEncrypted),
    disabled: project.disabled,
    disabledReason: project.disabledReason ?? null,
    suppressTransactional: project.suppressTransactional,
    brandColor: project.brandColor ?? null,
    createdAt: project.createdAt.toISOString(),
    updatedAt: project.updatedAt.toISOString(),
  };
  if (mayAdminister(project.role)) {
    answer.secretKey = vault.openSecretKey(project.id, project.secretKeyEncrypted);
  }
  return answer;
}
