import type { EmailProvider } from '../providers/email/email-provider.ts';
import type { Tracing } from './tracing.ts';

/** The provider with a span for each hand-over. Reasons stay out of it: the provider may repeat an address there. */
export function traceHandOvers(provider: EmailProvider, tracing: Tracing): EmailProvider {
  return {
    name: provider.name,
    handOver: (email) =>
      tracing.span(
        {
          name: `hand over to ${provider.name}`,
          isCall: true,
          facts: { 'posthaste.email.id': email.emailId, 'posthaste.project.id': email.projectId },
          result: ({ outcome }) => ({ 'posthaste.outcome': outcome }),
        },
        () => provider.handOver(email),
      ),
    grantedRatePerSecond: () => provider.grantedRatePerSecond(),
    close: () => provider.close(),
  };
}
