import { z } from 'zod';
import type { Schema } from '../../api/client.ts';

type Project = Schema<'Project'>;

export const languages: { value: Project['language']; label: string }[] = [
  { value: 'en', label: 'English' },
  { value: 'fr', label: 'French' },
  { value: 'de', label: 'German' },
  { value: 'it', label: 'Italian' },
  { value: 'nl', label: 'Dutch' },
  { value: 'pl', label: 'Polish' },
  { value: 'pt', label: 'Portuguese' },
  { value: 'es', label: 'Spanish' },
];

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

export const projectSchema = z.object({
  name: z.string().trim().min(1, 'Give the project a name.').max(100),
  suppressTransactional: z.boolean(),
  brandColor: z.string().refine((text) => text === '' || isColor(text), 'Write it as #rrggbb.'),
  logoUrl: z.string().trim(),
  footerAddress: z.string().trim().max(300, 'At most 300 characters.'),
  language: z.enum(['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', 'pt']),
});

export type ProjectValues = z.infer<typeof projectSchema>;

export const toValues = (project: Project): ProjectValues => ({
  name: project.name,
  suppressTransactional: project.suppressTransactional,
  brandColor: project.brandColor ?? '',
  logoUrl: project.logoUrl ?? '',
  footerAddress: project.footerAddress ?? '',
  language: project.language,
});

/** Empty fields reset a setting to its default. */
export const toSettings = ({ brandColor, logoUrl, footerAddress, ...rest }: ProjectValues) => ({
  ...rest,
  brandColor: brandColor || null,
  logoUrl: logoUrl || null,
  footerAddress: footerAddress || null,
});
