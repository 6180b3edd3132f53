import { z } from 'zod';
import { securityLevels } from '../../core/project-security.ts';

const count = z.int().min(0);

const level = z.enum(securityLevels);

const figuresSchema = z.object({
  sent: count.describe('Emails handed over, without those to simulator addresses.'),
  bounced: count.describe('Number of hard bounces.'),
  complained: count,
  bounceRate: z.number().describe('Percent of the emails sent.'),
  complaintRate: z.number().describe('Percent of the emails sent.'),
  bounceLevel: level.describe('Warning from 5 %, critical from 10 %, once 100 emails were sent.'),
  complaintLevel: level.describe('Warning from 0.1 %, critical from 0.15 %, once 100 emails were sent.'),
  level: level.describe('The worse of the two.'),
});

export const suspensionSchema = z.object({
  id: z.uuid(),
  reason: z.string(),
  sent: count.describe('In the seven days before.'),
  bounced: count,
  complained: count,
  createdAt: z.iso.datetime(),
});

export const projectSecuritySchema = z
  .object({
    level: level.describe('Level of the last seven days.'),
    disabled: z.boolean(),
    disabledReason: z.string().nullable(),
    autoDisable: z.boolean().describe('Whether the level `critical` disables the project automatically.'),
    sevenDays: figuresSchema.describe('Today and the six days before, by UTC.'),
    allTime: figuresSchema,
    suspensions: z
      .array(suspensionSchema)
      .describe('Automatic suspensions of the project, newest first; the latest 20.'),
  })
  .meta({ id: 'ProjectSecurity' });
