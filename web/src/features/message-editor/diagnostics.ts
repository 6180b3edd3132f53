import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { Schema } from '../../api/client.ts';

/** Problems of the body with a known position, marked to the end of the line. */
export function toDiagnostics(doc: Text, problems: Schema<'EmailPreview'>['problems']): Diagnostic[] {
  return problems.flatMap(({ field, line, column, severity, message }) => {
    // The text may have become shorter since it was rendered.
    if (field !== 'body' || line === undefined || line > doc.lines) return [];
    const { from, to } = doc.line(line);
    return [{ from: Math.min(from + (column ?? 1) - 1, to), to, severity, message }];
  });
}
