import { z } from 'zod';

// The part of the SES v2 REST-JSON protocol that the local SES reads. Unknown members are dropped, so newer clients
// work. Rules beyond the shape are in `check-envelope.ts`.

const templateDataCharacters = 262_144;

const text = z.object({ Data: z.string(), Charset: z.string().optional() });
const header = z.object({ Name: z.string(), Value: z.string() });
const tag = z.object({ Name: z.string(), Value: z.string() });

const attachment = z.object({
  RawContent: z.string(),
  FileName: z.string().min(1).max(255),
  ContentDisposition: z.enum(['ATTACHMENT', 'INLINE']).optional(),
  ContentDescription: z.string().max(1_000).optional(),
  ContentId: z.string().min(1).max(78).optional(),
  ContentTransferEncoding: z.enum(['BASE64', 'QUOTED_PRINTABLE', 'SEVEN_BIT']).optional(),
  ContentType: z.string().min(1).max(78).optional(),
});

const destination = z.object({
  ToAddresses: z.array(z.string()).default([]),
  CcAddresses: z.array(z.string()).default([]),
  BccAddresses: z.array(z.string()).default([]),
});

const template = z.object({
  TemplateName: z.string().optional(),
  TemplateArn: z.string().optional(),
  TemplateContent: z
    .object({ Subject: z.string().optional(), Html: z.string().optional(), Text: z.string().optional() })
    .optional(),
  TemplateData: z.string().max(templateDataCharacters).optional(),
  Headers: z.array(header).default([]),
});

const simple = z.object({
  Subject: text,
  Body: z.object({ Html: text.optional(), Text: text.optional() }),
  Headers: z.array(header).default([]),
  Attachments: z.array(attachment).default([]),
});

const envelope = {
  FromEmailAddress: z.string().optional(),
  ReplyToAddresses: z.array(z.string()).default([]),
  ConfigurationSetName: z.string().optional(),
};

export const sendEmailSchema = z.object({
  ...envelope,
  Destination: destination.prefault({}),
  Content: z.object({ Simple: simple.optional(), Raw: z.object({ Data: z.string() }).optional() }),
  EmailTags: z.array(tag).default([]),
});

export const sendBulkEmailSchema = z.object({
  ...envelope,
  DefaultEmailTags: z.array(tag).default([]),
  DefaultContent: z.object({ Template: template.optional() }),
  BulkEmailEntries: z.array(
    z.object({
      Destination: destination,
      ReplacementTags: z.array(tag).default([]),
      ReplacementHeaders: z.array(header).default([]),
      ReplacementEmailContent: z
        .object({
          ReplacementTemplate: z
            .object({ ReplacementTemplateData: z.string().max(templateDataCharacters).optional() })
            .optional(),
        })
        .optional(),
    }),
  ),
});

export type SendEmailCall = z.output<typeof sendEmailSchema>;
export type SendBulkEmailCall = z.output<typeof sendBulkEmailSchema>;
export type SesSimple = z.output<typeof simple>;
export type SesDestination = z.output<typeof destination>;
export type SesTemplate = z.output<typeof template>;
export type SesHeader = z.output<typeof header>;
export type SesTag = z.output<typeof tag>;
export type SesAttachment = z.output<typeof attachment>;
