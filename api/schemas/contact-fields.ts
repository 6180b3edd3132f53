import { z } from 'zod';
import { fieldTypes } from '../../core/contact-data/infer-field-type.ts';
import { contactsPerScan } from '../../db/statements/contacts/scan-contacts.ts';
import { limitSchema } from './pagination.ts';

export const fieldParamsSchema = z.object({
  field: z
    .string()
    .min(1)
    .meta({ description: 'As listed, URL-encoded; the prefix `data.` is optional.', example: 'data.plan' }),
});

export const contactFieldsSchema = z.object({
  fields: z.array(
    z
      .object({
        field: z.string().describe('A built-in name, or `data.<key>`.'),
        type: z.enum(fieldTypes).describe('Type of the first value; it does not change.'),
        isCustom: z.boolean(),
        coverage: z.number().min(0).max(1).describe('Share of the contacts that have the field.'),
      })
      .meta({ id: 'ContactField' }),
  ),
  count: z.number().int(),
});

const mostValues = 200;

export const fieldValuesQuerySchema = z.object({
  limit: limitSchema(100, mostValues).describe(`Values in the answer, at most ${mostValues}.`),
});

export const fieldValuesSchema = z.object({
  field: z.string(),
  values: z.array(z.union([z.string(), z.number(), z.boolean()])),
  count: z.number().int().describe('Values in this answer; equal to `limit` when there may be more.'),
  limit: z.number().int(),
  searched: z
    .number()
    .int()
    .nullable()
    .describe(
      `When the project has more than ${contactsPerScan.toLocaleString('en')} contacts: how many of the newest were read. ` +
        'Otherwise null.',
    ),
});

const references = z.array(z.object({ id: z.uuid(), name: z.string() }));

export const fieldUsageSchema = z.object({
  usedInSegments: references,
  usedInCampaigns: references,
  usedInWorkflows: references,
  contactCount: z
    .int()
    .nullable()
    .describe('Contacts that have the field. Null for values within objects, which are not counted.'),
});

export const deletedFieldSchema = z.object({
  deletedFrom: z.number().int().describe('Number of contacts that had the field.'),
});
