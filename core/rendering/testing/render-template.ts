import type { TemplateKind } from '../engine.ts';
import { compileTemplate, type Template } from '../template.ts';

export function compiledTemplate(source: string, kind: TemplateKind = 'text'): Template {
  const result = compileTemplate(source, kind);
  if (!result.ok) throw new Error(`${result.error.message}: ${source}`);
  return result.template;
}

/** @returns the text, or the limit that the template exceeds */
export function renderTemplate(
  source: string,
  values: Readonly<Record<string, unknown>>,
  { kind, now = new Date(0) }: { kind?: TemplateKind | undefined; now?: Date } = {},
): string {
  const rendered = compiledTemplate(source, kind).render(values, { now });
  return rendered.ok ? rendered.output : `limit ${rendered.limit}`;
}
