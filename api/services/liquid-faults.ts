import { DomainError, type FieldIssue } from '../../core/errors.ts';
import type { TemplateCache } from '../../core/rendering/template-cache.ts';
import type { TemplateTurns } from './template-turns.ts';

export interface LiquidFault extends FieldIssue {
  field: 'subject' | 'body';
  line: number;
  column: number;
}

export function findLiquidFaults(
  cache: TemplateCache,
  content: { subject?: string | undefined; body?: string | undefined },
): LiquidFault[] {
  return (['subject', 'body'] as const).flatMap((field) => {
    const source = content[field];
    const compiled =
      source === undefined ? undefined : cache.compile(source, field === 'body' ? 'html' : 'text');
    if (compiled === undefined || compiled.ok) return [];
    const { message, line, column } = compiled.error;
    return [
      {
        field,
        message: `Liquid, line ${line}, column ${column}: ${message}`,
        code: 'invalid_template',
        line,
        column,
      },
    ];
  });
}

export function toFieldIssue({ field, message, code }: LiquidFault): FieldIssue {
  return { field, message, code };
}

/** @throws DomainError `BAD_REQUEST` with line and column in `details`; as `inTurn` */
export async function requireLiquid(
  { cache, inTurn }: TemplateTurns,
  projectId: string,
  content: { subject?: string | undefined; body?: string | undefined },
): Promise<void> {
  const faults = await inTurn(projectId, () => findLiquidFaults(cache, content));
  if (faults.length === 0) return;
  throw new DomainError(
    'BAD_REQUEST',
    faults.map(({ field, message }) => `${field}: ${message}`).join('; '),
    {
      issues: faults.map(toFieldIssue),
      details: Object.fromEntries(faults.map(({ field, line, column }) => [field, { line, column }])),
    },
  );
}
