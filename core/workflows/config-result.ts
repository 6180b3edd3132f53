import type { z } from 'zod';
import { type FieldIssue, maxReportedIssues } from '../errors.ts';
import { issueWords } from '../issue-words.ts';

export type ConfigResult<Ready, Config extends object = Record<string, unknown>> =
  | { ok: true; config: Config; ready?: Ready | undefined; missing: FieldIssue[] }
  | { ok: false; issues: FieldIssue[] };

export function accept<Ready, Config extends object>(
  config: Config,
  ready: Ready,
): { ok: true; config: Config; ready: Ready; missing: FieldIssue[] } {
  return { ok: true, config, ready, missing: [] };
}

export function lacks(field: string, message: string): FieldIssue {
  return { field: `config.${field}`, message, code: 'missing' };
}

export function parseShape<Config extends object>(
  schema: z.ZodType<Config>,
  raw: Record<string, unknown>,
): ConfigResult<never, Config> {
  const parsed = schema.safeParse(raw, { error: issueWords });
  if (parsed.success) return { ok: true, config: parsed.data, missing: [] };
  return { ok: false, issues: parsed.error.issues.slice(0, maxReportedIssues).map(toFieldIssue) };
}

function toFieldIssue(issue: z.core.$ZodIssue): FieldIssue {
  const code: unknown = issue.code === 'custom' ? issue.params?.code : undefined;
  return {
    field: ['config', ...issue.path.map(String)].join('.'),
    message: issue.message,
    code: typeof code === 'string' ? code : issue.code === 'invalid_format' ? 'invalid_string' : issue.code,
  };
}
