import { z } from 'zod';

/** A record whose members are counted before any of them is checked, because a body can have thousands. */
export function limitedRecord<Value extends z.ZodType>(value: Value, maxMembers: number, message: string) {
  return z.preprocess(
    (sent, context) => {
      if (typeof sent !== 'object' || sent === null || Object.keys(sent).length <= maxMembers) return sent;
      context.issues.push({ code: 'custom', message, params: { code: 'too_big' }, input: sent });
      return z.NEVER;
    },
    z.record(z.string(), value),
  );
}
