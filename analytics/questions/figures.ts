import { z } from 'zod';
import { countColumn } from '../question.ts';

/** What charts count: emails to which the thing happened for the first time; `unsubscribed` are opt-outs. */
const emailFigures = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const;

export const emailFiguresRow = z.object({
  sent: countColumn,
  delivered: countColumn,
  opened: countColumn,
  clicked: countColumn,
  bounced: countColumn,
  complained: countColumn,
});

export type EmailFigures = z.output<typeof emailFiguresRow>;

/** Columns that count rows of `figure`, one of each email figure. */
export const countEmailFigures = emailFigures
  .map((name) => `countIf(figure = '${name}') AS ${name}`)
  .join(', ');
