import type { EmailTemplate } from '../rendering/email-template.ts';
import type { ShownVariable } from '../rendering/shown-variables.ts';
import { isRecord } from '../rendering/values.ts';
import type { TemplateVariables } from '../rendering/variables.ts';
import { type EmailProblem, mostPerCode, problem } from './email-problems.ts';

/**
 * Finds outputs that stay empty for every contact because no contact has the field. Outputs with a fallback are meant
 * to allow for that and are not reported.
 *
 * @param keys of `data` that contacts of the project have
 * @param variables of one recipient, including the built-in ones
 */
export function findUnknownFields(
  template: Pick<EmailTemplate, 'subject' | 'html'>,
  keys: readonly string[],
  variables: TemplateVariables,
): EmailProblem[] {
  const known = new Set(keys);
  const likeName = new Map(keys.map((key) => [key.toLowerCase(), key]));
  const problemsOf = (field: 'subject' | 'body', { path, ...place }: ShownVariable): EmailProblem[] => {
    const name = unknownName(path, known, variables);
    if (name === undefined) return [];
    const where = field === 'subject' ? 'in the subject' : 'there';
    const meant = likeName.get(name.toLowerCase());
    const advice = meant === undefined ? '' : `. Did you mean “${meant}”?`;
    const message = `No contact has a field “${name}”, so nothing shows ${where}${advice}`;
    return [problem('unknown_field', message, { field, ...place })];
  };
  return [
    ...template.subject.shownVariables().flatMap((variable) => problemsOf('subject', variable)),
    ...template.html.shownVariables().flatMap((variable) => problemsOf('body', variable)),
  ].slice(0, mostPerCode);
}

function unknownName(
  path: readonly string[],
  known: ReadonlySet<string>,
  variables: TemplateVariables,
): string | undefined {
  const isData = path[0] === 'data';
  const names = isData ? path.slice(1) : path;
  const values = isData && isRecord(variables.data) ? variables.data : variables;
  // Keys may have dots.
  const paths = names.map((_, index) => names.slice(0, index + 1).join('.'));
  return paths.some((key) => known.has(key) || Object.hasOwn(values, key)) ? undefined : names[0];
}
