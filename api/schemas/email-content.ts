import { z } from 'zod';
import { maxTemplateBytes } from '../../core/rendering/template.ts';

const lineBreaks = /[\r\n\0]/;

/** A subject with Liquid placeholders, free of what could start another header. */
export const subjectSchema = z
  .string()
  .min(1)
  .max(998)
  .refine((subject) => !lineBreaks.test(subject), {
    message: 'A subject is one line',
    params: { code: 'invalid_string' },
  });

/** HTML with Liquid placeholders. */
export const htmlBodySchema = z
  .string()
  .min(1)
  .refine((body) => Buffer.byteLength(body) <= maxTemplateBytes, {
    message: `A body has at most ${maxTemplateBytes / 1024} KB`,
    params: { code: 'too_big' },
  })
  .describe('HTML with Liquid placeholders, at most 512 KB.');
