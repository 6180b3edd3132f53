import { z } from 'zod';
import { countColumn } from '../client/question.ts';

export const emailFiguresRow = z.object({
  sent: countColumn,
  delivered: countColumn,
  opened: countColumn,
  clicked: countColumn,
  bounced: countColumn,
  complained: countColumn,
});

export const emailFigures = emailFiguresRow.keyof().options;

export type EmailFigures = z.output<typeof emailFiguresRow>;

export const noEmails: Readonly<EmailFigures> = {
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
};

export const countEmailFigures = emailFigures
  .map((name) => `countIf(figure = '${name}') AS ${name}`)
  .join(', ');
