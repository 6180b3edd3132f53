import type { Template } from '../../db/entities/template.ts';
import { templateSchema } from '../schemas/templates.ts';
import { present } from './present.ts';

export const withoutBody = <Answer extends { body: string }>({ body: _, ...rest }: Answer) => rest;

/** Approximate size in bytes of an answer with these bodies. */
export const bodyBytesOf = (contents: readonly { body: string }[]) =>
  contents.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

export const presentTemplate = (template: Template) =>
  present(templateSchema, { ...template, from: template.fromEmail });
