import { z } from 'zod';
import { countColumn } from '../client/question.ts';

export const emailFigures = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained'] as const;

export const emailFiguresRow = z.object({
  sent: countColumn,
  delivered: countColumn,
  opened: countColumn,
  clicked: countColumn,
  bounced: countColumn,
  complained: countColumn,
});

export type EmailFigures = z.output<typeof emailFiguresRow>;

export const countEmailFigures = emailFigures
  .map((name) => `countIf(figure = '${name}') AS ${name}`)
  .join(', ');
