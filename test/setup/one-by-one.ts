import type { EmailProvider } from '../../providers/email/email-provider.ts';
import { handOverEach } from '../../providers/email/hand-over-each.ts';

/** A provider without bulk calls. */
export const oneByOne = (handOver: EmailProvider['handOver']) => ({
  emailsPerCall: 1,
  handOver,
  handOverMany: (emails: Parameters<EmailProvider['handOverMany']>[0], signal: AbortSignal) =>
    handOverEach(emails, signal, handOver),
});
