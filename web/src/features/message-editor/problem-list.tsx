import { CircleCheck } from 'lucide-react';
import type { Schema } from '../../api/client.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';

type EmailProblem = Schema<'EmailPreview'>['problems'][number];

const severities: Record<EmailProblem['severity'], { label: string; tone: Tone }> = {
  error: { label: 'Can’t be sent', tone: 'bad' },
  warning: { label: 'Warning', tone: 'warn' },
  info: { label: 'Note', tone: 'neutral' },
};

interface ProblemListProps {
  problems: readonly EmailProblem[];
  /** Goes to a line; without it, line numbers are plain text. */
  onGoTo?: (line: number, column: number) => void;
}

/** Problems to fix before sending. */
export function ProblemList({ problems, onGoTo }: ProblemListProps) {
  if (problems.length === 0) {
    return (
      <p className="flex items-center gap-2 text-muted">
        <CircleCheck aria-hidden className="size-4 text-good" />
        No problems found.
      </p>
    );
  }
  return (
    <ul aria-label="Problems" className="divide-y divide-line rounded-lg border border-line">
      {problems.map((problem) => {
        const { code, message, severity, field, line, column = 1 } = problem;
        return (
          <li key={`${code} ${line} ${column} ${message}`} className="flex items-start gap-3 px-3 py-2">
            <span className="w-24 shrink-0">
              <Badge tone={severities[severity].tone}>{severities[severity].label}</Badge>
            </span>
            <span className="min-w-0 flex-1 break-words">{message}</span>
            {field === 'body' && line !== undefined && onGoTo && (
              <Button look="quiet" className="-my-1 h-7 px-2" onPress={() => onGoTo(line, column)}>
                Line {line}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
