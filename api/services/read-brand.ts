import { defaultEmailBrand, type EmailBrand } from '../../core/email-brand.ts';
import { Project } from '../../db/entities/project.ts';
import type { Em } from '../../db/orm.ts';

export async function readBrand(em: Em, projectId: string): Promise<EmailBrand> {
  const project = await em.findOne(Project, { id: projectId }, { fields: ['language', 'footerAddress'] });
  return project === null
    ? defaultEmailBrand
    : { language: project.language, footerAddress: project.footerAddress ?? null };
}
