import { z } from 'zod';
import { parseContactData } from '../../core/contact-data/parse-contact-data.ts';
import { reportIssues } from './report-issues.ts';

export const contactDataSchema = z
  .unknown()
  .meta({
    type: 'object',
    additionalProperties: true,
    description:
      'Custom fields. Only the keys sent change; null removes a key, an empty string is ignored, `{ ' +
      '"value": …, "persistent": false }` applies to this call only. At most 64 KB per contact.',
    example: { firstName: 'Ada', plan: 'pro', resetCode: { value: '481516', persistent: false } },
  })
  .transform((raw, context) => {
    const parsed = parseContactData(raw);
    if (parsed.ok) return parsed.data;
    reportIssues(context, parsed.issues, 'data');
    return z.NEVER;
  });
