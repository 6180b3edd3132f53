import type { z } from 'zod';
import type { FieldIssue } from '../errors.ts';
import { toFieldIssues } from '../field-issues.ts';
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

/** @param complete the complete config, or what it lacks */
export function parseConfig<Config extends object, Ready extends object>(
  raw: Record<string, unknown>,
  schema: z.ZodType<Config>,
  complete: (config: Config) => Ready | FieldIssue[],
): ConfigResult<Ready, Config> {
  const parsed = schema.safeParse(raw, { error: issueWords });
  if (!parsed.success) {
    const issues = toFieldIssues(parsed.error.issues, raw);
    return { ok: false, issues: issues.map((issue) => ({ ...issue, field: inConfig(issue.field) })) };
  }
  const config = parsed.data;
  const ready = complete(config);
  return Array.isArray(ready) ? { ok: true, config, missing: ready } : accept(config, ready);
}

const inConfig = (field: string) => (field === '' ? 'config' : `config.${field}`);
