import type { z } from 'zod';
import { type FieldIssue, maxReportedIssues } from './errors.ts';
import { typesInWords } from './issue-words.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

const maxReceivedLength = 200;
// Values of these fields are never echoed, to keep them out of logs.
const secretField = /authorization|api-?key|password|secret|token/i;

/**
 * Converts zod issues to at most 100 field issues, in zod's order. A union reports the option closest to the value, so that
 * `to.1.email` is named rather than `to`.
 *
 * @param input the parsed value, from which `received` is taken
 */
export function toFieldIssues(issues: readonly Issue[], input: unknown): FieldIssue[] {
  const first = issues.slice(0, maxReportedIssues);
  const flat = first.flatMap((issue) => flatten(issue, issue.path)).slice(0, maxReportedIssues);
  return flat.map((issue) => present(issue, input));
}

interface FlatIssue {
  path: Path;
  message: string;
  code: string;
}

function flatten(issue: Issue, path: Path): FlatIssue[] {
  switch (issue.code) {
    case 'invalid_union':
      return issue.errors.length === 0
        ? [{ path, message: issue.message, code: 'invalid_value' }]
        : flattenUnion(issue.errors, path);
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.flatMap((inner) => flatten(inner, [...path, ...inner.path]));
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], message: issue.message, code: issue.code }));
    case 'invalid_format':
      return [{ path, message: issue.message, code: 'invalid_string' }];
    case 'custom': {
      const code: unknown = issue.params?.code;
      return [{ path, message: issue.message, code: typeof code === 'string' ? code : 'custom' }];
    }
    default:
      return [{ path, message: issue.message, code: issue.code }];
  }
}

function flattenUnion(options: readonly (readonly Issue[])[], path: Path): FlatIssue[] {
  const flattened = options.map((option) =>
    option.flatMap((issue) => flatten(issue, [...path, ...issue.path])),
  );
  // The caller meant an option that fails below the top level, or for another reason than its type.
  const meant = flattened.filter((issues) =>
    issues.every((issue) => issue.path.length > path.length || issue.code !== 'invalid_type'),
  );
  const closest = meant.sort((a, b) => a.length - b.length)[0];
  if (closest !== undefined) return closest;
  return [{ path, message: `Must be ${expectedTypes(options)}`, code: 'invalid_type' }];
}

function expectedTypes(options: readonly (readonly Issue[])[]): string {
  const names = new Set<string>();
  const collect = (issue: Issue) => {
    if (issue.code === 'invalid_type') names.add(issue.expected);
    else if (issue.code === 'invalid_union') for (const inner of issue.errors) inner.forEach(collect);
  };
  for (const option of options) option.forEach(collect);
  return typesInWords(names);
}

function present(issue: FlatIssue, input: unknown): FieldIssue {
  const field = issue.path.map(String).join('.');
  const presented: FieldIssue = { field, message: issue.message, code: issue.code };
  const received = secretField.test(field) ? undefined : scalarAt(input, issue.path);
  if (received !== undefined) presented.received = received;
  return presented;
}

function scalarAt(input: unknown, path: Path): FieldIssue['received'] {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  if (typeof value === 'string') {
    return value.length > maxReceivedLength ? `${value.slice(0, maxReceivedLength).toWellFormed()}…` : value;
  }
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}
