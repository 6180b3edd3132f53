import type { z } from 'zod';
import type { sendAnswerSchema } from '../schemas/send.ts';
import type { SendService } from '../services/send.ts';

type Sent = Awaited<ReturnType<SendService['send']>>;

export function presentSent({ emails, occurredAt }: Sent): z.output<typeof sendAnswerSchema> {
  return {
    success: true,
    data: {
      emails: emails.map(({ contactId, contactEmail, emailId }) => ({
        contact: { id: contactId, email: contactEmail },
        email: emailId,
      })),
      timestamp: occurredAt.toISOString(),
    },
  };
}
