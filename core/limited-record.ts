import { z } from 'zod';
import { reportIssue } from './zod-issues.ts';

/** A record whose members are counted before any of them is checked, because a body can have thousands. */
export function limitedRecord<Value extends z.ZodType>(value: Value, maxMembers: number, message: string) {
  return z.preprocess(
    (sent, context) => {
      if (typeof sent !== 'object' || sent === null || Object.keys(sent).length <= maxMembers) return sent;
      reportIssue(context, message, 'too_big');
      return z.NEVER;
    },
    z.record(z.string(), value),
  );
}
