import nodemailer from 'nodemailer';
import { z } from 'zod';
import { verdictsSchema } from '../mail/records.ts';

const addresses = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

export const mailInputSchema = z.object({
  from: z.string().min(1),
  to: addresses,
  cc: addresses.optional(),
  subject: z.string().default(''),
  text: z.string().optional(),
  html: z.string().optional(),
  attachments: z
    .array(z.object({ filename: z.string().min(1), content: z.string(), contentType: z.string().optional() }))
    .default([]),
  messageId: z.string().optional(),
  inReplyTo: z.string().optional(),
  references: addresses.optional(),
  headers: z.record(z.string(), z.string()).default({}),
  /** Envelope sender, if it differs from the From header; empty for a bounce. */
  source: z.string().optional(),
  verdicts: verdictsSchema.partial().default({}),
});

const transport = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' });

export async function composeMail(input: z.output<typeof mailInputSchema>): Promise<Buffer> {
  const attachments = input.attachments.map((file) => ({
    ...file,
    content: Buffer.from(file.content, 'base64'),
  }));
  const { message } = await transport.sendMail({ ...input, attachments });
  if (!Buffer.isBuffer(message)) throw new Error('A buffered transport must return a buffer');
  return message;
}
