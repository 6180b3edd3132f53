import { nullableText } from './nullable.ts';

export const temporalUrlSchema = nullableText.describe(
  'Its page in the Temporal UI, where `TEMPORAL_UI_URL` is set.',
);
