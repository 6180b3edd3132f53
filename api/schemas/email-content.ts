import { z } from 'zod';
import { maxTemplateBytes } from '../../core/rendering/template.ts';
import { refusal } from '../../core/zod-issues.ts';
import { lineBreaks } from './mailbox.ts';

/** A Liquid template on one line: line breaks could inject a header. */
export const subjectSchema = z
  .string()
  .min(1)
  .max(998)
  .refine((subject) => !lineBreaks.test(subject), refusal('A subject must be a single line'));

export const htmlBodySchema = z
  .string()
  .min(1)
  .refine(
    (body) => Buffer.byteLength(body) <= maxTemplateBytes,
    refusal(`A body has at most ${maxTemplateBytes / 1024} KB`, 'too_big'),
  )
  .describe('HTML with Liquid placeholders, at most 512 KB.');

export const draftSubjectSchema = z.union([z.literal(''), subjectSchema]);
export const draftBodySchema = z.union([z.literal(''), htmlBodySchema]);
